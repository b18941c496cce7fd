// Algorithm 1 with a custom measure, which scores batches of pairs whose statistics have changed.
//
// Scores are always up to date, so the best pair is at the top of the queue. A merge rescores the pairs whose
// occurrences or neighbours it changed; for a measure that reads c, also the pairs with a symbol whose count
// changed; and for one that reads n, all pairs. If scores can only fall as n falls, old scores serve as upper
// bounds instead, and the pairs at the top are rescored until the top one is current.
#include <algorithm>

#include "learning/candidate_queue.h"
#include "learning/learner.h"
#include "learning/tie_order.h"

namespace subword {

namespace {

constexpr std::size_t kRescoreBatch = 64;

class CustomScores {
 public:
  using Entry = Candidate<double>;

  CustomScores(LearnerState* state, const LearnOptions& options)
      : state_(state),
        measure_(*options.custom),
        options_(options),
        ties_(state, options.tie_break),
        queue_([this](const Entry& x, const Entry& y) { return ties_.wins(x, y); }) {
    for (PairId pair = 0; pair < state_->pairs().size(); ++pair) add(pair, state_->scan(pair).occ);
    score_pending();
  }

  // Returns the best pair and sets its score; returns kNone if no candidate is left.
  PairId best(double* score) {
    for (;;) {
      std::vector<PairId> old;
      std::vector<Entry> current;
      while (!queue_.empty() && old.size() < kRescoreBatch) {
        const Entry entry = queue_.top();
        if (!valid(entry)) {
          queue_.pop();
          continue;
        }
        if (scored_at_[entry.pair] == step_ || !lazy()) {
          // A pair that waits to be rescored may still beat this one.
          if (!old.empty()) break;
          if (!confirm_tie(entry)) continue;
          *score = entry.key;
          return entry.pair;
        }
        queue_.pop();
        old.push_back(entry.pair);
      }
      if (old.empty()) return kNone;
      for (const PairId pair : old) mark(pair);
      score_pending();
    }
  }

  void merged(const MergeEffect& effect) {
    ++step_;
    for (const LostOccurrence& lost : effect.lost) {
      occ_[lost.pair] -= state_->corpus().frequency(lost.type);
      mark(lost.pair);
    }
    for (const ChangedPair& created : effect.created) add(created.pair, created.counts.occ);
    if (reads("L") || reads("R")) {
      for (const PairId pair : effect.left_changed) mark(pair);
      for (const PairId pair : effect.right_changed) mark(pair);
    }
    if (reads("n") && !lazy()) {
      for (PairId pair = 0; pair < occ_.size(); ++pair) mark(pair);
    } else if (reads("c")) {
      for (const SymbolId symbol : {effect.left, effect.right, effect.merged}) mark_all_of(symbol);
    }
    score_pending();
  }

 private:
  bool reads(const char* name) const { return measure_.reads.count(name) != 0; }
  bool lazy() const { return reads("n") && measure_.falls_with_n; }

  bool valid(const Entry& entry) const {
    return state_->pairs()[entry.pair].alive && score_[entry.pair] == entry.key &&
           occ_[entry.pair] >= state_->min_frequency();
  }

  // Ties by position compare first positions. If the entry's is stale, requeues the pair and returns false.
  bool confirm_tie(const Entry& entry) {
    if (options_.tie_break != TieBreak::kFirst) return true;
    state_->scan(entry.pair);
    if (ties_.tie(entry.pair) == entry.tie) return true;
    queue_.pop();
    queue_.push({entry.key, ties_.tie(entry.pair), entry.pair});
    return false;
  }

  void add(PairId pair, Count occ) {
    if (pair >= occ_.size()) {
      occ_.resize(pair + 1, 0);
      score_.resize(pair + 1);
      scored_at_.resize(pair + 1, kNone);
      pending_at_.resize(pair + 1, kNone);
    }
    occ_[pair] = occ;
    if (reads("c")) {
      const Pair& symbols = state_->pairs()[pair];
      pairs_of_.resize(std::max<std::size_t>(pairs_of_.size(), state_->corpus().symbols().size()));
      pairs_of_[symbols.left].push_back(pair);
      if (symbols.right != symbols.left) pairs_of_[symbols.right].push_back(pair);
    }
    mark(pair);
  }

  void mark(PairId pair) {
    if (pending_at_[pair] == step_ || !state_->pairs()[pair].alive) return;
    pending_at_[pair] = step_;
    pending_.push_back(pair);
  }

  void mark_all_of(SymbolId symbol) {
    if (symbol >= pairs_of_.size()) return;
    std::vector<PairId>& pairs = pairs_of_[symbol];
    const auto dead = [this](PairId pair) { return !state_->pairs()[pair].alive; };
    pairs.erase(std::remove_if(pairs.begin(), pairs.end(), dead), pairs.end());
    for (const PairId pair : pairs) mark(pair);
  }

  void score_pending() {
    // A pair may have lost more occurrences since it was marked.
    const auto rare = [this](PairId pair) { return occ_[pair] < state_->min_frequency(); };
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), rare), pending_.end());
    if (pending_.empty()) return;
    const StatisticsBatch batch = statistics();
    const std::vector<double> scores = measure_.score(batch);
    if (scores.size() != pending_.size()) throw InputError("score_batch must return one score per pair");
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const PairId pair = pending_[i];
      score_[pair] = scores[i] == 0 ? 0.0 : scores[i];  // no negative zero
      scored_at_[pair] = step_;
      queue_.push({score_[pair], ties_.tie(pair), pair});
    }
    pending_.clear();
  }

  StatisticsBatch statistics() {
    StatisticsBatch batch;
    batch.n = static_cast<double>(state_->symbols_in_corpus());
    const auto put = [](std::vector<double>* to, Count value) {
      to->push_back(static_cast<double>(value));
    };
    const bool scan_types = reads("types") || reads("wf");
    const bool scan_neighbours = reads("L") || reads("R");
    for (const PairId pair : pending_) {
      const Pair& symbols = state_->pairs()[pair];
      const bool same = symbols.left == symbols.right;
      PairCounts counts{occ_[pair], 0, 0};
      const bool count_m = reads("m") && (same || options_.description_length_of_types);
      if (scan_types || scan_neighbours || count_m) counts = state_->scan(pair);
      put(&batch.occ, counts.occ);
      put(&batch.same, same ? 1 : 0);
      if (scan_types) {
        put(&batch.types, counts.types);
        put(&batch.wf, counts.wf);
      }
      if (scan_neighbours) {
        Count left, right;
        state_->neighbours(pair, &left, &right);
        put(&batch.L, left);
        put(&batch.R, right);
      }
      if (reads("c")) {
        put(&batch.c_a, state_->symbol_count(symbols.left));
        put(&batch.c_b, state_->symbol_count(symbols.right));
      }
      if (reads("m")) put(&batch.m, count_m ? state_->replacements(pair) : counts.occ);
    }
    return batch;
  }

  LearnerState* state_;
  const CustomMeasure& measure_;
  const LearnOptions& options_;
  TieOrder ties_;
  CandidateQueue<double, std::function<bool(const Entry&, const Entry&)>> queue_;
  std::uint32_t step_ = 0;
  // By pair:
  std::vector<Count> occ_;
  std::vector<double> score_;
  std::vector<std::uint32_t> scored_at_;   // step in which it was last scored
  std::vector<std::uint32_t> pending_at_;  // step in which it was last added to pending_
  std::vector<PairId> pending_;
  std::vector<std::vector<PairId>> pairs_of_;  // by symbol, for measures that read c
};

}  // namespace

void Learner::learn_custom(const LearnOptions& options) {
  LearnerState state(&corpus_, options.min_frequency, options.description_length_of_types, true,
                     false, options.borders, interrupt_);
  CustomScores scores(&state, options);
  double score = 0.0;
  while (merges_.size() < options.merges) {
    const PairId best = scores.best(&score);
    if (best == kNone) break;
    scores.merged(merge(&state, best, options, 0, score));
  }
}

}  // namespace subword
