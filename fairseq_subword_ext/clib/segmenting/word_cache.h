// Caches what is printed for words seen before, for all threads. Memory is bounded.
//
// A word and what is printed for it lie side by side, since looking up mostly waits for memory. Looking up takes
// no lock: an entry is complete before a slot refers to it, and nothing moves as long as the cache exists. A table of slots that has become too small stays behind for threads that still read it; they
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
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 26;
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
    if (found == 0) return;
    const char* const entry = entry_at(found);
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + 2 * kAlignment);  // most entries end there or before
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
  // Followed by the word, if it is long, and by the printed text, unless that is the word.
  struct Entry {
    std::uint64_t head, tail;
    std::uint16_t size, printed_size;  // kItself if the word is printed unchanged
  };
  static constexpr std::size_t kTextAt = 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint16_t);
  static constexpr std::uint16_t kItself = 0xFFFF;
  static constexpr std::size_t kAlignment = 16;
  // A slot is 0 if free; otherwise part of the hash and, in the low bits, an entry's offset in units of the
  // alignment, plus 1.
  static constexpr int kPlaceBits = 23;
  static constexpr std::uint32_t kPlaceMask = (1u << kPlaceBits) - 1;
  static_assert(kMostBytes / kAlignment < kPlaceMask);

  static std::uint32_t tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> (32 + kPlaceBits)) << kPlaceBits;
  }
  struct Slots {
    explicit Slots(std::size_t size) : all(new std::atomic<std::uint32_t>[size]()), mask(size - 1) {}
    std::unique_ptr<std::atomic<std::uint32_t>[]> all;
    std::size_t mask;
  };

  const Slots& current() const { return *slots_.load(std::memory_order_acquire); }
  const char* entry_at(std::uint32_t slot) const {
    return entries_.get() + ((slot & kPlaceMask) - 1) * kAlignment;
  }
  static Entry read(const char* entry) {
    Entry read;
    std::memcpy(&read, entry, kTextAt);
    return read;
  }
  static std::size_t size_of(const Entry& entry);
  static void insert(const Slots& slots, std::uint64_t hash, std::size_t place);
  static std::uint64_t hash_of(const Entry& entry);
  void grow();

  // Allocated at full size; the system commits its pages only as they are used.
  std::unique_ptr<char[]> entries_;
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
    if ((found & ~kPlaceMask) != wanted) continue;
    const char* const place = entry_at(found);
    const Entry entry = read(place);
    if (entry.size != key.size || entry.head != key.head || entry.tail != key.tail) continue;
    const char* text = place + kTextAt;
    if (key.is_long()) {
      if (std::memcmp(text, key.word, key.size) != 0) continue;
      text += key.size;
    }
    if (entry.printed_size == kItself) return {key.word, key.size};
    return {text, entry.printed_size};
  }
}

}  // namespace subword
