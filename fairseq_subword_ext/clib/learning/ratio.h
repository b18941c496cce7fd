// A score that is an average, kept as a fraction of integers and compared exactly.
#pragma once

#include "text/types.h"

namespace subword {

struct Ratio {
  WideScore sum = 0;
  Count parts = 1;  // at least 1
};

namespace detail {

// The product of a 128-bit and a 63-bit number, as its high 128 bits and its low 64.
struct WideProduct {
  WideScore high;
  std::uint64_t low;
};

inline WideProduct multiply(WideScore value, Count factor) {
  const auto low = static_cast<Unsigned128>(static_cast<std::uint64_t>(value)) *
                   static_cast<std::uint64_t>(factor);
  const WideScore high = (value >> 64) * factor;  // 64 by 63 bits: cannot overflow
  return {high + static_cast<WideScore>(low >> 64), static_cast<std::uint64_t>(low)};
}

}  // namespace detail

// Negative, zero or positive if x is less than, equal to or greater than y.
inline int compare(const Ratio& x, const Ratio& y) {
  WideScore left, right;
  if (!__builtin_mul_overflow(x.sum, static_cast<WideScore>(y.parts), &left) &&
      !__builtin_mul_overflow(y.sum, static_cast<WideScore>(x.parts), &right)) {
    return left < right ? -1 : left > right;
  }
  const detail::WideProduct a = detail::multiply(x.sum, y.parts);
  const detail::WideProduct b = detail::multiply(y.sum, x.parts);
  if (a.high != b.high) return a.high < b.high ? -1 : 1;
  return a.low < b.low ? -1 : a.low > b.low;
}

inline bool operator==(const Ratio& x, const Ratio& y) { return compare(x, y) == 0; }
inline bool operator!=(const Ratio& x, const Ratio& y) { return compare(x, y) != 0; }
inline bool operator<(const Ratio& x, const Ratio& y) { return compare(x, y) < 0; }
inline bool operator>(const Ratio& x, const Ratio& y) { return compare(x, y) > 0; }

}  // namespace subword
