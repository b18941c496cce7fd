// A priority queue of pairs: highest key first, ties broken by TieOrder.
//
// Keys go into buckets by magnitude, and a bucket becomes a heap only when it is the highest one left. Most
// pairs never get that far, so they cost one append.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learning/ratio.h"
#include "text/types.h"

namespace subword {

template <class Key>
struct Candidate {
  Key key;
  std::uint64_t tie;  // settles most ties; see TieOrder
  PairId pair;
};

inline int bit_width(std::uint64_t value) { return value == 0 ? 0 : 64 - __builtin_clzll(value); }

// bucket_of() is monotone in the key and returns 0 to kBuckets - 1.
constexpr int kBuckets = 4096;
inline int bucket_of_magnitude(Unsigned128 magnitude) {
  // The bit length, and the three bits after the leading one.
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int bits = high != 0 ? 64 + bit_width(high) : bit_width(static_cast<std::uint64_t>(magnitude));
  const auto next = bits <= 4 ? static_cast<int>(static_cast<std::uint64_t>(magnitude)) & 7
                              : static_cast<int>(static_cast<std::uint64_t>(magnitude >> (bits - 4))) & 7;
  return bits <= 4 ? static_cast<int>(static_cast<std::uint64_t>(magnitude)) : bits * 8 + next;
}
inline int bucket_of(WideScore key) {
  return key >= 0 ? kBuckets / 2 + bucket_of_magnitude(static_cast<Unsigned128>(key))
                  : kBuckets / 2 - 1 - bucket_of_magnitude(static_cast<Unsigned128>(-key));
}
inline int bucket_of(std::int64_t key) { return bucket_of(static_cast<WideScore>(key)); }
inline int bucket_of(const Ratio& key) { return bucket_of(key.sum / key.parts); }
inline int bucket_of(double key) {
  if (key == 0) return kBuckets / 2;
  const int exponent = std::clamp(std::isinf(key) ? 1000 : std::ilogb(key), -1000, 1000) + 1001;
  return key > 0 ? kBuckets / 2 + exponent : kBuckets / 2 - exponent;
}

// `Before(x, y)` returns whether x comes out before y.
template <class Key, class Before>
class CandidateQueue {
 public:
  using Entry = Candidate<Key>;

  explicit CandidateQueue(Before before)
      : before_(before), buckets_(kBuckets), ordered_(kBuckets, false) {}

  void push(const Entry& entry) {
    const int bucket = bucket_of(entry.key);
    std::vector<Entry>& entries = buckets_[bucket];
    entries.push_back(entry);
    if (ordered_[bucket]) std::push_heap(entries.begin(), entries.end(), after());
    highest_ = std::max(highest_, bucket);
  }

  bool empty() {
    while (highest_ >= 0 && buckets_[highest_].empty()) {
      std::vector<Entry>().swap(buckets_[highest_]);
      ordered_[highest_] = false;
      --highest_;
    }
    return highest_ < 0;
  }

  // Call top() and pop() only after empty() has returned false.
  const Entry& top() {
    order_top();
    return buckets_[highest_].front();
  }
  void pop() {
    order_top();
    std::vector<Entry>& entries = buckets_[highest_];
    std::pop_heap(entries.begin(), entries.end(), after());
    entries.pop_back();
  }

 private:
  auto after() {
    return [this](const Entry& x, const Entry& y) { return before_(y, x); };
  }

  void order_top() {
    if (ordered_[highest_]) return;
    ordered_[highest_] = true;
    std::make_heap(buckets_[highest_].begin(), buckets_[highest_].end(), after());
  }

  Before before_;
  std::vector<std::vector<Entry>> buckets_;
  std::vector<bool> ordered_;  // whether the bucket is a heap
  int highest_ = -1;
};

}  // namespace subword
