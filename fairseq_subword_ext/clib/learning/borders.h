// Decides which symbols of byte text may merge (--borders). A rule depends on the joined string alone, since
// symbols are strings. All it needs to know about a symbol is its length and one small number, its kind.
#pragma once

#include <cstdint>
#include <vector>

#include "text/symbol_table.h"
#include "text/types.h"

namespace subword {

enum class Borders {
  kNone,
  kSentencePiece,  // SentencePiece's splitting rules, on the printable stand-ins of the bytes
  kCharacter,      // a symbol is whole characters, or lies inside one
};

class BorderRules {
 public:
  // `symbols` must hold the 256 bytes as ids 1 to 256, unless `borders` is kNone.
  BorderRules(Borders borders, const SymbolTable* symbols);

  bool may_join(SymbolId left, SymbolId right) const {
    return borders_ == Borders::kNone || allowed(left, right);
  }

  // Records the kind of a merged symbol.
  void join(SymbolId left, SymbolId right, SymbolId merged);

 private:
  bool allowed(SymbolId left, SymbolId right) const;

  Borders borders_;
  const SymbolTable* symbols_;
  std::vector<std::uint8_t> kinds_;  // by symbol
};

}  // namespace subword
