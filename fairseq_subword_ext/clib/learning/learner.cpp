#include "learning/learner.h"

#include <algorithm>

#include "learning/candidate_queue.h"
#include "learning/description_length_measure.h"
#include "learning/measures.h"
#include "learning/occurrence_queue.h"
#include "learning/tie_order.h"

namespace subword {

namespace {

constexpr std::size_t kProgressInterval = 64;  // merges

// A score as the trace records it. For an average that is the sum; the trace records m anyway.
WideScore traced(WideScore score) { return score; }
WideScore traced(const Ratio& score) { return score.sum; }

}  // namespace

Learner::Learner(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt)
    : corpus_(words, unit, marker, interrupt), interrupt_(interrupt) {}

std::map<std::string, Count> Learner::spelled_alphabet() const {
  std::map<std::string, Count> counts;
  for (SymbolId id = 1; id < corpus_.base_end(); ++id) {
    counts[symbols().spelling(id)] = corpus_.base_counts()[id];
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> Learner::spelled_merges() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Merge& merge : merges_) {
    all.emplace_back(symbols().spelling(merge.left), symbols().spelling(merge.right));
  }
  return all;
}

std::vector<Count> Learner::replacements() const {
  std::vector<Count> all;
  for (const Merge& merge : merges_) all.push_back(merge.replacements);
  return all;
}

void Learner::learn(const LearnOptions& options) {
  if (options.custom) return learn_custom(options);
  if (options.measure == "frequency") return learn_with<Frequency>(options);
  if (options.measure == "frq") return learn_with<TypeFrequency<false>>(options);
  if (options.measure == "frq-weighted") return learn_with<TypeFrequency<true>>(options);
  if (options.measure == "av") return learn_with<AccessorVariety<false>>(options);
  if (options.measure == "av-weighted") return learn_with<AccessorVariety<true>>(options);
  if (options.measure == "dlg") return learn_with<DescriptionLengthGain<Gain::kPlain>>(options);
  if (options.measure == "dlg-weighted") {
    return learn_with<DescriptionLengthGain<Gain::kWeighted>>(options);
  }
  if (options.measure == "dlg-average") {
    return learn_with<DescriptionLengthGain<Gain::kAverage>>(options);
  }
  throw InputError("unknown measure '" + options.measure + "'");
}

const MergeEffect& Learner::merge(LearnerState* state, PairId pair, const LearnOptions& options,
                                  WideScore score, double custom_score) {
  if (options.trace) {
    trace_.push_back({state->statistics(pair, state->scan(pair)), score, custom_score, 0});
    trace_.back().symbols_after = trace_.back().statistics.n - trace_.back().statistics.m;
  }
  const MergeEffect& effect = state->merge(pair);
  merges_.push_back({effect.left, effect.right, effect.replacements});
  if (merges_.size() % kProgressInterval == 0) {
    poll(interrupt_);
    if (options.progress) options.progress(merges_.size());
  }
  return effect;
}

// Algorithm 1, with the arg max found through upper bounds.
template <class Policy>
void Learner::learn_with(const LearnOptions& options) {
  using Key = typename Policy::Key;
  LearnerState state(&corpus_, options.min_frequency, options.description_length_of_types,
                     Policy::kContexts, Policy::kOccurrencesOnly, options.borders, interrupt_);
  Policy policy(&state);
  const TieOrder ties(&state, options.tie_break);
  const auto before = [&ties](const Candidate<Key>& x, const Candidate<Key>& y) {
    return ties.wins(x, y);
  };
  auto queue = [&] {
    if constexpr (Policy::kOccurrencesOnly) {
      return OccurrenceQueue(&state, &ties);
    } else {
      return CandidateQueue<Key, decltype(before)>(before);
    }
  }();
  // The current bound of each pair; a queue entry with another key is superseded. Unused with
  // kOccurrencesOnly: nothing raises bounds then, so every pair has a single entry.
  std::vector<Key> bounds;
  const auto enqueue = [&](PairId pair, Key bound) {
    if constexpr (!Policy::kOccurrencesOnly) {
      if (pair >= bounds.size()) bounds.resize(state.pairs().size());
      bounds[pair] = bound;
    }
    queue.push({bound, ties.tie(pair), pair});
  };
  [[maybe_unused]] const auto raise = [&](PairId pair, Key bound) {
    if (state.pairs()[pair].alive && bound > bounds[pair]) enqueue(pair, bound);
  };
  // Ties by position compare first positions, which a scan makes current.
  const bool scans = !Policy::kOccurrencesOnly || options.tie_break == TieBreak::kFirst;
  const auto scan_if_needed = [&](PairId pair) {
    return scans ? state.scan(pair) : PairCounts{state.pairs()[pair].occ, 0, 0};
  };
  for (PairId pair = 0; pair < state.pairs().size(); ++pair) {
    enqueue(pair, policy.fresh(pair, scan_if_needed(pair)));
  }

  struct Scored {
    Candidate<Key> candidate;
    PairCounts counts;
  };
  std::vector<Scored> passed_over;
  while (merges_.size() < options.merges) {
    // Score pairs in order of their bounds until no bound can beat the best score.
    Scored best{{Key{}, 0, kNone}, {}};
    while (!queue.empty()) {
      const Candidate<Key> entry = queue.top();
      if (best.candidate.pair != kNone && before(best.candidate, entry)) break;
      queue.pop();
      if (!state.pairs()[entry.pair].alive) continue;
      if (!Policy::kOccurrencesOnly && bounds[entry.pair] != entry.key) continue;
      if (entry.pair == best.candidate.pair) continue;  // queued twice with the same bound
      const PairCounts counts = scan_if_needed(entry.pair);
      if (counts.occ < state.min_frequency()) {
        state.pairs()[entry.pair].alive = counts.occ > 0;
        continue;
      }
      Scored scored{{policy.exact(entry.pair, counts), ties.tie(entry.pair), entry.pair}, counts};
      if (best.candidate.pair == kNone || before(scored.candidate, best.candidate)) {
        std::swap(best, scored);
      }
      if (scored.candidate.pair != kNone) passed_over.push_back(scored);
    }
    if (best.candidate.pair == kNone) break;
    for (const Scored& scored : passed_over) {
      const Candidate<Key>& candidate = scored.candidate;
      enqueue(candidate.pair, policy.later(candidate.pair, scored.counts, candidate.key));
    }
    passed_over.clear();
    const MergeEffect& effect = merge(&state, best.candidate.pair, options,
                                      traced(best.candidate.key), 0.0);
    for (const ChangedPair& created : effect.created) {
      if (created.counts.occ < state.min_frequency()) continue;
      enqueue(created.pair, policy.fresh(created.pair, created.counts));
    }
    policy.after_merge(effect, best.candidate.key, raise);
  }
}

}  // namespace subword
