// Description length gain (Kit & Wilks 1999; Wu & Zhao 2018, section 3.2), to the nearest 1/256 bit.
//
//   DL(X) = n log n - sum over symbols x of c(x) log c(x)
//   DLG(p) = DL(X) - DL(X[r -> s] (+) s)
//
// where replacing the m occurrences of p = (a, b) by the symbol s and appending s after a delimiter
// leaves n' = n - m + 3 symbols, with c'(a) = c(a) - m + 1, c'(b) = c(b) - m + 1 (c(a) - 2m + 2 where
// a = b), m times the new symbol and the delimiter once.
#pragma once

#include "text/types.h"

namespace subword {

struct DescriptionCounts {
  Count n;        // symbols in the corpus
  Count c_a, c_b;
  Count m;        // replacements, at least 1
  bool same;      // a = b
};

// 2^8 times the gain in bits, to the nearest integer. Exact but for errors below 2^-40 of a unit, so
// that neither the maths library nor the order of summation decides a tie.
WideScore description_length_gain(const DescriptionCounts& counts);

// The same in floating point, and a bound of its error; both in bits.
struct Approximation {
  double value;
  double error;
};
Approximation approximate_gain(const DescriptionCounts& counts);

// No pair that is replaced m times or fewer, now or after more merges, gains more than this (in units
// of 2^-8 bit). It follows from c(a), c(b) >= m, in which the gain falls, and from n' >= n for m < 3.
WideScore highest_gain(Count n, Count m);

// No pair that is replaced m times or fewer, now or after more merges, gains more than this per
// replacement (in units of 2^-8 bit).
WideScore highest_average_gain(Count n, Count m);

// No pair that is replaced three times or fewer gains as much, whatever the counts, now or later.
constexpr WideScore kFewReplacementsGain = -512;

}  // namespace subword
