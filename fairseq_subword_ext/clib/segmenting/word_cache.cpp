#include "segmenting/word_cache.h"

#include <algorithm>

namespace subword {

namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 13;
constexpr std::size_t kGrowth = 4;

}  // namespace

WordCache::WordCache()
    // Prefetching and find() may read beyond the last entry.
    : entries_(new char[kMostBytes + 4 * kAlignment + kPadding]) {
  grow();
}

std::size_t WordCache::size_of(const Entry& entry) {
  const std::size_t size = kTextAt + (entry.size > WordKey::kInline ? entry.size : 0) +
                           (entry.printed_size == kItself ? 0 : entry.printed_size);
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

void WordCache::add(const WordKey& key, std::string_view printed) {
  if (key.size > kLongestWord || printed.size() >= kItself) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (find(key).data() != nullptr) return;  // another thread was faster
  const bool is_itself = printed == std::string_view(key.word, key.size);
  const Entry entry{key.head, key.tail, static_cast<std::uint16_t>(key.size),
                    is_itself ? kItself : static_cast<std::uint16_t>(printed.size())};
  const std::size_t words = words_;
  const std::size_t size = size_of(entry);
  if (words == kMostWords || used_ + size > kMostBytes) {
    no_room_ = true;
    return;
  }
  char* const place = entries_.get() + used_;
  std::memcpy(place, &entry, kTextAt);
  char* text = place + kTextAt;
  if (key.is_long()) text = std::copy(key.word, key.word + key.size, text);
  if (!is_itself) std::copy(printed.begin(), printed.end(), text);
  words_ = words + 1;
  insert(current(), key.hash, used_);
  used_ += size;
  if (words + 1 > (current().mask + 1) / 2) grow();
}

// Lets a slot refer to an entry, which must be complete.
void WordCache::insert(const Slots& slots, std::uint64_t hash, std::size_t place) {
  std::size_t slot = hash & slots.mask;
  while (slots.all[slot].load(std::memory_order_relaxed) != 0) slot = (slot + 1) & slots.mask;
  const auto number = static_cast<std::uint32_t>(place / kAlignment + 1);
  slots.all[slot].store(tag(hash) | number, std::memory_order_release);
}

std::uint64_t WordCache::hash_of(const Entry& entry) {
  if (entry.size > WordKey::kInline) return entry.head;
  return hash_inline(entry.head, entry.tail, entry.size);
}

void WordCache::grow() {
  const std::size_t size = tables_.empty() ? kFirstSlots : (current().mask + 1) * kGrowth;
  auto larger = std::make_unique<const Slots>(size);
  for (std::size_t place = 0; place < used_;) {
    const Entry entry = read(entries_.get() + place);
    insert(*larger, hash_of(entry), place);
    place += size_of(entry);
  }
  slots_.store(larger.get(), std::memory_order_release);
  tables_.push_back(std::move(larger));
}

}  // namespace subword
