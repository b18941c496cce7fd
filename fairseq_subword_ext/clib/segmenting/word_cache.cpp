#include "segmenting/word_cache.h"

#include <limits>

namespace subword {

namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 13;
constexpr std::size_t kGrowth = 4;

}  // namespace

WordCache::WordCache()
    : entries_(new Entry[kMostWords + 1]),  // one spare: find() results are read beyond their end
      text_(new char[kMostBytes]),
      slots_(kFirstSlots, 0),
      mask_(kFirstSlots - 1) {}

void WordCache::add(const WordKey& key, std::string_view printed) {
  if (key.size > kLongestWord || printed.size() > std::numeric_limits<std::uint16_t>::max()) return;
  const bool is_itself = printed == std::string_view(key.word, key.size);
  const bool is_stored = !is_itself && printed.size() > kShort;
  const std::size_t needed = (key.is_long() ? key.size : 0) + (is_stored ? printed.size() : 0);
  if (words_ == kMostWords || used_ + needed + kPadding > kMostBytes) {
    no_room_ = true;
    return;
  }
  const std::uint64_t tail = key.is_long() ? store({key.word, key.size}) : key.tail;
  std::uint32_t place = is_itself ? kNone : 0;
  if (is_stored) {
    place = store(printed);
  } else if (!is_itself && !printed.empty()) {
    std::memcpy(&place, printed.data(), printed.size());
  }
  entries_[words_++] = {key.head, tail, place, static_cast<std::uint16_t>(key.size),
                        static_cast<std::uint16_t>(printed.size())};
  std::size_t slot = key.hash & mask_;
  while (slots_[slot] != 0) slot = (slot + 1) & mask_;
  slots_[slot] = tag(key.hash) | static_cast<std::uint32_t>(words_);
  if (words_ * 2 > slots_.size()) grow();
}

void WordCache::clear() {
  words_ = 0;
  slots_.assign(kFirstSlots, 0);
  mask_ = kFirstSlots - 1;
  used_ = 0;
  no_room_ = false;
}

std::uint64_t WordCache::hash_of(const Entry& entry) const {
  if (entry.size > WordKey::kInline) return entry.head;
  return hash_inline(entry.head, entry.tail, entry.size);
}

std::uint32_t WordCache::store(std::string_view text) {
  const std::size_t place = used_;
  std::memcpy(text_.get() + place, text.data(), text.size());
  used_ += text.size();
  return static_cast<std::uint32_t>(place);
}

void WordCache::grow() {
  slots_.assign(slots_.size() * kGrowth, 0);
  mask_ = slots_.size() - 1;
  for (std::size_t index = 0; index < words_; ++index) {
    const std::uint64_t hash = hash_of(entries_[index]);
    std::size_t slot = hash & mask_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = tag(hash) | static_cast<std::uint32_t>(index + 1);
  }
}

}  // namespace subword
