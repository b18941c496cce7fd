// Description length gain (Kit & Wilks 1999; Wu & Zhao 2018, section 3.2), to the nearest 1/256 bit.
//
//   DL(X) = n log n - sum over symbols x of c(x) log c(x)
//   DLG(p) = DL(X) - DL(X[r -> s] (+) s)
//
// Here s = ab is the string of p = (a, b) and r a new symbol: the second term is the length after replacing
// the m occurrences of s by r and appending a delimiter and s. That leaves n' = n - m + 3 symbols:
// c'(a) = c(a) - m + 1, c'(b) = c(b) - m + 1 (or c'(a) = c(a) - 2m + 2 if a = b), r itself m times, and the
// delimiter once.
#pragma once

#include "text/types.h"

namespace subword {

struct DescriptionCounts {
  Count n;        // symbols in the corpus
  Count c_a, c_b;
  Count m;        // replacements, at least 1
  bool same;      // a = b
};

// The gain in units of 2^-8 bit, rounded to the nearest integer. The error before rounding is below 2^-40 of
// a unit, so neither the math library nor the order of summation decides a tie.
WideScore description_length_gain(const DescriptionCounts& counts);

// The gain in floating point and a bound on its error, both in bits.
struct Approximation {
  double value;
  double error;
};
Approximation approximate_gain(const DescriptionCounts& counts);

// Upper bound on the gain, in units of 2^-8 bit, of any pair replaced at most m times, now or after more
// merges. It holds because the gain falls in c(a), c(b) >= m, and because n' >= n for m < 3.
WideScore highest_gain(Count n, Count m);

// Upper bound on the gain per replacement, in units of 2^-8 bit, of any pair replaced at most m times, now or
// after more merges.
WideScore highest_average_gain(Count n, Count m);

// No pair replaced at most three times ever gains this much, whatever the counts.
constexpr WideScore kFewReplacementsGain = -512;

}  // namespace subword
