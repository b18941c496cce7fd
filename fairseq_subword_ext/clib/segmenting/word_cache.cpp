#include "segmenting/word_cache.h"

#include <limits>

namespace subword {

namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 13;
constexpr std::size_t kGrowth = 4;

}  // namespace

WordCache::WordCache()
    : entries_(new Entry[kMostWords + 1]),  // one spare: find() results are read beyond their end
      text_(new char[kMostBytes]) {
  grow();
}

void WordCache::add(const WordKey& key, std::string_view printed) {
  if (key.size > kLongestWord || printed.size() > std::numeric_limits<std::uint16_t>::max()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (find(key).data() != nullptr) return;  // another thread was faster
  const bool is_itself = printed == std::string_view(key.word, key.size);
  const bool is_stored = !is_itself && printed.size() > kShort;
  const std::size_t needed = (key.is_long() ? key.size : 0) + (is_stored ? printed.size() : 0);
  const std::size_t words = words_;
  if (words == kMostWords || used_ + needed + kPadding > kMostBytes) {
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
  entries_[words] = {key.head, tail, place, static_cast<std::uint16_t>(key.size),
                      static_cast<std::uint16_t>(printed.size())};
  words_ = words + 1;
  insert(current(), key.hash, words);
  if ((words + 1) * 2 > current().mask) grow();
}

// Lets a slot refer to an entry, which must be complete.
void WordCache::insert(const Slots& slots, std::uint64_t hash, std::size_t entry) {
  std::size_t slot = hash & slots.mask;
  while (slots.all[slot].load(std::memory_order_relaxed) != 0) slot = (slot + 1) & slots.mask;
  slots.all[slot].store(tag(hash) | static_cast<std::uint32_t>(entry + 1), std::memory_order_release);
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
  const std::size_t size = tables_.empty() ? kFirstSlots : (current().mask + 1) * kGrowth;
  auto larger = std::make_unique<const Slots>(size);
  for (std::size_t entry = 0; entry < words_; ++entry) insert(*larger, hash_of(entries_[entry]), entry);
  slots_.store(larger.get(), std::memory_order_release);
  tables_.push_back(std::move(larger));
}

}  // namespace subword
