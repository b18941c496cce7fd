// The learner: Algorithm 1 of Wu & Zhao (2018) with any goodness measure. With `frequency` it is the BPE of
// Sennrich, Haddow & Birch (2016).
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
  kGreatest,  // the pair with the lexicographically greatest spellings
  kLeast,
  kFirst,     // the leftmost pair in the current segmentation, types in order of first occurrence
};

// Statistics of many pairs, one array per statistic. Arrays that the measure does not read are empty.
struct StatisticsBatch {
  std::vector<double> occ, types, wf, L, R, c_a, c_b, m, same;  // same: 1 if a = b, else 0
  double n = 0;
};

// A custom measure: the statistics it reads, and a function that scores a batch.
struct CustomMeasure {
  std::set<std::string> reads;        // among occ types wf L R c n m
  bool falls_with_n = false;          // scores never rise as n falls, all else being equal
  std::function<std::vector<double>(const StatisticsBatch&)> score;  // one per pair, never NaN
};

struct LearnOptions {
  std::string measure = "frequency";  // name of a built-in measure; ignored if `custom` is set
  std::shared_ptr<CustomMeasure> custom;
  std::size_t merges = 0;
  Count min_frequency = 2;  // rarer pairs are not candidates
  TieBreak tie_break = TieBreak::kGreatest;
  Borders borders = Borders::kNone;  // all others require Unit::kByte
  bool description_length_of_types = false;  // for dlg: c, n and m count every type once
  bool trace = false;  // keep the statistics of every merge
  std::function<void(std::size_t)> progress;  // called with the number of merges; throws to stop
};

struct Merge {
  SymbolId left, right;
  Count replacements;  // m(p) at the time of the merge, weighted by f(w)
};

// A merge's statistics and score at the moment it was chosen.
struct MergeTrace {
  PairStatistics statistics;
  WideScore score;      // by a built-in measure; dlg in units of 2^-8 bit
  double custom_score;  // by a custom measure
  Count symbols_after;  // n after the merge
};

class Learner {
 public:
  Learner(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt = {});

  // Learns up to options.merges merges, or fewer if the candidates run out. Call it only once.
  void learn(const LearnOptions& options);

  const std::vector<Merge>& merges() const { return merges_; }
  const std::vector<MergeTrace>& trace() const { return trace_; }
  const SymbolTable& symbols() const { return corpus_.symbols(); }

  // The merges as spelled in a codes file.
  std::vector<std::pair<std::string, std::string>> spelled_merges() const;

  // m(p) of every merge. Together with the alphabet, it gives the symbol counts after any number of merges.
  std::vector<Count> replacements() const;

  // Base symbols and their counts, weighted by f(w).
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
