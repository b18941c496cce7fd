#include "learning/description_length.h"

#include <algorithm>
#include <cmath>

namespace subword {

namespace {

double x_log_x(Count x) {
  const auto value = static_cast<double>(x);
  return x > 1 ? value * std::log2(value) : 0.0;
}

// Squares a 128-bit number. Returns the upper 128 bits of the result and the bit below them.
void square(Unsigned128 x, Unsigned128* high, bool* next_bit) {
  const auto low_half = static_cast<std::uint64_t>(x);
  const auto high_half = static_cast<std::uint64_t>(x >> 64);
  const Unsigned128 low = static_cast<Unsigned128>(low_half) * low_half;
  const Unsigned128 middle = static_cast<Unsigned128>(low_half) * high_half;
  const Unsigned128 top = static_cast<Unsigned128>(high_half) * high_half;
  // x^2 = top 2^128 + middle 2^65 + low
  const Unsigned128 shifted = middle << 65;
  const Unsigned128 sum = low + shifted;
  *high = top + (middle >> 63) + (sum < low ? 1 : 0);
  *next_bit = (sum >> 127) != 0;
}

// log2(x) with 120 fractional bits, one bit at a time: squaring the mantissa doubles its logarithm.
Unsigned128 fixed_log2(std::uint64_t x) {
  const int exponent = 63 - __builtin_clzll(x);
  Unsigned128 mantissa = static_cast<Unsigned128>(x) << (127 - exponent);
  Unsigned128 digits = 0;
  if ((x & (x - 1)) == 0) return static_cast<Unsigned128>(exponent) << 120;
  for (int i = 0; i < 120; ++i) {
    Unsigned128 high;
    bool next_bit;
    square(mantissa, &high, &next_bit);
    const bool at_least_two = (high >> 127) != 0;
    digits = digits << 1 | (at_least_two ? 1 : 0);
    mantissa = at_least_two ? high : (high << 1 | (next_bit ? 1 : 0));
  }
  return (static_cast<Unsigned128>(exponent) << 120) | digits;
}

// x log2(x) with 56 fractional bits.
WideScore fixed_x_log_x(Count x) {
  if (x <= 1) return 0;
  const auto factor = static_cast<std::uint64_t>(x);
  const Unsigned128 log = fixed_log2(factor);
  const Unsigned128 high = static_cast<Unsigned128>(factor) * static_cast<std::uint64_t>(log >> 64);
  const Unsigned128 low = static_cast<Unsigned128>(factor) * static_cast<std::uint64_t>(log);
  return static_cast<WideScore>(high + (low >> 64));
}

struct After {
  Count n, c_a, c_b;  // if a = b, c_b is 0 and adds nothing
};

After after_replacing(const DescriptionCounts& counts) {
  if (counts.same) return {counts.n - counts.m + 3, counts.c_a - 2 * counts.m + 2, 0};
  return {counts.n - counts.m + 3, counts.c_a - counts.m + 1, counts.c_b - counts.m + 1};
}

WideScore exact_gain(const DescriptionCounts& counts) {
  const After after = after_replacing(counts);
  const WideScore before_symbols =
      fixed_x_log_x(counts.c_a) + (counts.same ? 0 : fixed_x_log_x(counts.c_b));
  const WideScore bits = fixed_x_log_x(counts.n) - fixed_x_log_x(after.n) - before_symbols +
                         fixed_x_log_x(after.c_a) + fixed_x_log_x(after.c_b) +
                         fixed_x_log_x(counts.m);
  return (bits + (WideScore{1} << 47)) >> 48;
}

}  // namespace

Approximation approximate_gain(const DescriptionCounts& counts) {
  const After after = after_replacing(counts);
  const double whole = x_log_x(counts.n);
  const double value = (whole - x_log_x(after.n)) -
                       (x_log_x(counts.c_a) - x_log_x(after.c_a)) -
                       (counts.same ? 0.0 : x_log_x(counts.c_b) - x_log_x(after.c_b)) +
                       x_log_x(counts.m);
  // Every term is at most `whole` and accurate to a few units in the last place.
  return {value, (whole + 64.0) * 0x1p-48};
}

WideScore description_length_gain(const DescriptionCounts& counts) {
  const Approximation bits = approximate_gain(counts);
  const double units = bits.value * 256.0;
  const double error = bits.error * 256.0;
  const double nearest = std::nearbyint(units);
  if (0.5 - std::fabs(units - nearest) > error) return static_cast<WideScore>(nearest);
  return exact_gain(counts);
}

WideScore highest_gain(Count n, Count m) {
  // As a function of m, the bound rises up to (n + 3) / 2.
  m = std::max<Count>(std::min(m, (n + 3) / 2), 3);
  const double whole = x_log_x(n);
  const double bits = whole - x_log_x(n - m + 3) - x_log_x(m);
  return static_cast<WideScore>(std::ceil((bits + (whole + 64.0) * 0x1p-48) * 256.0)) + 1;
}

WideScore highest_average_gain(Count n, Count m) {
  // The gain falls in c(a) and c(b), so it is greatest at c(a) = c(b) = m. By the mean value theorem, it is
  // then at most (m - 3) slope - m log m. Divided by m, that rises up to m = 3 slope ln 2 and falls after.
  constexpr double kLn2 = 0.69314718055994531;
  const double slope = std::log2(static_cast<double>(n)) + 1.0 / kLn2;
  const double at = std::max(std::min(static_cast<double>(m), 3.0 * slope * kLn2), 3.0);
  const double bits = (1.0 - 3.0 / at) * slope - std::log2(at);
  return static_cast<WideScore>(std::ceil(bits * 256.0)) + 2;
}

}  // namespace subword
