// Lookup keys for word tables. Most words are so short that their bytes fit into two integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "text/hash.h"

namespace subword {

// Keys hold bytes in memory order, and the masks below assume that the first byte is the lowest.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "big-endian machines are not supported");

struct WordKey {
  static constexpr std::size_t kInline = 16;
  // Number of bytes after a word that must be readable when its key is made.
  static constexpr std::size_t kPadding = kInline;

  const char* word;
  std::size_t size;
  // The bytes of a word of up to kInline bytes, padded with zeros; for a longer word, its hash and 0.
  std::uint64_t head, tail;
  std::uint64_t hash;

  bool is_long() const { return size > kInline; }
};

// Nonzero if any byte of `word` equals `byte`. Only the bits up to and including the first match are exact.
inline std::uint64_t bytes_equal(std::uint64_t word, unsigned char byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const std::uint64_t difference = word ^ (kOnes * byte);
  return (difference - kOnes) & ~difference & (kOnes << 7);
}

// Sets the high bit of every byte of `word` that equals `byte`, and no other bit.
inline std::uint64_t all_bytes_equal(std::uint64_t word, unsigned char byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kLow = kOnes * 0x7F;
  const std::uint64_t difference = word ^ (kOnes * byte);
  return ~(((difference & kLow) + kLow) | difference | kLow);
}

// Packs the high bits of eight bytes into eight bits, the first byte's lowest. All other bits must be 0.
inline std::uint64_t gather_high_bits(std::uint64_t word) {
  return ((word >> 7) * 0x0102040810204080u) >> 56;
}

// The first `size` bytes (0 to 8) of eight loaded at once.
inline std::uint64_t first_bytes(std::uint64_t loaded, std::size_t size) {
  return size == 0 ? 0 : loaded & (~std::uint64_t{0} >> (64 - 8 * size));
}

inline std::uint64_t hash_inline(std::uint64_t head, std::uint64_t tail, std::size_t size) {
  return mix(head ^ size, tail);
}

// Masks by word size: which of the first eight bytes, and of the next eight, belong to the word.
struct ByteMasks {
  std::uint64_t head[WordKey::kInline + 1] = {};
  std::uint64_t tail[WordKey::kInline + 1] = {};
  constexpr ByteMasks() {
    for (std::size_t size = 1; size <= WordKey::kInline; ++size) {
      const std::uint64_t one_more = head[size - 1] << 8 | 0xFF;
      head[size] = size <= 8 ? one_more : head[8];
      tail[size] = size <= 8 ? 0 : tail[size - 1] << 8 | 0xFF;
    }
  }
};
inline constexpr ByteMasks kByteMasks;

inline WordKey long_word_key(const char* word, std::size_t size) {
  const std::uint64_t hash = hash_bytes(word, size);
  return {word, size, hash, 0, hash};
}

inline WordKey word_key(const char* word, std::size_t size) {
  if (size > WordKey::kInline) return long_word_key(word, size);
  // Masks come from a table because branches on word lengths are mispredicted.
  const std::uint64_t head = load64(word) & kByteMasks.head[size];
  const std::uint64_t tail = load64(word + 8) & kByteMasks.tail[size];
  return {word, size, head, tail, hash_inline(head, tail, size)};
}

// Fills in the key of the word that starts at `word` and ends before the next U+0020, which must exist.
// Writes field by field, because copying a key right after making it costs more than making it.
inline void read_word(const char* word, WordKey* key) {
  std::uint64_t head = load64(word);
  std::uint64_t tail = 0;
  std::size_t size;
  if (const std::uint64_t spaces = bytes_equal(head, ' '); spaces != 0) {
    size = static_cast<std::size_t>(__builtin_ctzll(spaces)) / 8;
    head = first_bytes(head, size);
  } else {
    tail = load64(word + 8);
    if (const std::uint64_t more = bytes_equal(tail, ' '); more != 0) {
      const std::size_t rest = static_cast<std::size_t>(__builtin_ctzll(more)) / 8;
      tail = first_bytes(tail, rest);
      size = 8 + rest;
    } else {
      const char* end = word + WordKey::kInline;
      std::uint64_t found;
      while ((found = bytes_equal(load64(end), ' ')) == 0) end += 8;
      size = static_cast<std::size_t>(end - word) + static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
      if (size > WordKey::kInline) {
        head = hash_bytes(word, size);
        tail = 0;
      }
    }
  }
  key->word = word;
  key->size = size;
  key->head = head;
  key->tail = tail;
  key->hash = size > WordKey::kInline ? head : hash_inline(head, tail, size);
}

}  // namespace subword
