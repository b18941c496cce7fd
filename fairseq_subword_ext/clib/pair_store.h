// The symbol pairs and where they occur.
//
// A pair's positions are written once, when the pair comes into being, and are not updated when
// merges destroy occurrences: whoever needs the pair checks them (LearnerState::scan) and drops
// the stale ones then. That is exact, since no measure needs a pair before it reaches the top of
// the queue, and saves most of the work of keeping counts.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "types.h"

namespace subword {

struct Pair {
  SymbolId left;
  SymbolId right;
  Position* positions;  // of the left symbol's first cell, in the order of the text
  std::uint32_t size;
  bool alive;           // neither merged nor thrown away
};

// Memory for lists of positions that live as long as the learner.
class PositionPool {
 public:
  Position* allocate(std::size_t size) {
    if (size > left_) {
      const std::size_t block = std::max(size, kBlock);
      blocks_.push_back(std::unique_ptr<Position[]>(new Position[block]));
      if (size > kBlock / 2) return blocks_.back().get();  // a block of its own
      next_ = blocks_.back().get();
      left_ = block;
    }
    Position* list = next_;
    next_ += size;
    left_ -= size;
    return list;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;

  std::vector<std::unique_ptr<Position[]>> blocks_;
  Position* next_ = nullptr;
  std::size_t left_ = 0;
};

// An occurrence of a pair that was too rare to be kept as one. It counts again only if a later merge
// makes one of its symbols a second time (another pair with the same concatenation).
struct RareOccurrence {
  Position position;
  SymbolId left;
  SymbolId right;
};

// What one merge added: the pairs and rare occurrences that hold the symbol it made.
struct MergeOutput {
  PairId first_pair;
  PairId end_pair;
  std::size_t first_rare;
  std::size_t end_rare;
};

class PairStore {
 public:
  PairId add(SymbolId left, SymbolId right, Position* positions, std::uint32_t size) {
    pairs_.push_back({left, right, positions, size, true});
    return static_cast<PairId>(pairs_.size() - 1);
  }

  Pair& operator[](PairId id) { return pairs_[id]; }
  const Pair& operator[](PairId id) const { return pairs_[id]; }
  std::size_t size() const { return pairs_.size(); }

  PositionPool& pool() { return pool_; }
  std::vector<RareOccurrence>& rare() { return rare_; }

 private:
  std::vector<Pair> pairs_;
  PositionPool pool_;
  std::vector<RareOccurrence> rare_;
};

}  // namespace subword
