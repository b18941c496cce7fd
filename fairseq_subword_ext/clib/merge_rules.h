// A merge table made ready for applying: symbols as numbers, pairs by hash.
//
// Symbols are strings here, in their on-disk spelling, exactly as the codes file has them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hash.h"
#include "symbol_table.h"
#include "types.h"

namespace subword {

struct Rule {
  std::uint32_t rank;  // kNone: there is no such rule
  SymbolId merged;
};

class MergeRules {
 public:
  // The rules by rank; of equal ones the first counts.
  MergeRules(const std::vector<std::pair<std::string, std::string>>& merges, Unit unit, Marker marker);

  Rule find(SymbolId left, SymbolId right) const {
    const std::uint64_t key = pair_key(left, right);
    const std::uint64_t hash = mix(key, 1);
    // Most pairs have no rule; a few thousand bytes that stay in the cache know that of nearly all.
    if (!maybe_[hash >> kMaybeShift]) return {kNone, kNone};
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key) return slots_[slot].rule;
      if (slots_[slot].key == kFree) return {kNone, kNone};
    }
  }

  // The base symbols of a word, and where in the word each one starts. A symbol that no rule knows
  // gets a number of its own from known_symbols() on, so that it merges with nothing.
  void base_symbols(std::string_view word, std::vector<SymbolId>* symbols,
                    std::vector<std::uint32_t>* starts) const;

  SymbolId known_symbols() const { return static_cast<SymbolId>(spellings_.size()); }
  const std::string& spelling(SymbolId id) const { return spellings_[id]; }

  // The symbol of a spelling, or kNone.
  SymbolId find_symbol(const std::string& spelling) const;

  // The pair that a symbol is made of, or {kNone, kNone}. Where several make it, the one of the lowest
  // rank, ranks of repeated rules being those of their last repetition (as in subword-nmt).
  std::pair<SymbolId, SymbolId> parts(SymbolId id) const {
    return id < parts_.size() ? parts_[id] : std::pair<SymbolId, SymbolId>{kNone, kNone};
  }

  Unit unit() const { return unit_; }
  Marker marker() const { return marker_; }

 private:
  struct Slot {
    std::uint64_t key;
    Rule rule;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr int kMaybeShift = 64 - 18;

  SymbolId intern(const std::string& spelling);
  SymbolId base_symbol(std::string_view character, bool final) const;

  Unit unit_;
  Marker marker_;
  std::unordered_map<std::string, SymbolId> ids_;
  std::vector<std::string> spellings_;
  std::vector<std::pair<SymbolId, SymbolId>> parts_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::vector<bool> maybe_;  // by the first bits of a hash: may a rule have it?
  // Symbols of the characters below U+0800 without and with a joined marker, and of the bytes.
  std::vector<SymbolId> characters_;
  std::vector<SymbolId> bytes_;
};

}  // namespace subword
