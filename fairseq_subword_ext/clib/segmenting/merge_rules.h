// A merge table prepared for segmenting: symbols as numbers, pairs in a hash table.
//
// Symbols are strings here, in their on-disk spelling, exactly as in the codes file.
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
  std::uint32_t rank;  // kNone if there is no such rule
  SymbolId merged;
};

// A piece of a SentencePiece BPE model of byte text.
struct ScoredPiece {
  std::string_view spelling;
  float score;
  bool is_unused;  // may be an intermediate result, but not an output
};

using MergeList = std::vector<std::pair<std::string_view, std::string_view>>;

class MergeRules {
 public:
  // `merges` in order of rank; of repeated ones, the first counts. Throws InputError for an empty symbol, or
  // for more than kMostSymbols merges or symbols.
  MergeRules(const MergeList& merges, Unit unit, Marker marker);

  // The rules of a SentencePiece BPE model, with bytes as units: any two symbols whose concatenation is a
  // piece may merge, and the piece with the highest score goes first.
  explicit MergeRules(const std::vector<ScoredPiece>& pieces);

  static constexpr SymbolId kMostSymbols = 2'000'000;

  Rule find(SymbolId left, SymbolId right) const {
    const std::uint64_t pair = pair_key(left, right);
    const std::uint64_t hash = mix(pair, 1);
    // Most pairs have no rule. A bit set small enough to stay in the CPU cache rules out nearly all of them.
    const std::uint64_t maybe = hash >> kMaybeShift;
    if ((maybe_[maybe / 64] >> (maybe % 64) & 1) == 0) return {kNone, kNone};
    std::size_t slot = hash & mask_;
    while (slots_[slot].pair != pair && slots_[slot].pair != kFree) slot = (slot + 1) & mask_;
    return slots_[slot].rule;
  }

  // The base symbols of a word, and the offset where each one starts. A symbol that occurs in no rule becomes
  // known_symbols(), which merges with nothing.
  void base_symbols(std::string_view word, std::vector<SymbolId>* symbols,
                    std::vector<std::uint32_t>* starts) const;

  // Every symbol that base_symbols() may find, but known_symbols(), once each.
  std::vector<SymbolId> base_symbols() const;

  SymbolId known_symbols() const { return static_cast<SymbolId>(spellings_.size()); }
  std::string_view spelling(SymbolId id) const { return spellings_[id]; }

  // The rules in order of rank, unless they are scored.
  struct Merge {
    SymbolId left, right, merged;
  };
  const std::vector<Merge>& merges() const { return merges_; }

  // The symbol of a spelling, or kNone.
  SymbolId find_symbol(std::string_view spelling) const { return spellings_.find(spelling); }

  // The pair that makes a symbol, or {kNone, kNone}. If several do, the one of the lowest rank; a repeated
  // rule has the rank of its last repetition (as in subword-nmt).
  std::pair<SymbolId, SymbolId> parts(SymbolId id) const {
    return id < parts_.size() ? parts_[id] : std::pair<SymbolId, SymbolId>{kNone, kNone};
  }

  // Whether the rules come from a SentencePiece model. Such a model merges one pair at a time, the leftmost
  // of the best ones, and considers the pairs this makes before the next merge.
  bool are_scored() const { return are_scored_; }
  bool is_unused(SymbolId id) const { return id < unused_.size() && unused_[id]; }

  Unit unit() const { return unit_; }
  Marker marker() const { return marker_; }

 private:
  struct Slot {
    std::uint64_t pair;
    Rule rule;  // none if the slot is free
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr int kMaybeShift = 64 - 18;

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
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::vector<std::uint64_t> maybe_;  // a bit per hash prefix: whether any rule has it
  std::vector<Merge> merges_;
  bool are_scored_ = false;
  std::vector<char> unused_;  // by symbol
  // Symbols by character, without and with a joined marker, in pages; page 0 is for characters that are no
  // symbols. With bytes as units, bytes_ holds the symbols instead.
  static constexpr int kPageBits = 8;
  static constexpr std::size_t kPage = std::size_t{1} << kPageBits;
  std::vector<std::uint16_t> page_of_;
  std::vector<std::array<SymbolId, 2 * kPage>> pages_;
  std::array<SymbolId, 256> bytes_;
};

}  // namespace subword
