// The word types as symbol sequences, in one array of cells that merging rewrites in place.
//
// Every base symbol of every type has a cell, and a boundary cell stands before and after each type. A
// symbol of n base symbols spans n cells. Its first and last cell hold its id, so the neighbours on both
// sides are found without links or scans. When a merge puts the start of a symbol inside a larger one, the
// cell of that start becomes kInside, so two look-ups tell whether a remembered position of a pair is still
// valid. (They cannot be fooled: overlapping spans are nested, so no symbol ends where an equally long one
// starts.)
//
// The boundary after a type holds its frequency. It mostly lies in the cache line of the symbols, where a
// table of frequencies would cost another access to memory.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <vector>

#include "text/symbol_table.h"
#include "text/types.h"
#include "counting/word_counter.h"

namespace subword {

using Cell = std::uint32_t;
constexpr Cell kBoundaryBit = Cell{1} << 31;
constexpr Cell kInside = kBoundaryBit - 1;  // no symbol has this id

inline bool is_boundary(Cell cell) { return (cell & kBoundaryBit) != 0; }
inline SymbolId symbol_of(Cell cell) { return is_boundary(cell) ? kBoundary : cell; }

class Corpus {
 public:
  // Throws InputError if there are no words, or too many symbols for 32-bit positions.
  Corpus(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt);

  // The word type of the symbol that starts at this position.
  TypeId type_at(Position at) const {
#ifdef __SSE2__
    for (;; at += kStep) {
      const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&cells_[at]));
      const int boundaries = _mm_movemask_ps(_mm_castsi128_ps(four));  // one bit for each of the four
      if (boundaries != 0) return at + static_cast<Position>(__builtin_ctz(boundaries));
    }
#else
    while (!is_boundary(cells_[at])) ++at;
    return at;
#endif
  }

  // f(w).
  Count frequency(TypeId type) const {
    const Cell count = cells_[type] & ~kBoundaryBit;
    return count < kLarge ? count : large_[count - kLarge];
  }

  SymbolTable& symbols() { return symbols_; }
  const SymbolTable& symbols() const { return symbols_; }
  // Base symbols have the ids from 1 up to, but not including, this one.
  SymbolId base_end() const { return base_end_; }

  // c(x) of each base symbol before any merge, by symbol.
  const std::vector<Count>& base_counts() const { return base_counts_; }

  Cell* cells() { return cells_.data(); }
  const Cell* cells() const { return cells_.data(); }
  // The position after the last boundary.
  Position end() const { return end_; }

 private:
  void add_symbol(SymbolId symbol, Count frequency);
  void add_boundary(Count frequency);

  // Frequencies from this one on are kept in large_; the boundary holds kLarge plus their index.
  static constexpr Cell kLarge = Cell{1} << 30;
  static constexpr Position kStep = 4;  // cells that type_at() reads at a time

  std::vector<Cell> cells_;  // and kStep more boundaries
  std::vector<Count> large_;
  Position end_ = 0;
  std::vector<Count> base_counts_;
  SymbolTable symbols_;
  SymbolId base_end_ = 0;
};

}  // namespace subword
