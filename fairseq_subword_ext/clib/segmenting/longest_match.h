// Applies a merge table to a word in linear time.
//
// The result of merging is the only sequence of symbols in which no two neighbours would have merged across
// their border. So it can be found from left to right: take the longest symbol that matches the text and does
// not merge with the symbol before, and go back to a shorter one where nothing fits. No merge is carried out.
#pragma once

#include <cstdint>
#include <vector>

#include "segmenting/merge_rules.h"
#include "text/types.h"

namespace subword {

// Scratch memory, one per thread.
struct MatchScratch {
  std::vector<SymbolId> symbols;
  std::vector<std::uint32_t> places;
  std::vector<std::uint64_t> dead;  // a bit per place: nothing fits from there on
};

class LongestMatch {
 public:
  explicit LongestMatch(const MergeRules& rules);

  // Whether segment() may be used. It may not if a rule comes before the rules that make its symbols, or if two
  // rules make one symbol, as in tables that were edited by hand; nor if the rules are scored.
  bool is_usable() const { return is_usable_; }

  // Replaces a word's base symbols, and the offsets where they start, with those of the merged symbols.
  void segment(const MergeRules& rules, std::vector<SymbolId>* symbols, std::vector<std::uint32_t>* starts,
               MatchScratch* scratch) const;

 private:
  // How a symbol is made. Ranks are counted from 1; 0 means that it is a base symbol.
  struct Origin {
    std::uint32_t rank;
    SymbolId left, right;
  };
  struct Match {
    std::uint32_t length;  // in base symbols
    SymbolId shorter;      // longest symbol that is a proper prefix, or kNone
  };
  // A node of the trie of all symbols, as a double array: the child for code c is at base + c, if that node
  // has this one as its parent. Small, since walking the trie mostly waits for memory.
  struct Node {
    std::uint32_t parent = kNone;
    std::uint32_t base : 31;
    std::uint32_t ends_symbol : 1;
    Node() : base(0), ends_symbol(0) {}
  };
  struct Found {
    SymbolId symbol;
    std::uint32_t length;
  };
  class Builder;

  bool build(const MergeRules& rules);
  bool merge_across(const MergeRules& rules, SymbolId left, SymbolId right, std::uint32_t most) const;
  Found longest(const SymbolId* text, const SymbolId* end) const;

  bool is_usable_ = false;
  std::vector<Origin> origins_;       // by symbol, as are the next two
  std::vector<Match> matches_;
  std::vector<std::uint32_t> codes_;  // of base symbols, dense
  std::vector<Node> nodes_;
  std::vector<SymbolId> ends_;        // by node: the symbol that ends there
};

}  // namespace subword
