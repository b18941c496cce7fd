// The measures dlg, dlg-weighted and dlg-average for the merge loop; see measures.h for what a policy is.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learning/description_length.h"
#include "learning/learner_state.h"
#include "learning/ratio.h"

namespace subword {

enum class Gain { kPlain, kWeighted, kAverage };

// dlg: description length gain; dlg-weighted: that times wf(p); dlg-average: that over m(p). In units of
// 2^-8 bit.
//
// When n falls the gain falls where m >= 3, and rises a little where m < 3. When c(a) or c(b) falls the
// gain rises. m and wf fall only when an occurrence is lost, and then c(a) or c(b) falls too; as a
// function of m the gain is convex and negative at m = 1, so fewer replacements never lift it above
// both its present value and kFewReplacementsGain. So a bound holds down to some counts, and is
// watched: once a count is lower the pair gets a new one. The further a pair is from its turn, the more
// the counts may fall before that; a pair that has never been near has a bound that holds for all
// counts and needs no watching.
//
// The average: where the gain g is convex in m, {m: g(m) / m <= t} is an interval for every t, so g(m) / m
// over fewer replacements is at most the greater of its values at both ends, too.
template <Gain kGain>
class DescriptionLengthGain {
 public:
  using Key = std::conditional_t<kGain == Gain::kAverage, Ratio, WideScore>;
  static constexpr bool kContexts = false;
  static constexpr bool kOccurrencesOnly = false;

  explicit DescriptionLengthGain(LearnerState* state) : state_(state) {}

  Key fresh(PairId pair, const PairFacts& facts) {
    const Count most = state_->count_types() ? state_->pairs()[pair].size : facts.occ;
    const Count n = state_->symbols_in_corpus();
    if constexpr (kGain == Gain::kAverage) {
      return {highest_average_gain(n, most), 1};
    } else {
      return weigh(highest_gain(n, most), facts.wf);
    }
  }

  Key exact(PairId pair, const PairFacts& facts) {
    const Count m = state_->replacements(pair);
    const DescriptionCounts now = counts(pair, m);
    const WideScore gain = description_length_gain(now);
    if (pair >= known_.size()) known_.resize(state_->pairs().size());
    known_[pair].m = m;
    known_[pair].wf = facts.wf;
    watch(pair, now.c_a, now.c_b);
    if (m < 3) watch_total(pair, now, gain);
    return score(gain, now.m, facts.wf);
  }

  Key later(PairId, const PairFacts&, Key exact) { return exact; }

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
    Count m = 0;  // at the last look, as is wf: neither rises
    Count wf = 0;
    std::uint32_t version = 0;  // of the present watch
  };

  // "The pair's bound holds while the symbol's count (or n) is not below `lowest`."
  struct Watch {
    Count lowest;
    PairId pair;
    std::uint32_t version;
    bool operator<(const Watch& other) const { return lowest < other.lowest; }
  };

  struct WatchList {
    std::vector<Watch> watches;
    std::size_t cleaned = 0;  // size after the last time that outdated watches were thrown out
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

  // A bound of the score from a bound of the gain.
  static WideScore weigh(WideScore gain, Count wf) {
    if (kGain != Gain::kWeighted || gain <= 0) return gain;
    WideScore product;
    const bool overflow = __builtin_mul_overflow(gain, static_cast<WideScore>(wf), &product);
    return overflow ? ~(WideScore{1} << 126 << 1) : product;  // the greatest value
  }

  // No score of a pair that is replaced three times or fewer is above this.
  static Key few_replacements() {
    if constexpr (kGain == Gain::kAverage) {
      return {kFewReplacementsGain, 3};
    } else {
      return kFewReplacementsGain;
    }
  }

  DescriptionCounts counts(PairId id, Count m) {
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

  // For m < 3: down to which n the gain, which rises by (3 - m) log2(n / n'), rounds to what it is now.
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

  // The symbol's count has fallen.
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

  // A bound that leaves the counts room to fall, as much as keeps it below the present best score.
  Key new_bound(PairId id, Key best) {
    const Known& known = known_[id];
    DescriptionCounts now = counts(id, known.m);
    // Since m was counted the pair may have lost occurrences: as many as c allows are left.
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
      // The gain of fewer replacements is rounded, too: by less than one unit for each.
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
  std::vector<Watch> totals_;      // a heap, the highest first
  std::vector<PairId> due_;
};

}  // namespace subword
