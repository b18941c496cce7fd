// The symbols: characters or bytes at first, and what merging has made of them.
//
// Symbols are strings: two pairs with the same concatenation make the same symbol. The end-of-word
// marker is no string inside: text that holds a literal "</w>" cannot be confused with it. Only the
// spelling, in which symbols are written and compared, shows it as "</w>".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/types.h"

namespace subword {

enum class Unit { kChar, kByte };

// How the end of a word is marked: 0.1 as a symbol of its own, 0.2 joined to the last character,
// and with bytes not at all: there a word starts with the symbol of byte 32.
enum class Marker { kOwnSymbol, kJoined, kNone };

class SymbolTable {
 public:
  SymbolTable();

  // The symbol of this text, made where there is none yet. `length` is its number of base symbols.
  SymbolId intern(std::string_view text, bool final, std::uint32_t length);
  SymbolId intern_merged(SymbolId left, SymbolId right);

  std::size_t size() const { return symbols_.size(); }
  std::uint32_t length(SymbolId id) const { return lengths_[id]; }
  const std::string& spelling(SymbolId id) const { return symbols_[id].spelling; }

  // The first eight bytes of the spelling as a number that orders as the bytes do.
  std::uint64_t prefix(SymbolId id) const { return symbols_[id].prefix; }

  // Below, equal or above zero as the left spelling comes before, at or after the right one. UTF-8
  // orders as code points do. Of two symbols spelled alike the one with the real marker is greater.
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
