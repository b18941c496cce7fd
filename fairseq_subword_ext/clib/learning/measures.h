// The built-in goodness measures, as policies of the merge loop.
//
// The loop works with upper bounds: a pair waits in the queue under a key that its score cannot exceed, and
// is scored exactly when that key reaches the top. A policy provides
//   Key fresh(pair, counts)            a bound for a pair that is new or has gained occurrences,
//   Key exact(pair, counts)            the current score,
//   Key later(pair, counts, exact)     a bound that holds until the policy raises it,
//   after_merge(effect, best, raise)  which raises the bounds that no longer hold; `best` is the score of
//                                     the merge just made.
// `counts` come from a scan since the last merge. With kOccurrencesOnly the pair is not scanned, and only
// counts.occ is set.
#pragma once

#include <algorithm>
#include <vector>

#include "learning/learner_state.h"

namespace subword {

// frequency: occ(p). Occurrences are only ever lost, so a score stays a valid bound.
class Frequency {
 public:
  using Key = Count;
  static constexpr bool kContexts = false;
  static constexpr bool kOccurrencesOnly = true;

  explicit Frequency(LearnerState*) {}
  Key fresh(PairId, const PairCounts& counts) { return counts.occ; }
  Key exact(PairId, const PairCounts& counts) { return counts.occ; }
  Key later(PairId, const PairCounts&, Key exact) { return exact; }
  template <class Raise>
  void after_merge(const MergeEffect&, Key, Raise) {}
};

// frq: types(p); frq-weighted: types(p) wf(p). Neither ever rises.
template <bool kWeighted>
class TypeFrequency {
 public:
  using Key = std::conditional_t<kWeighted, WideScore, Count>;
  static constexpr bool kContexts = false;
  static constexpr bool kOccurrencesOnly = false;

  explicit TypeFrequency(LearnerState*) {}
  Key fresh(PairId, const PairCounts& counts) { return score(counts); }
  Key exact(PairId, const PairCounts& counts) { return score(counts); }
  Key later(PairId, const PairCounts&, Key exact) { return exact; }
  template <class Raise>
  void after_merge(const MergeEffect&, Key, Raise) {}

 private:
  static Key score(const PairCounts& counts) {
    return kWeighted ? static_cast<Key>(counts.types) * counts.wf : counts.types;
  }
};

// av: min(L(p), R(p)); av-weighted: the same times wf(p).
//
// A merge can give a pair at most one new neighbour on each side, the merged symbol, and may remove others.
// So L and R when last counted, plus the merges that touched that side since, are upper bounds. So is the
// number of occurrences.
template <bool kWeighted>
class AccessorVariety {
 public:
  using Key = std::conditional_t<kWeighted, WideScore, Count>;
  static constexpr bool kContexts = true;
  static constexpr bool kOccurrencesOnly = false;

  explicit AccessorVariety(LearnerState* state) : state_(state) {}

  Key fresh(PairId pair, const PairCounts& counts) {
    return weigh(state_->pairs()[pair].size, counts.wf);
  }

  Key exact(PairId pair, const PairCounts& counts) {
    if (pair >= variety_index_.size()) variety_index_.resize(state_->pairs().size(), kNone);
    if (variety_index_[pair] == kNone) {
      variety_index_[pair] = static_cast<std::uint32_t>(varieties_.size());
      varieties_.push_back({});
    }
    Variety& variety = varieties_[variety_index_[pair]];
    Count left, right;
    state_->neighbours(pair, &left, &right);
    variety = {left, right, counts.wf, step_, step_, pair};
    return weigh(std::min(left, right), counts.wf);
  }

  Key later(PairId, const PairCounts&, Key exact) { return exact; }

  template <class Raise>
  void after_merge(const MergeEffect& effect, Key, Raise raise) {
    ++step_;
    for (const PairId pair : effect.left_changed) {
      Variety* variety = find_variety(pair);
      if (variety == nullptr || variety->left_step == step_) continue;
      variety->left_step = step_;
      ++variety->left;
      if (variety->left <= variety->right) raise(pair, bound(*variety));
    }
    for (const PairId pair : effect.right_changed) {
      Variety* variety = find_variety(pair);
      if (variety == nullptr || variety->right_step == step_) continue;
      variety->right_step = step_;
      ++variety->right;
      if (variety->right <= variety->left) raise(pair, bound(*variety));
    }
  }

 private:
  struct Variety {
    Count left, right, wf;
    std::uint32_t left_step, right_step;  // the last merge counted on that side
    PairId pair;
  };

  static Key weigh(Count variety, Count wf) {
    return kWeighted ? static_cast<Key>(variety) * wf : variety;
  }

  Key bound(const Variety& variety) {
    const Count size = state_->pairs()[variety.pair].size;
    return weigh(std::min(std::min(variety.left, variety.right), size), variety.wf);
  }

  Variety* find_variety(PairId pair) {
    if (pair >= variety_index_.size() || variety_index_[pair] == kNone) return nullptr;
    return &varieties_[variety_index_[pair]];
  }

  LearnerState* state_;
  std::vector<std::uint32_t> variety_index_;  // by pair, index into varieties_
  std::vector<Variety> varieties_;
  std::uint32_t step_ = 0;
};

}  // namespace subword
