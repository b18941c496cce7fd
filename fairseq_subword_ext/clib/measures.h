// The built-in goodness measures, each as what the merge loop has to know about it.
//
// The loop works with upper bounds: a pair waits in the queue with a key that its score cannot exceed,
// and gets its exact score when that key comes to the top. A policy has
//   Key fresh(pair, facts)          a bound for a pair that is new or has gained occurrences,
//   Key exact(pair, facts)          the score now,
//   Key later(pair, facts, exact)   a bound for as long as the policy does not raise it, and
//   after_merge(effect, raise)      which raises the bounds that no longer hold.
// "facts" come from scanning the pair since the last merge.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "description_length.h"
#include "learner_state.h"

namespace subword {

// frequency: occ(p). Occurrences only get lost, so a score is a bound for good.
class Frequency {
 public:
  using Key = Count;
  static constexpr bool kContexts = false;

  explicit Frequency(LearnerState*) {}
  Key fresh(PairId, const PairFacts& facts) { return facts.occ; }
  Key exact(PairId, const PairFacts& facts) { return facts.occ; }
  Key later(PairId, const PairFacts&, Key exact) { return exact; }
  template <class Raise>
  void after_merge(const MergeEffect&, Raise) {}
};

// frq: types(p); frq-weighted: types(p) wf(p). Both only fall.
template <bool kWeighted>
class TypeFrequency {
 public:
  using Key = std::conditional_t<kWeighted, WideScore, Count>;
  static constexpr bool kContexts = false;

  explicit TypeFrequency(LearnerState*) {}
  Key fresh(PairId, const PairFacts& facts) { return score(facts); }
  Key exact(PairId, const PairFacts& facts) { return score(facts); }
  Key later(PairId, const PairFacts&, Key exact) { return exact; }
  template <class Raise>
  void after_merge(const MergeEffect&, Raise) {}

 private:
  static Key score(const PairFacts& facts) {
    return kWeighted ? static_cast<Key>(facts.types) * facts.wf : facts.types;
  }
};

// av: min(L(p), R(p)); av-weighted: that times wf(p).
//
// A merge can give a pair one more neighbour on a side, the merged symbol, and take others away. So
// L and R at the last look plus the merges that touched that side since are bounds, and so is the
// number of occurrences.
template <bool kWeighted>
class AccessorVariety {
 public:
  using Key = std::conditional_t<kWeighted, WideScore, Count>;
  static constexpr bool kContexts = true;

  explicit AccessorVariety(LearnerState* state) : state_(state) {}

  Key fresh(PairId pair, const PairFacts& facts) {
    return weigh(state_->pairs()[pair].size, facts.wf);
  }

  Key exact(PairId pair, const PairFacts& facts) {
    if (pair >= looked_at_.size()) looked_at_.resize(state_->pairs().size(), kNone);
    if (looked_at_[pair] == kNone) {
      looked_at_[pair] = static_cast<std::uint32_t>(varieties_.size());
      varieties_.push_back({});
    }
    Variety& variety = varieties_[looked_at_[pair]];
    Count left, right;
    state_->neighbours(pair, &left, &right);
    variety = {left, right, facts.wf, step_, step_, pair};
    return weigh(std::min(left, right), facts.wf);
  }

  Key later(PairId, const PairFacts&, Key exact) { return exact; }

  template <class Raise>
  void after_merge(const MergeEffect& effect, Raise raise) {
    ++step_;
    for (const PairId pair : effect.left_changed) {
      Variety* variety = looked_at(pair);
      if (variety == nullptr || variety->left_step == step_) continue;
      variety->left_step = step_;
      ++variety->left;
      if (variety->left <= variety->right) raise(pair, bound(*variety));
    }
    for (const PairId pair : effect.right_changed) {
      Variety* variety = looked_at(pair);
      if (variety == nullptr || variety->right_step == step_) continue;
      variety->right_step = step_;
      ++variety->right;
      if (variety->right <= variety->left) raise(pair, bound(*variety));
    }
  }

 private:
  struct Variety {
    Count left, right, wf;
    std::uint32_t left_step, right_step;  // the last merge that counted
    PairId pair;
  };

  static Key weigh(Count variety, Count wf) {
    return kWeighted ? static_cast<Key>(variety) * wf : variety;
  }

  Key bound(const Variety& variety) {
    const Count size = state_->pairs()[variety.pair].size;
    return weigh(std::min(std::min(variety.left, variety.right), size), variety.wf);
  }

  Variety* looked_at(PairId pair) {
    if (pair >= looked_at_.size() || looked_at_[pair] == kNone) return nullptr;
    return &varieties_[looked_at_[pair]];
  }

  LearnerState* state_;
  std::vector<std::uint32_t> looked_at_;  // by pair, index into varieties_
  std::vector<Variety> varieties_;
  std::uint32_t step_ = 0;
};

// dlg: description length gain; dlg-weighted: that times wf(p). In units of 2^-8 bit.
//
// With fixed c(a), c(b): the gain falls with n where m >= 3, and as a function of m it is convex and
// negative at m = 1, so fewer replacements never lift a gain above both its present value and
// kFewReplacementsGain. When c(a) or c(b) falls the gain rises: those pairs get a new bound, unless
// they are still far from their turn and have one that holds for all c(a) and c(b).
template <bool kWeighted>
class DescriptionLengthGain {
 public:
  using Key = WideScore;
  static constexpr bool kContexts = false;

  explicit DescriptionLengthGain(LearnerState* state) : state_(state) {}

  Key fresh(PairId pair, const PairFacts& facts) {
    const Count most = state_->count_types() ? state_->pairs()[pair].size : facts.occ;
    return weigh_bound(highest_gain(state_->symbols_in_corpus(), most), facts.wf);
  }

  Key exact(PairId pair, const PairFacts& facts) {
    const Count m = state_->replacements(pair);
    watch(pair, m, facts.wf);
    Key score = description_length_gain(counts(pair, m));
    if (kWeighted && __builtin_mul_overflow(score, static_cast<Key>(facts.wf), &score)) {
      throw InputError("the word counts are too large for dlg-weighted: a score exceeds 127 bits");
    }
    return score;
  }

  Key later(PairId, const PairFacts& facts, Key exact) {
    if (exact >= 0) return exact;
    // A loss weighs less when wf falls, to 1 at the least.
    return std::max(kWeighted ? exact / facts.wf : exact, kFewReplacementsGain);
  }

  template <class Raise>
  void after_merge(const MergeEffect& effect, Raise raise) {
    rescore(effect.left, raise);
    if (effect.right != effect.left) rescore(effect.right, raise);
  }

 private:
  struct Watched {
    Count m, wf;
  };

  static Key weigh_bound(Key gain, Count wf) {
    if (!kWeighted || gain <= 0) return gain;
    Key product;
    const bool overflow = __builtin_mul_overflow(gain, static_cast<Key>(wf), &product);
    return overflow ? ~(Key{1} << 126 << 1) : product;  // the greatest value
  }

  DescriptionCounts counts(PairId id, Count m) {
    const Pair& pair = state_->pairs()[id];
    return {state_->symbols_in_corpus(), state_->symbol_count(pair.left),
            state_->symbol_count(pair.right), m, pair.left == pair.right};
  }

  void watch(PairId id, Count m, Count wf) {
    if (id >= watched_.size()) watched_.resize(state_->pairs().size(), kNone);
    if (watched_[id] == kNone) {
      watched_[id] = static_cast<std::uint32_t>(facts_.size());
      facts_.push_back({});
      const Pair& pair = state_->pairs()[id];
      const SymbolId last = std::max(pair.left, pair.right);
      if (last >= pairs_of_.size()) pairs_of_.resize(last + 1);
      pairs_of_[pair.left].push_back(id);
      if (pair.right != pair.left) pairs_of_[pair.right].push_back(id);
    }
    facts_[watched_[id]] = {m, wf};
  }

  template <class Raise>
  void rescore(SymbolId symbol, Raise raise) {
    if (symbol >= pairs_of_.size()) return;
    std::vector<PairId>& pairs = pairs_of_[symbol];
    std::size_t kept = 0;
    for (const PairId id : pairs) {
      if (!state_->pairs()[id].alive) continue;
      pairs[kept++] = id;
      const Watched& facts = facts_[watched_[id]];
      const DescriptionCounts now = counts(id, facts.m);
      // m was counted earlier, and the pair may have lost occurrences: as many as c(a) allows are left.
      const Count possible = now.same ? now.c_a / 2 : std::min(now.c_a, now.c_b);
      if (possible < facts.m) {
        raise(id, weigh_bound(highest_gain(now.n, possible), facts.wf));
        continue;
      }
      const Approximation bits = approximate_gain(now);
      const auto gain = static_cast<Key>(std::ceil((bits.value + bits.error) * 256.0)) + 1;
      raise(id, weigh_bound(std::max(gain, kFewReplacementsGain), facts.wf));
    }
    pairs.resize(kept);
  }

  LearnerState* state_;
  std::vector<std::uint32_t> watched_;  // by pair, index into facts_
  std::vector<Watched> facts_;
  std::vector<std::vector<PairId>> pairs_of_;  // by symbol, the watched pairs that hold it
};

}  // namespace subword
