// Fixed-width types shared by the whole core, and the exceptions that cross its border into Python.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace subword {

using SymbolId = std::uint32_t;  // index into SymbolTable; 0 is the word boundary
using PairId = std::uint32_t;    // index into PairStore
using TypeId = std::uint32_t;    // position of the boundary after a word type
using Position = std::uint32_t;  // index of a corpus cell, in text order
using Count = std::int64_t;      // anything weighted by word frequency

// Products of two counts, and description lengths in fractions of a bit, can exceed 64 bits.
__extension__ typedef __int128 WideScore;
__extension__ typedef unsigned __int128 Unsigned128;

constexpr SymbolId kBoundary = 0;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Unusable input from the user; becomes Python's ValueError.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Unusable input in one line of a text, counted from 1; becomes Python's LineError.
class LineError : public InputError {
 public:
  LineError(Count line, const std::string& problem) : InputError(problem), line_(line) {}
  Count line() const { return line_; }

 private:
  Count line_;
};

// Called regularly during long calls; throws to stop them (Ctrl-C). May be empty.
using Interrupt = std::function<void()>;

inline void poll(const Interrupt& interrupt) {
  if (interrupt) interrupt();
}

}  // namespace subword
