// A merge table made ready for applying: symbols as numbers, pairs by hash.
//
// Symbols are strings here, in their on-disk spelling, exactly as the codes file has them.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "text/hash.h"
#include "segmenting/spelling_table.h"
#include "text/symbol_table.h"
#include "text/types.h"

namespace subword {

struct Rule {
  std::uint32_t rank;  // kNone: there is no such rule
  SymbolId merged;
};

// A piece of a SentencePiece BPE model of byte text.
struct ScoredPiece {
  std::string_view spelling;
  float score;
  bool is_unused;  // may be merged to, but not come out
};

using MergeList = std::vector<std::pair<std::string_view, std::string_view>>;

class MergeRules {
 public:
  // The rules by rank; of equal ones the first counts. Throws InputError for an empty symbol, and for more
  // than kMostSymbols.
  MergeRules(const MergeList& merges, Unit unit, Marker marker);

  // The rules of a SentencePiece BPE model, units being bytes: any two symbols whose concatenation is a
  // piece merge, those of the highest score first.
  explicit MergeRules(const std::vector<ScoredPiece>& pieces);

  static constexpr SymbolId kMostSymbols = 2'000'000;

  Rule find(SymbolId left, SymbolId right) const {
    const std::uint64_t pair = packed(left, right);
    const std::uint64_t hash = mix(pair, 1);
    // Most pairs have no rule; a few thousand bytes that stay in the cache know that of nearly all.
    const std::uint64_t maybe = hash >> kMaybeShift;
    if ((maybe_[maybe / 64] >> (maybe % 64) & 1) == 0) return {kNone, kNone};
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const std::uint64_t found = slots_[slot];
      if (found >> kRuleBits == pair) {
        return rules_[found & ((1u << kRuleBits) - 1)];
      }
      if (found == kFree) return {kNone, kNone};
    }
  }

  // The base symbols of a word, and where in the word each one starts. A symbol that no rule knows is
  // known_symbols(), which merges with nothing.
  void base_symbols(std::string_view word, std::vector<SymbolId>* symbols,
                    std::vector<std::uint32_t>* starts) const;

  SymbolId known_symbols() const { return static_cast<SymbolId>(spellings_.size()); }
  std::string_view spelling(SymbolId id) const { return spellings_[id]; }

  // The symbol of a spelling, or kNone.
  SymbolId find_symbol(std::string_view spelling) const { return spellings_.find(spelling); }

  // The pair that a symbol is made of, or {kNone, kNone}. Where several make it, the one of the lowest
  // rank, ranks of repeated rules being those of their last repetition (as in subword-nmt).
  std::pair<SymbolId, SymbolId> parts(SymbolId id) const {
    return id < parts_.size() ? parts_[id] : std::pair<SymbolId, SymbolId>{kNone, kNone};
  }

  // Whether the rules are those of a SentencePiece model: it merges one pair at a time, the leftmost of the
  // best ones, and looks at what that makes before it goes on.
  bool are_scored() const { return are_scored_; }
  bool is_unused(SymbolId id) const { return id < unused_.size() && unused_[id]; }

  Unit unit() const { return unit_; }
  Marker marker() const { return marker_; }

 private:
  // A slot is a pair and, in the low bits, its rule's number, so that eight of them lie in a line of the cache.
  static constexpr int kSymbolBits = 21;
  static constexpr int kRuleBits = 64 - 2 * kSymbolBits;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static_assert(kMostSymbols < (1u << kSymbolBits) - 1 && kMostSymbols < (1u << kRuleBits));
  static constexpr int kMaybeShift = 64 - 18;

  static std::uint64_t packed(SymbolId left, SymbolId right) {
    return static_cast<std::uint64_t>(left) << kSymbolBits | right;
  }

  void make_room(std::size_t rules);
  std::size_t add_rule(SymbolId left, SymbolId right, Rule rule);
  void add(const MergeList& merges);
  void number_base_symbols();
  SymbolId base_symbol(char32_t character, bool final) const {
    return pages_[page_of_[character >> kPageBits]][(character & (kPage - 1)) * 2 + final];
  }

  Unit unit_;
  Marker marker_;
  SpellingTable spellings_;
  std::vector<std::pair<SymbolId, SymbolId>> parts_;
  std::vector<std::uint64_t> slots_;
  std::size_t mask_ = 0;
  std::vector<std::uint64_t> maybe_;  // bits by the first ones of a hash: may a rule have it?
  std::vector<Rule> rules_;
  bool are_scored_ = false;
  std::vector<char> unused_;  // by symbol
  // Symbols by character, without and with a joined marker, in pages; the first one is of characters
  // that are no symbols. Or by byte.
  static constexpr int kPageBits = 8;
  static constexpr std::size_t kPage = std::size_t{1} << kPageBits;
  std::vector<std::uint16_t> page_of_;
  std::vector<std::array<SymbolId, 2 * kPage>> pages_;
  std::array<SymbolId, 256> bytes_;
};

}  // namespace subword
