// The total order in which pairs of equal score are merged. It makes a run independent of hash values, the
// number of threads and the platform.
#pragma once

#include "learning/candidate_queue.h"
#include "learning/learner.h"

namespace subword {

class TieOrder {
 public:
  TieOrder(LearnerState* state, TieBreak rule) : state_(state), rule_(rule) {}

  // Returns a number that is greater for the pair that comes first; wins() decides between equal numbers.
  // For kFirst, scan the pair before: a stale first position makes the number an upper bound, like any key.
  std::uint64_t tie(PairId id) const {
    const Pair& pair = state_->pairs()[id];
    if (rule_ == TieBreak::kFirst) return ~static_cast<std::uint64_t>(pair.positions[0]);
    const std::uint64_t prefix = state_->corpus().symbols().prefix(pair.left);
    return rule_ == TieBreak::kGreatest ? prefix : ~prefix;
  }

  template <class Key>
  bool wins(const Candidate<Key>& x, const Candidate<Key>& y) const {
    if (x.key != y.key) return x.key > y.key;
    if (x.tie != y.tie) return x.tie > y.tie;
    if (x.pair == y.pair || rule_ == TieBreak::kFirst) return false;
    const int order = compare(state_->pairs()[x.pair], state_->pairs()[y.pair]);
    return rule_ == TieBreak::kGreatest ? order > 0 : order < 0;
  }

 private:
  int compare(const Pair& x, const Pair& y) const {
    const SymbolTable& symbols = state_->corpus().symbols();
    // Compare both spellings first, and only then which of two symbols spelled alike has the marker.
    const int left = symbols.spelling(x.left).compare(symbols.spelling(y.left));
    if (left != 0) return left;
    const int right = symbols.spelling(x.right).compare(symbols.spelling(y.right));
    if (right != 0) return right;
    const int left_marker = symbols.compare(x.left, y.left);
    return left_marker != 0 ? left_marker : symbols.compare(x.right, y.right);
  }

  LearnerState* state_;
  TieBreak rule_;
};

}  // namespace subword
