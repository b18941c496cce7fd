// Learning: Algorithm 1 of Wu & Zhao 2018 with any goodness measure; with `frequency` it is the BPE of
// Sennrich, Haddow & Birch 2016.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "learning/corpus.h"
#include "learning/learner_state.h"
#include "text/types.h"

namespace subword {

enum class TieBreak {
  kGreatest,  // the pair whose spellings are lexicographically greatest
  kLeast,
  kFirst,     // the leftmost in the current segmentation, types in order of first occurrence
};

// Statistics of many pairs, one array each; the arrays that a measure does not read are empty.
struct StatisticsBatch {
  std::vector<double> occ, types, wf, L, R, c_a, c_b, m, same;  // same: 1 where a = b, else 0
  double n = 0;
};

// A measure from outside: which statistics it reads, and a function that scores a batch.
struct CustomMeasure {
  std::set<std::string> reads;        // of occ types wf L R c n m
  bool falls_with_n = false;          // a score never rises as n falls and all else stays
  std::function<std::vector<double>(const StatisticsBatch&)> score;  // one number a pair, none NaN
};

struct LearnOptions {
  std::string measure = "frequency";  // a built-in, unless `custom` is given
  std::shared_ptr<CustomMeasure> custom;
  std::size_t merges = 0;
  Count min_frequency = 2;  // candidates occur at least so often
  TieBreak tie_break = TieBreak::kGreatest;
  Borders borders = Borders::kNone;  // others with Unit::kByte only
  bool description_length_of_types = false;  // for dlg: c, n and m count every type once
  bool trace = false;  // keep the statistics of each merge
  std::function<void(std::size_t)> progress;  // called with the merges made; throws to stop
};

struct Merge {
  SymbolId left, right;
  Count replacements;  // m(p) when it was made, weighted by f(w)
};

// One merge at the moment when it won.
struct MergeTrace {
  PairStatistics statistics;
  WideScore score;      // of a built-in measure; dlg in units of 2^-8 bit
  double custom_score;  // of a custom one
  Count symbols_after;  // n after the merge
};

class Learner {
 public:
  Learner(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt = {});

  // Learns up to options.merges merges; fewer where the candidates run out. Once only.
  void learn(const LearnOptions& options);

  const std::vector<Merge>& merges() const { return merges_; }
  const std::vector<MergeTrace>& trace() const { return trace_; }
  const SymbolTable& symbols() const { return corpus_.symbols(); }

  // The merges as they are written in files.
  std::vector<std::pair<std::string, std::string>> spelled_merges() const;

  // m(p) of every merge: with the alphabet, the symbol counts after any number of merges.
  std::vector<Count> replacements() const;

  // Base symbols with their counts, weighted by f(w).
  std::map<std::string, Count> spelled_alphabet() const;

 private:
  template <class Policy>
  void learn_with(const LearnOptions& options);
  void learn_custom(const LearnOptions& options);
  const MergeEffect& merge(LearnerState* state, PairId pair, const LearnOptions& options,
                           WideScore score, double custom_score);

  Corpus corpus_;
  Interrupt interrupt_;
  std::vector<Merge> merges_;
  std::vector<MergeTrace> trace_;
};

}  // namespace subword
