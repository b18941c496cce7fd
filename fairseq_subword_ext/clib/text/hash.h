// Hash functions for byte strings and pairs of ids.
//
// Fast rather than strong. Hash values never decide an order, so no output depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "text/types.h"

namespace subword {

// Hashes two numbers: the halves of their 128-bit product, combined.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Unsigned128 product = static_cast<Unsigned128>(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD6E8FEB86659FD93u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load64(const char* data) {
  std::uint64_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

inline std::uint64_t hash_bytes(const char* data, std::size_t size) {
  std::uint64_t state = size;
  while (size >= 8) {
    state = mix(state, load64(data));
    data += 8;
    size -= 8;
  }
  std::uint64_t rest = 0;
  if (size > 0) std::memcpy(&rest, data, size);
  return mix(state, rest);
}

inline std::uint64_t pair_key(SymbolId left, SymbolId right) {
  return (static_cast<std::uint64_t>(left) << 32) | right;
}

}  // namespace subword
