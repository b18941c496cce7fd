// Caches what is printed for words seen before, for all threads. Memory is bounded.
//
// Looking up takes no lock: an entry is complete before a slot refers to it, and nothing moves as long as the
// cache exists. A table of slots that has become too small stays behind for threads that still read it; they
// take newer words for unknown, which costs time and nothing else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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
  void prefetch_slot(const WordKey& key) const {
    const Slots& slots = current();
    __builtin_prefetch(&slots.all[key.hash & slots.mask]);
  }
  void prefetch_entry(const WordKey& key) const {
    const Slots& slots = current();
    const std::uint32_t found = slots.all[key.hash & slots.mask].load(std::memory_order_acquire);
    if (found != 0) __builtin_prefetch(&entries_[(found & kIndexMask) - 1]);
  }

  // What is printed for the word; data() is null if the word is unknown. If the word is printed unchanged, as
  // most are, the result points to the key's word, which saves a memory access. Other results stay valid as
  // long as the cache exists.
  std::string_view find(const WordKey& key) const;

  // Adds a word. Does nothing if the word is known, or too long, or the cache is full.
  void add(const WordKey& key, std::string_view printed);

  // Whether to use a new cache before looking up this many more words.
  bool is_full(std::size_t words) const {
    return no_room_.load(std::memory_order_relaxed) ||
           words_.load(std::memory_order_relaxed) + words > kMostWords;
  }

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
  struct Slots {
    explicit Slots(std::size_t size) : all(new std::atomic<std::uint32_t>[size]()), mask(size - 1) {}
    std::unique_ptr<std::atomic<std::uint32_t>[]> all;
    std::size_t mask;
  };

  const Slots& current() const { return *slots_.load(std::memory_order_acquire); }
  static void insert(const Slots& slots, std::uint64_t hash, std::size_t entry);
  std::uint64_t hash_of(const Entry& entry) const;
  std::uint32_t store(std::string_view text);
  void grow();

  // Both are allocated at full size; the system commits their pages only as they are used.
  std::unique_ptr<Entry[]> entries_;
  std::unique_ptr<char[]> text_;
  std::atomic<std::size_t> words_{0};
  std::atomic<bool> no_room_{false};
  std::atomic<const Slots*> slots_;
  std::mutex mutex_;  // held while a word is added
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<const Slots>> tables_;  // the last one is in use
};

// The cache in use, until it is full.
class SharedWordCache {
 public:
  std::shared_ptr<WordCache> get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!cache_) cache_ = std::make_shared<WordCache>();
    return cache_;
  }

  // Replaces a full cache, which lives on until no thread uses it, and returns the new one.
  std::shared_ptr<WordCache> replace(const std::shared_ptr<WordCache>& full) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cache_ == full) cache_ = std::make_shared<WordCache>();
    return cache_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<WordCache> cache_;
};

inline std::string_view WordCache::find(const WordKey& key) const {
  const std::uint32_t wanted = tag(key.hash);
  const Slots& slots = current();
  for (std::size_t slot = key.hash & slots.mask;; slot = (slot + 1) & slots.mask) {
    const std::uint32_t found = slots.all[slot].load(std::memory_order_acquire);
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
