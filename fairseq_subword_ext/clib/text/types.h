// The fixed-width types that every part of the core shares, and the one exception of its border.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace subword {

using SymbolId = std::uint32_t;  // index into SymbolTable; 0 is the word boundary
using PairId = std::uint32_t;    // index into PairStore
using TypeId = std::uint32_t;    // index of a word type, in order of first occurrence
using Position = std::uint32_t;  // index of a cell of the corpus; the order is the text's
using Count = std::int64_t;      // anything weighted by word frequencies

// Products of two counts, and description lengths in fractions of a bit, exceed 64 bits.
__extension__ typedef __int128 WideScore;
__extension__ typedef unsigned __int128 Unsigned128;

constexpr SymbolId kBoundary = 0;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// What the user gave cannot be used; becomes Python's ValueError.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The same of one line of a text, counted from 1; becomes Python's LineError.
class LineError : public InputError {
 public:
  LineError(Count line, const std::string& problem) : InputError(problem), line_(line) {}
  Count line() const { return line_; }

 private:
  Count line_;
};

// Called now and then in long calls; throws to stop them (Ctrl-C). May be empty.
using Interrupt = std::function<void()>;

inline void poll(const Interrupt& interrupt) {
  if (interrupt) interrupt();
}

}  // namespace subword
