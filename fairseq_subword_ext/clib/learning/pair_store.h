// The symbol pairs and where they occur.
//
// A pair's positions are written once, when the pair is created, and not updated when merges destroy
// occurrences. Whoever needs the pair checks its positions first and drops the stale ones
// (LearnerState::scan). This is exact, since no measure needs a pair before it reaches the top of the queue,
// and it saves most of the work of keeping counts.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "text/hash.h"
#include "text/types.h"

namespace subword {

// No list is longer, since a corpus has fewer cells.
constexpr std::uint32_t kMostPositions = ~std::uint32_t{0} >> 1;

struct Pair {
  SymbolId left;
  SymbolId right;
  Position* positions;      // of the left symbol's first cell, in text order
  Count occ;                // at creation; if the store has an index, kept up to date
  std::uint32_t size : 31;
  std::uint32_t alive : 1;  // neither merged nor discarded
};

// Memory for position lists. Lists given to recycle() are reused for later ones.
class PositionPool {
 public:
  Position* allocate(std::size_t size) {
    while (size > left_ && !spare_.empty() && spare_.back().size >= size) {
      next_ = spare_.back().list;
      left_ = spare_.back().size;
      spare_.pop_back();
    }
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

  // Call it once the list will not be read again.
  void recycle(Position* list, std::size_t size) {
    if (size >= kSmallestSpare) spare_.push_back({list, size});
  }

 private:
  struct Spare {
    Position* list;
    std::size_t size;
  };
  static constexpr std::size_t kSmallestSpare = 64;
  static constexpr std::size_t kBlock = std::size_t{1} << 18;

  std::vector<std::unique_ptr<Position[]>> blocks_;
  std::vector<Spare> spare_;
  Position* next_ = nullptr;
  std::size_t left_ = 0;
};

// An occurrence of a pair that was too rare to be kept. It counts again only if a later merge makes one of
// its symbols a second time (from another pair with the same concatenation).
struct RareOccurrence {
  Position position;
  SymbolId neighbour;  // of the symbol that the merge made; see MergeOutput
};

// What one merge added: the pairs and rare occurrences that contain the symbol it made.
struct MergeOutput {
  PairId first_pair;
  PairId end_pair;
  std::size_t first_rare;        // start of those with the neighbour on the left
  std::size_t first_right_rare;  // start of those with the neighbour on the right
  std::size_t end_rare;
};

class PairStore {
 public:
  // Enables find(). Call it before adding the first pair.
  void make_index() { slots_.assign(1 << 12, kNone); }
  bool has_index() const { return !slots_.empty(); }

  PairId add(SymbolId left, SymbolId right, Position* positions, std::uint32_t size, Count occ) {
    const auto id = static_cast<PairId>(pairs_.size());
    pairs_.push_back({left, right, positions, occ, size & kMostPositions, true});
    if (has_index()) {
      if (pairs_.size() * 2 > slots_.size()) grow_index();
      slots_[slot_of(left, right)] = id;
    }
    return id;
  }

  // The latest pair of these symbols, or kNone. Requires an index.
  PairId find(SymbolId left, SymbolId right) const { return slots_[slot_of(left, right)]; }

  Pair& operator[](PairId id) { return pairs_[id]; }
  const Pair& operator[](PairId id) const { return pairs_[id]; }
  std::size_t size() const { return pairs_.size(); }

  PositionPool& pool() { return pool_; }
  std::vector<RareOccurrence>& rare() { return rare_; }

 private:
  // The pair's slot, or the free one where it would go.
  std::size_t slot_of(SymbolId left, SymbolId right) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = mix(pair_key(left, right), 1) & mask;
    while (slots_[slot] != kNone &&
           (pairs_[slots_[slot]].left != left || pairs_[slots_[slot]].right != right)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow_index() {
    slots_.assign(slots_.size() * 2, kNone);
    for (PairId id = 0; id + 1 < pairs_.size(); ++id) {
      slots_[slot_of(pairs_[id].left, pairs_[id].right)] = id;
    }
  }

  std::vector<Pair> pairs_;
  std::vector<PairId> slots_;
  PositionPool pool_;
  std::vector<RareOccurrence> rare_;
};

}  // namespace subword
