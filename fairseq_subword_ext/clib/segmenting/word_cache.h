// Remembers what is printed for the words met before. Memory is bounded.
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
  // Printed text may be read so far beyond its end, since whole blocks are copied faster.
  static constexpr std::size_t kPadding = 16;
  static constexpr std::size_t kLongestWord = 256;
  static constexpr std::size_t kMostWords = std::size_t{1} << 19;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 25;

  WordCache();

  // Memory is what looking up takes its time for. Who has many words at hand asks for all their slots
  // first, then for all their entries, and finds both at hand then.
  void prefetch_slot(const WordKey& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }
  void prefetch_entry(const WordKey& key) const {
    const std::uint32_t found = slots_[key.hash & mask_];
    if (found != 0) __builtin_prefetch(&entries_[(found & kIndexMask) - 1]);
  }

  // What is printed for the word; its data is null where the word is not known. Where that is the word
  // itself, as for most, it is not read from memory but pointed to where the key has it. The rest stays
  // where it is until clear().
  std::string_view find(const WordKey& key) const;

  // Remembers a word that is not known; not one that is too long, nor any more where the cache is full.
  void add(const WordKey& key, std::string_view printed);

  // Whether the time has come to forget, before so many more words are looked up.
  bool is_full(std::size_t words) const { return no_room_ || words_ + words > kMostWords; }
  void clear();

 private:
  // Of a long word, `tail` is its place in the text.
  struct Entry {
    std::uint64_t head, tail;
    std::uint32_t place;  // of what is printed, or up to kShort bytes of it; kNone where that is the word
    std::uint16_t size, printed_size;
  };
  static constexpr std::size_t kShort = sizeof(Entry::place);
  // A slot is 0 or part of a hash and, in the low bits, an entry's index + 1.
  static constexpr int kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;

  static std::uint32_t tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 52) << kIndexBits;
  }
  std::uint64_t hash_of(const Entry& entry) const;
  std::uint32_t store(std::string_view text);
  void grow();

  // Both have all the room they may need, which the system gives page by page as it is used.
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
