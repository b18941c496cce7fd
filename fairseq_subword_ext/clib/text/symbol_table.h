// The symbols: base characters or bytes, and everything that merging builds from them.
//
// A symbol is its string: two pairs with the same concatenation make the same symbol. The end-of-word
// marker is a flag, not text, so a literal "</w>" in the input cannot be mistaken for it. Only the
// spelling, in which symbols are written and compared, shows the marker as "</w>".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/types.h"

namespace subword {

enum class Unit { kChar, kByte };

// How the end of a word is marked. Version 0.1 of the codes file uses a separate symbol; version 0.2 joins
// the marker to the last character. Byte text needs none, since its words start with the symbol of byte 32.
enum class Marker { kOwnSymbol, kJoined, kNone };

class SymbolTable {
 public:
  SymbolTable();

  // Returns the symbol of this text, adding it if it is new. `length` is its number of base symbols.
  SymbolId intern(std::string_view text, bool final, std::uint32_t length);
  // The symbol that merging two symbols makes.
  SymbolId intern_merged(SymbolId left, SymbolId right);

  std::size_t size() const { return symbols_.size(); }
  std::uint32_t length(SymbolId id) const { return lengths_[id]; }
  const std::string& spelling(SymbolId id) const { return symbols_[id].spelling; }

  // The first eight bytes of the spelling as a number that sorts like the bytes.
  std::uint64_t prefix(SymbolId id) const { return symbols_[id].prefix; }

  // Negative, zero or positive if the left spelling sorts before, equal to or after the right one. UTF-8
  // sorts in code-point order. Of two symbols spelled alike, the one with the real marker is greater.
  int compare(SymbolId left, SymbolId right) const;

 private:
  struct Symbol {
    std::string spelling;
    std::uint64_t prefix;
    bool final;
  };

  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> lengths_;
  std::unordered_map<std::string, SymbolId> by_key_;
};

}  // namespace subword
