// The word types as symbol sequences, in one array of cells that merging rewrites in place.
//
// Every base symbol of every type has a cell, and a boundary cell stands before and after each type. A
// symbol of n base symbols spans n cells. Its first and last cell hold its id, so the neighbours on both
// sides are found without links or scans. When a merge puts the start of a symbol inside a larger one, the
// cell of that start becomes kNone, so two look-ups tell whether a remembered position of a pair is still
// valid. (They cannot be fooled: overlapping spans are nested, so no symbol ends where an equally long one
// starts.)
#pragma once

#include <vector>

#include "text/symbol_table.h"
#include "text/types.h"
#include "counting/word_counter.h"

namespace subword {

struct Cell {
  SymbolId symbol;
  TypeId type;
};

class Corpus {
 public:
  // Throws InputError if there are no words, or too many symbols for 32-bit positions.
  Corpus(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt);

  // f(w), by word type.
  Count frequency(TypeId type) const { return frequencies_[type]; }
  const std::vector<Count>& frequencies() const { return frequencies_; }
  std::size_t types() const { return frequencies_.size(); }

  SymbolTable& symbols() { return symbols_; }
  const SymbolTable& symbols() const { return symbols_; }
  // Base symbols have the ids from 1 up to, but not including, this one.
  SymbolId base_end() const { return base_end_; }

  // c(x) of each base symbol before any merge, by symbol.
  const std::vector<Count>& base_counts() const { return base_counts_; }

  std::vector<Cell>& cells() { return cells_; }
  const std::vector<Cell>& cells() const { return cells_; }

 private:
  void add_cell(SymbolId symbol, TypeId type);

  std::vector<Cell> cells_;
  std::vector<Count> base_counts_;
  std::vector<Count> frequencies_;
  SymbolTable symbols_;
  SymbolId base_end_ = 0;
};

}  // namespace subword
