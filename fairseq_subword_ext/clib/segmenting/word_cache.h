// Caches what is printed for words seen before. Memory is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/types.h"
#include "counting/word_key.h"

namespace subword {

class WordCache {
 public:
  // Printed text may be read this far beyond its end, since copying whole blocks is faster.
  static constexpr std::size_t kPadding = 16;
  static constexpr std::size_t kLongestWord = 256;
#ifdef SUBWORD_SMALL_CACHE  // for fuzzing: fills up soon, and is made in no time
  static constexpr std::size_t kMostWords = 32;
  static constexpr std::size_t kMostBytes = 2048;
#else
  static constexpr std::size_t kMostWords = std::size_t{1} << 19;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 25;
#endif

  WordCache();

  // Look-ups mostly wait for memory. A caller with many words should prefetch all their slots, then all their
  // entries, and only then call find().
  void prefetch_slot(const WordKey& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }
  void prefetch_entry(const WordKey& key) const {
    const std::uint32_t found = slots_[key.hash & mask_];
    if (found != 0) __builtin_prefetch(&entries_[(found & kIndexMask) - 1]);
  }

  // What is printed for the word; data() is null if the word is unknown. If the word is printed unchanged, as
  // most are, the result points to the key's word, which saves a memory access. Other results stay valid
  // until clear().
  std::string_view find(const WordKey& key) const;

  // Adds an unknown word. Does nothing if the word is too long or the cache is full.
  void add(const WordKey& key, std::string_view printed);

  // Whether to call clear() before looking up this many more words.
  bool is_full(std::size_t words) const { return no_room_ || words_ + words > kMostWords; }
  void clear();

 private:
  // For a long word, `tail` is its offset in text_.
  struct Entry {
    std::uint64_t head, tail;
    std::uint32_t place;  // offset of the printed text, or the text if it fits; kNone if it is the word
    std::uint16_t size, printed_size;
  };
  static constexpr std::size_t kShort = sizeof(Entry::place);
  // A slot is 0 if free; otherwise part of the hash and, in the low bits, an entry's index + 1.
  static constexpr int kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;

  static std::uint32_t tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 52) << kIndexBits;
  }
  std::uint64_t hash_of(const Entry& entry) const;
  std::uint32_t store(std::string_view text);
  void grow();

  // Both are allocated at full size; the system commits their pages only as they are used.
  std::unique_ptr<Entry[]> entries_;
  std::unique_ptr<char[]> text_;
  std::size_t words_ = 0;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> slots_;
  std::size_t mask_;
  bool no_room_ = false;
};

inline std::string_view WordCache::find(const WordKey& key) const {
  const std::uint32_t wanted = tag(key.hash);
  for (std::size_t slot = key.hash & mask_;; slot = (slot + 1) & mask_) {
    const std::uint32_t found = slots_[slot];
    if (found == 0) return {};
    if ((found & ~kIndexMask) != wanted) continue;
    const Entry& entry = entries_[(found & kIndexMask) - 1];
    if (entry.size != key.size || entry.head != key.head) continue;
    if (key.is_long() ? std::memcmp(text_.get() + entry.tail, key.word, key.size) != 0
                      : entry.tail != key.tail) {
      continue;
    }
    if (entry.place == kNone) return {key.word, key.size};
    if (entry.printed_size <= kShort) {
      return {reinterpret_cast<const char*>(&entry.place), entry.printed_size};
    }
    return {text_.get() + entry.place, entry.printed_size};
  }
}

}  // namespace subword
