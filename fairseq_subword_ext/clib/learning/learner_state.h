// The state that learning updates: the cells of the corpus, the pairs and the symbol counts.
//
// Nothing here depends on the measure. A measure's policy (measures.h) asks for statistics and is told what
// each merge changed; learner.cpp and custom_learner.cpp choose the merges.
#pragma once

#include <memory>
#include <vector>

#include "learning/borders.h"
#include "learning/corpus.h"
#include "learning/pair_store.h"
#include "text/types.h"

namespace subword {

// The statistics that a scan of a pair's positions yields; statistics() adds the rest.
struct PairCounts {
  Count occ = 0;    // occurrences, weighted by f(w)
  Count types = 0;  // word types that contain the pair
  Count wf = 0;     // sum of f(w) over those types
};

// All statistics of a pair at one moment, named as in the documentation's table of measures.
struct PairStatistics {
  Count occ, types, wf;
  Count L, R;      // distinct symbols right before and right after; a boundary is one
  Count c_a, c_b;  // counts of the two symbols
  Count n;         // count of all symbols
  Count m;         // replacements that a merge would make
};

struct ChangedPair {
  PairId pair;
  PairCounts counts;
};

struct LostOccurrence {
  PairId pair;
  TypeId type;
};

// What a merge changed, for policies that keep more than upper bounds.
struct MergeEffect {
  SymbolId left, right, merged;
  Count replacements;                   // weighted by f(w)
  std::vector<ChangedPair> created;     // new pairs, and old ones that gained occurrences
  // Filled in with track_contexts only. A pair may be listed more than once, and may be the merged one.
  std::vector<PairId> left_changed;     // pairs whose left neighbour became `merged` somewhere
  std::vector<PairId> right_changed;    // pairs whose right neighbour became `merged` somewhere
  std::vector<LostOccurrence> lost;
};

class NeighbourGroups;

class LearnerState {
 public:
  // Keeps only pairs that are candidates: at least min_frequency occurrences, and allowed by the borders.
  //   count_types     c(x), n and m count every type once instead of f(w) times.
  //   track_contexts  Fills in the last three members of MergeEffect.
  //   count_losses    Keeps Pair::occ up to date, so that it is known without a scan.
  LearnerState(Corpus* corpus, Count min_frequency, bool count_types, bool track_contexts,
               bool count_losses, Borders borders, const Interrupt& interrupt);

  ~LearnerState();

  // Drops the stale positions of a pair and counts the valid ones.
  PairCounts scan(PairId id);

  // m(p): non-overlapping replacements. For this function and the next two, the pair must have been scanned
  // since the last merge.
  Count replacements(PairId id) const;
  void neighbours(PairId id, Count* left, Count* right);
  PairStatistics statistics(PairId id, const PairCounts& counts);

  // Merges every occurrence of the pair, left to right within each word.
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

  Count weight_at(Position at) const {
    return count_types_ ? 1 : corpus_->frequency(corpus_->type_at(at));
  }
  bool occurs_at(SymbolId left, SymbolId right, Position at) const {
    return cells_[at] == left && cells_[at + lengths(left)] == right;
  }
  std::uint32_t lengths(SymbolId id) const { return corpus_->symbols().length(id); }

  Corpus* corpus_;
  Cell* cells_;
  Count min_frequency_;
  bool count_types_;
  bool track_contexts_;
  BorderRules borders_;

  PairStore pairs_;
  std::vector<Count> counts_;  // c(x)
  Count total_ = 0;            // n
  std::vector<PairId> pair_at_;  // with track_contexts: the pair that starts at each cell
  std::vector<MergeOutput> outputs_;                     // one per merge
  std::vector<std::vector<std::uint32_t>> outputs_of_;   // by symbol: the merges that made it
  std::vector<std::uint32_t> seen_left_, seen_right_;    // by symbol: the last call that saw it
  std::uint32_t call_ = 0;
  MergeEffect effect_;
  std::unique_ptr<NeighbourGroups> left_groups_, right_groups_;
};

}  // namespace subword
