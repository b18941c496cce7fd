// Random numbers that are the same on every platform and for any number of threads: each line gets its own
// generator, made from the seed and the line number (SplitMix64; Steele, Lea & Flood 2014).
#pragma once

#include <cstdint>

#include "text/hash.h"

namespace subword {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t line) : state_(mix(seed + 1, line + 1)) {}

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace subword
