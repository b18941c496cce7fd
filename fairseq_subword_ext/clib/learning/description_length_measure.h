// Policies of the merge loop for dlg, dlg-weighted and dlg-average; measures.h says what a policy is.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learning/description_length.h"
#include "learning/learner_state.h"
#include "learning/ratio.h"

namespace subword {

enum class Gain { kPlain, kWeighted, kAverage };

// dlg: the description length gain; dlg-weighted: the gain times wf(p); dlg-average: the gain over m(p). All
// in units of 2^-8 bit.
//
// As merges are made, the gain of a pair changes for three reasons:
// - n falls. The gain falls if m >= 3, and rises slightly if m < 3.
// - c(a) or c(b) falls. The gain rises.
// - An occurrence is lost, so m and wf fall; then c(a) or c(b) falls too. As a function of m, the gain is
//   convex and negative at m = 1, so fewer replacements never lift it above both its current value and
//   kFewReplacementsGain.
//
// So a bound holds down to certain counts and is watched: once a count drops below them, the pair gets a new
// bound. The further a pair is from the top of the queue, the more its counts may fall before that. A pair
// that has never been near the top has a bound that holds for all counts and needs no watch.
//
// For dlg-average: as the gain g is convex in m, {m: g(m) / m <= t} is an interval for every t. So with fewer
// replacements, too, g(m) / m is at most the greater of its values at both ends.
template <Gain kGain>
class DescriptionLengthGain {
 public:
  using Key = std::conditional_t<kGain == Gain::kAverage, Ratio, WideScore>;
  static constexpr bool kContexts = false;
  static constexpr bool kOccurrencesOnly = false;

  explicit DescriptionLengthGain(LearnerState* state) : state_(state) {}

  Key fresh(PairId pair, const PairCounts& counts) {
    const Count most = state_->count_types() ? state_->pairs()[pair].size : counts.occ;
    const Count n = state_->symbols_in_corpus();
    if constexpr (kGain == Gain::kAverage) {
      return {highest_average_gain(n, most), 1};
    } else {
      return weigh(highest_gain(n, most), counts.wf);
    }
  }

  Key exact(PairId pair, const PairCounts& counts) {
    const Count m = state_->replacements(pair);
    const DescriptionCounts now = description_counts(pair, m);
    const WideScore gain = description_length_gain(now);
    if (pair >= known_.size()) known_.resize(state_->pairs().size());
    known_[pair].m = m;
    known_[pair].wf = counts.wf;
    watch(pair, now.c_a, now.c_b);
    if (m < 3) watch_total(pair, now, gain);
    return score(gain, now.m, counts.wf);
  }

  Key later(PairId, const PairCounts&, Key exact) { return exact; }

  template <class Raise>
  void after_merge(const MergeEffect& effect, Key best, Raise raise) {
    rebound(effect.left, best, raise);
    if (effect.right != effect.left) rebound(effect.right, best, raise);
    while (!totals_.empty() && totals_.front().lowest > state_->symbols_in_corpus()) {
      std::pop_heap(totals_.begin(), totals_.end());
      if (!outdated(totals_.back())) raise(totals_.back().pair, few_replacements());
      totals_.pop_back();
    }
  }

 private:
  struct Known {
    Count m = 0;  // when last scored, like wf; neither ever rises
    Count wf = 0;
    std::uint32_t version = 0;  // of the current watch
  };

  // The pair's bound holds as long as the symbol's count (or n) is at least `lowest`.
  struct Watch {
    Count lowest;
    PairId pair;
    std::uint32_t version;
    bool operator<(const Watch& other) const { return lowest < other.lowest; }
  };

  struct WatchList {
    std::vector<Watch> watches;
    std::size_t cleaned = 0;  // size when outdated watches were last removed
  };

  static Key score(WideScore gain, Count m, Count wf) {
    if constexpr (kGain == Gain::kAverage) {
      return {gain, m};
    } else {
      Key product = gain;
      if (kGain == Gain::kWeighted &&
          __builtin_mul_overflow(gain, static_cast<WideScore>(wf), &product)) {
        throw InputError("the word counts are too large for dlg-weighted: a score exceeds 127 bits");
      }
      return product;
    }
  }

  // Turns an upper bound on the gain into one on the score.
  static WideScore weigh(WideScore gain, Count wf) {
    if (kGain != Gain::kWeighted || gain <= 0) return gain;
    WideScore product;
    const bool overflow = __builtin_mul_overflow(gain, static_cast<WideScore>(wf), &product);
    return overflow ? ~(WideScore{1} << 126 << 1) : product;  // the largest WideScore
  }

  // Upper bound on the score of any pair replaced at most three times.
  static Key few_replacements() {
    if constexpr (kGain == Gain::kAverage) {
      return {kFewReplacementsGain, 3};
    } else {
      return kFewReplacementsGain;
    }
  }

  DescriptionCounts description_counts(PairId id, Count m) {
    const Pair& pair = state_->pairs()[id];
    return {state_->symbols_in_corpus(), state_->symbol_count(pair.left),
            state_->symbol_count(pair.right), m, pair.left == pair.right};
  }

  void watch(PairId id, Count lowest_a, Count lowest_b) {
    const Pair& pair = state_->pairs()[id];
    const std::size_t symbols = std::max(pair.left, pair.right) + std::size_t{1};
    if (symbols > lists_.size()) lists_.resize(symbols);
    const std::uint32_t version = ++known_[id].version;
    lists_[pair.left].watches.push_back({lowest_a, id, version});
    if (pair.right != pair.left) lists_[pair.right].watches.push_back({lowest_b, id, version});
  }

  // For m < 3, the gain rises by (3 - m) log2(n / n') as n falls to n'. Watches for the n below which it may
  // no longer round to its current value.
  void watch_total(PairId id, const DescriptionCounts& now, WideScore gain) {
    const Approximation bits = approximate_gain(now);
    const double room = static_cast<double>(gain) + 0.5 - (bits.value + bits.error) * 256.0;
    const double fall = 0.6 * std::max(room, 0.0) / 256.0 * static_cast<double>(now.n) / 2.0;
    totals_.push_back({now.n - static_cast<Count>(fall), id, known_[id].version});
    std::push_heap(totals_.begin(), totals_.end());
  }

  bool outdated(const Watch& watch) const {
    return known_[watch.pair].version != watch.version || !state_->pairs()[watch.pair].alive;
  }

  // Gives new bounds to the pairs whose bound no longer holds now that the symbol's count has fallen.
  template <class Raise>
  void rebound(SymbolId symbol, Key best, Raise raise) {
    if (symbol >= lists_.size()) return;
    std::vector<Watch>& watches = lists_[symbol].watches;
    const Count count = state_->symbol_count(symbol);
    due_.clear();
    std::size_t kept = 0;
    for (const Watch& watch : watches) {
      if (count >= watch.lowest) {
        watches[kept++] = watch;
      } else if (!outdated(watch)) {
        due_.push_back(watch.pair);
      }
    }
    watches.resize(kept);
    if (kept > 2 * lists_[symbol].cleaned + 64) {
      const auto old = [this](const Watch& watch) { return outdated(watch); };
      watches.erase(std::remove_if(watches.begin(), watches.end(), old), watches.end());
      lists_[symbol].cleaned = watches.size();
    }
    for (const PairId pair : due_) raise(pair, new_bound(pair, best));
  }

  // Returns a bound that lets the counts fall further, as far as that keeps it below the current best score.
  Key new_bound(PairId id, Key best) {
    const Known& known = known_[id];
    DescriptionCounts now = description_counts(id, known.m);
    // The pair may have lost occurrences since m was counted; c limits how many are left.
    const Count possible = now.same ? now.c_a / 2 : std::min(now.c_a, now.c_b);
    if (possible < known.m) {
      known_[id].m = possible;
      now.m = possible;
    }
    for (const int shift : {3, 6}) {
      DescriptionCounts lower = now;
      lower.c_a = std::max(now.c_a - (now.c_a >> shift), now.same ? 2 * now.m : now.m);
      lower.c_b = std::max(now.c_b - (now.c_b >> shift), now.m);
      const Key bound = bound_at(lower, known.wf);
      if (bound < best) {
        watch(id, lower.c_a, lower.c_b);
        return bound;
      }
    }
    watch(id, now.c_a, now.c_b);
    return bound_at(now, known.wf);
  }

  static Key bound_at(const DescriptionCounts& counts, Count wf) {
    if (counts.m < 3) return few_replacements();
    const WideScore gain = units_above(approximate_gain(counts));
    if constexpr (kGain == Gain::kAverage) {
      // The gain of fewer replacements is rounded too, by less than one unit per replacement.
      return std::max(Ratio{gain + counts.m, counts.m}, few_replacements());
    } else {
      return weigh(std::max(gain, kFewReplacementsGain), wf);
    }
  }

  static WideScore units_above(const Approximation& bits) {
    const double units = std::ceil((bits.value + bits.error) * 256.0) + 1.0;
    if (std::fabs(units) < 0x1p62) return static_cast<std::int64_t>(units);
    return static_cast<WideScore>(units);
  }

  LearnerState* state_;
  std::vector<Known> known_;       // by pair
  std::vector<WatchList> lists_;   // by symbol
  std::vector<Watch> totals_;      // for n: a max-heap
  std::vector<PairId> due_;
};

}  // namespace subword
