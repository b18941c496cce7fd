// The word types as sequences of symbols, in one array of cells that merging rewrites in place.
//
// Every base symbol of every type has a cell, with a boundary cell before and after each type. A
// symbol of n base symbols takes n cells; its first and its last one name it, so that its
// neighbours on both sides are found without links or scans. A cell in which a symbol started that
// has since become the inside of a larger one is kNone, so a position remembered for a pair can be
// checked in two look-ups. (What cannot be confused: two spans that overlap are nested, so no symbol
// ends where an equally long one starts.)
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
  // Throws InputError where there is no word at all, or too much for 32-bit positions.
  Corpus(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt);

  Count frequency(TypeId type) const { return frequencies_[type]; }
  const std::vector<Count>& frequencies() const { return frequencies_; }
  std::size_t types() const { return frequencies_.size(); }

  SymbolTable& symbols() { return symbols_; }
  const SymbolTable& symbols() const { return symbols_; }
  // Base symbols come before all others: ids from 1 up to and without this one.
  SymbolId base_end() const { return base_end_; }

  // c(x) of the base symbols before any merge, by symbol.
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
