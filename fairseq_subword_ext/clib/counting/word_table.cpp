#include <cstring>

#include "counting/word_counter.h"

namespace subword {

namespace {

constexpr std::size_t kBlockSize = std::size_t{1} << 18;

}  // namespace

WordTable::WordTable() : slots_(1024, 0) {}

std::size_t WordTable::find_or_add(std::string_view word) {
  std::string padded(word);
  padded.append(WordKey::kPadding, '\0');
  return find_or_add(word_key(padded.data(), word.size()));
}

void WordTable::add_all(const WordTable& other) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (i + kAhead < other.size()) prefetch_slot(other.key(i + kAhead));
    add_count(find_or_add(other.key(i)), other.count(i));
  }
}

WordKey WordTable::key(std::size_t index) const {
  const Entry& entry = entries_[index];
  const bool is_long = entry.size > WordKey::kInline;
  const std::uint64_t tail = is_long ? 0 : entry.tail;
  const std::uint64_t hash =
      is_long ? entry.head : hash_inline(entry.head, entry.tail, entry.size);
  return {word(index).data(), entry.size, entry.head, tail, hash};
}

void WordTable::add_count(std::size_t index, Count count) {
  Count& sum = entries_[index].count;
  if (__builtin_add_overflow(sum, count, &sum)) {
    throw InputError("the count of a word exceeds 2^63 - 1");
  }
}

std::size_t WordTable::find_or_add(const WordKey& key) {
  const auto [word, size, head, tail, hash] = key;
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t tag = hash >> 32 << 32;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint64_t found = slots_[slot];
    if (found == 0) {
      if (entries_.size() >= kNone - 1) throw InputError("more than 4 billion word types");
      const auto kept = key.is_long() ? reinterpret_cast<std::uint64_t>(store(word, size)) : tail;
      entries_.push_back({head, kept, 0, size});
      slots_[slot] = tag | entries_.size();
      if (entries_.size() * 2 > slots_.size()) grow();
      return entries_.size() - 1;
    }
    if ((found >> 32 << 32) != tag) continue;
    const Entry& entry = entries_[(found & kNone) - 1];
    if (entry.size != size || entry.head != head) continue;
    if (key.is_long()
            ? std::memcmp(reinterpret_cast<const char*>(entry.tail), word, size) == 0
            : entry.tail == tail) {
      return (found & kNone) - 1;
    }
  }
}

std::string_view WordTable::word(std::size_t index) const {
  const Entry& entry = entries_[index];
  const char* text = entry.size <= WordKey::kInline ? reinterpret_cast<const char*>(&entry.head)
                                           : reinterpret_cast<const char*>(entry.tail);
  return {text, entry.size};
}

const char* WordTable::store(const char* word, std::size_t size) {
  if (size > kBlockSize / 4) {
    blocks_.push_front(std::make_unique<char[]>(size));
    std::memcpy(blocks_.front().get(), word, size);
    return blocks_.front().get();
  }
  if (size > block_left_) {
    blocks_.push_back(std::make_unique<char[]>(kBlockSize));
    block_ = blocks_.back().get();
    block_left_ = kBlockSize;
  }
  char* stored = block_;
  std::memcpy(stored, word, size);
  block_ += size;
  block_left_ -= size;
  return stored;
}

void WordTable::grow() {
  std::vector<std::uint64_t> slots(slots_.size() * 2, 0);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    const std::uint64_t hash = key(index).hash;
    std::size_t slot = hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = (hash >> 32 << 32) | (index + 1);
  }
  slots_.swap(slots);
}

}  // namespace subword
