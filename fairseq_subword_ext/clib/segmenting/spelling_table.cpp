#include "segmenting/spelling_table.h"

#include <algorithm>
#include <cstring>

#include "text/hash.h"

namespace subword {

namespace {

constexpr std::size_t kBlockSize = std::size_t{1} << 16;

}  // namespace

SpellingTable::SpellingTable(std::size_t symbols) {
  std::size_t size = 16;
  while (size < symbols * 2) size *= 2;
  slots_.assign(size, kNone);
  entries_.reserve(symbols);
}

SymbolId SpellingTable::intern(std::string_view spelling) {
  const std::uint64_t hash = hash_bytes(spelling.data(), spelling.size());
  const std::size_t slot = slot_of(hash, spelling);
  if (slots_[slot] != kNone) return slots_[slot];
  const auto id = static_cast<SymbolId>(entries_.size());
  entries_.push_back({hash, store(spelling)});
  slots_[slot] = id;
  if (entries_.size() * 2 > slots_.size()) grow();
  return id;
}

SymbolId SpellingTable::find(std::string_view spelling) const {
  return slots_[slot_of(hash_bytes(spelling.data(), spelling.size()), spelling)];
}

// The spelling's slot, or the free one where it would go.
std::size_t SpellingTable::slot_of(std::uint64_t hash, std::string_view spelling) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kNone) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && entry.spelling == spelling) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::string_view SpellingTable::store(std::string_view spelling) {
  if (spelling.size() > block_left_) {
    block_left_ = std::max(kBlockSize, spelling.size());
    blocks_.emplace_back(new char[block_left_]);
    block_ = blocks_.back().get();
  }
  char* const stored = block_;
  std::copy(spelling.begin(), spelling.end(), stored);
  block_ += spelling.size();
  block_left_ -= spelling.size();
  return {stored, spelling.size()};
}

void SpellingTable::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<SymbolId>(id);
  }
}

}  // namespace subword
