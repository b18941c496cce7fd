// A priority queue of pairs by their current occurrences, for measures that need nothing else.
//
// It is a CandidateQueue that remembers only the pairs, in a sixth of the memory. When a bucket becomes the
// highest one, its pairs get the occurrences that they have by then: many have fallen into a lower bucket, at
// the cost of one append.
#pragma once

#include <algorithm>
#include <vector>

#include "learning/candidate_queue.h"
#include "learning/learner_state.h"
#include "learning/tie_order.h"

namespace subword {

class OccurrenceQueue {
  using Entry = Candidate<Count>;

  auto after() const {
    return [this](const Entry& x, const Entry& y) { return ties_->wins(y, x); };
  }

 public:

  OccurrenceQueue(LearnerState* state, const TieOrder* ties)
      : state_(state), ties_(ties), buckets_(kBuckets) {}

  // The key must be the pair's current number of occurrences.
  void push(const Entry& entry) {
    const int bucket = bucket_of(entry.key);
    if (bucket == highest_ && ordered_) {
      top_.push_back(entry);
      std::push_heap(top_.begin(), top_.end(), after());
      return;
    }
    if (bucket > highest_) {
      for (const Entry& waiting : top_) buckets_[highest_].push_back(waiting.pair);
      top_.clear();
      ordered_ = false;
      highest_ = bucket;
    }
    buckets_[bucket].push_back(entry.pair);
  }

  bool empty() {
    while (top_.empty() && highest_ >= 0) {
      if (ordered_ || buckets_[highest_].empty()) {
        --highest_;
        ordered_ = false;
      } else {
        order_highest();
      }
    }
    return highest_ < 0;
  }

  // Call top() and pop() only after empty() has returned false.
  const Entry& top() { return top_.front(); }
  void pop() {
    std::pop_heap(top_.begin(), top_.end(), after());
    top_.pop_back();
  }

 private:
  void order_highest() {
    ordered_ = true;
    std::vector<PairId> waiting;
    waiting.swap(buckets_[highest_]);
    for (const PairId id : waiting) {
      const Pair& pair = state_->pairs()[id];
      if (!pair.alive || pair.occ < state_->min_frequency()) continue;
      const int bucket = bucket_of(pair.occ);
      if (bucket == highest_) {
        top_.push_back({pair.occ, ties_->tie(id), id});
      } else {
        buckets_[bucket].push_back(id);
      }
    }
    std::make_heap(top_.begin(), top_.end(), after());
  }

  LearnerState* state_;
  const TieOrder* ties_;
  std::vector<std::vector<PairId>> buckets_;
  std::vector<Entry> top_;  // the pairs of the highest bucket, as a heap, if it is ordered
  int highest_ = -1;
  bool ordered_ = false;
};

}  // namespace subword
