// What learning changes: the cells of the corpus, the pairs, and the counts of the symbols.
//
// No measure is known here. A measure's policy (measures.h) asks for statistics and is told what a
// merge did; the order of merges is decided in merge_loop.h.
#pragma once

#include <memory>
#include <vector>

#include "learning/borders.h"
#include "learning/corpus.h"
#include "learning/pair_store.h"
#include "text/types.h"

namespace subword {

// What scanning a pair's positions tells; see statistics() for the rest.
struct PairFacts {
  Count occ = 0;    // occurrences, weighted by f(w)
  Count types = 0;  // word types that hold the pair
  Count wf = 0;     // sum of f(w) over those
};

// All statistics of a pair at one moment, named as in the README's table of measures.
struct PairStatistics {
  Count occ, types, wf;
  Count L, R;      // distinct symbols right before and right after, the boundary counting as one
  Count c_a, c_b;  // counts of the two symbols
  Count n;         // count of all symbols
  Count m;         // replacements that merging makes
};

struct ChangedPair {
  PairId pair;
  PairFacts facts;
};

struct LostOccurrence {
  PairId pair;
  TypeId type;
};

// What a merge did, for policies that keep more than upper bounds.
struct MergeEffect {
  SymbolId left, right, merged;
  Count replacements;                   // weighted by f(w)
  std::vector<ChangedPair> created;     // new pairs, and old ones that gained occurrences
  // With track_contexts only. A pair can be listed more than once, and it can be the merged one:
  std::vector<PairId> left_changed;     // their left neighbour became `merged` somewhere
  std::vector<PairId> right_changed;    // their right neighbour became `merged` somewhere
  std::vector<LostOccurrence> lost;
};

class NeighbourGroups;

class LearnerState {
 public:
  // With count_losses the occurrences of every pair are known without scanning it. With count_types c(x), n and m count every type once instead of f(w) times. Pairs with fewer
  // than min_frequency occurrences are no candidates and are not kept. track_contexts fills in
  // the last three members of MergeEffect.
  // Pairs that the borders keep apart are no candidates either.
  LearnerState(Corpus* corpus, Count min_frequency, bool count_types, bool track_contexts,
               bool count_losses, Borders borders, const Interrupt& interrupt);

  ~LearnerState();

  // Drops the stale positions of a pair and counts the others.
  PairFacts scan(PairId id);

  // m(p): non-overlapping replacements. The pair has to be scanned since the last merge, here and below.
  Count replacements(PairId id) const;
  void neighbours(PairId id, Count* left, Count* right);
  PairStatistics statistics(PairId id, const PairFacts& facts);

  // Merges every occurrence, from left to right within a word.
  const MergeEffect& merge(PairId id);

  PairStore& pairs() { return pairs_; }
  const Corpus& corpus() const { return *corpus_; }
  Count min_frequency() const { return min_frequency_; }
  bool count_types() const { return count_types_; }
  Count symbol_count(SymbolId id) const { return counts_[id]; }
  Count symbols_in_corpus() const { return total_; }

 private:
  void count_symbols();
  void index_pairs(const Interrupt& interrupt);
  void replace(const Pair& pair, SymbolId merged);
  void keep(NeighbourGroups* groups, SymbolId merged, bool on_the_left);
  void count_losses(const Pair& pair, SymbolId merged, bool is_new);
  void rejoin(SymbolId merged);
  void revive_rare(SymbolId left, SymbolId right, std::vector<Position>* positions);
  PairId find_pair(SymbolId left, SymbolId right) const;
  void notice_contexts(const Pair& pair, Position at, Position next, SymbolId before, SymbolId after);

  Count weight(TypeId type) const { return count_types_ ? 1 : frequencies_[type]; }
  bool occurs_at(SymbolId left, SymbolId right, Position at) const {
    return cells_[at].symbol == left && cells_[at + lengths(left)].symbol == right;
  }
  std::uint32_t lengths(SymbolId id) const { return corpus_->symbols().length(id); }

  Corpus* corpus_;
  Cell* cells_;
  const Count* frequencies_;  // f(w), by type
  Count min_frequency_;
  bool count_types_;
  bool track_contexts_;
  BorderRules borders_;

  PairStore pairs_;
  std::vector<Count> counts_;  // c(x)
  Count total_ = 0;            // n
  std::vector<PairId> pair_at_;  // with track_contexts: the pair that starts at a cell
  std::vector<MergeOutput> outputs_;                     // of each merge
  std::vector<std::vector<std::uint32_t>> outputs_of_;   // by symbol, the merges that made it
  std::vector<std::uint32_t> seen_left_, seen_right_;    // by symbol, the call that saw it
  std::uint32_t call_ = 0;
  MergeEffect effect_;
  std::unique_ptr<NeighbourGroups> left_groups_, right_groups_;
};

}  // namespace subword
