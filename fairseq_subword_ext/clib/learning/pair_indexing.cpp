// Indexes the pairs of base symbols at the start, and the pairs of a symbol that is made a second time.
#include <algorithm>

#include "text/hash.h"
#include "text/key_map.h"
#include "learning/learner_state.h"
#include "learning/neighbour_groups.h"

namespace subword {

namespace {

// Numbers pairs of base symbols in order of first occurrence.
class PairNumbers {
 public:
  explicit PairNumbers(SymbolId base_end)
      : width_(base_end <= kMostDense ? base_end : 0),
        dense_(std::size_t{width_} * width_, kNone),
        numbers_(width_ == 0 ? 1 << 13 : 0) {}

  // Returns the pair's number, assigning the next one if the pair is new.
  std::uint32_t get(SymbolId left, SymbolId right) {
    std::uint32_t& number = width_ != 0 ? dense_[std::size_t{left} * width_ + right]
                                        : numbers_.at(pair_key(left, right));
    if (number == kNone) number = count_++;
    return number;
  }

 private:
  // Up to this many base symbols, a table of all pairs is small and fast.
  static constexpr SymbolId kMostDense = 768;

  SymbolId width_;  // of the dense table; 0 if there are too many symbols for one
  std::vector<std::uint32_t> dense_;
  KeyMap numbers_;
  std::uint32_t count_ = 0;
};

}  // namespace

void LearnerState::index_pairs(const Interrupt& interrupt) {
  struct Found {
    SymbolId left, right;
    std::uint32_t size;
    Count occ;
    Position* positions;
  };
  PairNumbers numbers(corpus_->base_end());
  std::vector<Found> found;
  const auto for_all_pairs = [&](const auto& use) {
    Position polled = 0;
    TypeId type;
    for (Position begin = 1; begin < corpus_->end(); begin = type + 1) {
      type = corpus_->type_at(begin);
      const Count frequency = corpus_->frequency(type);
      for (Position at = begin; at + 1 < type; ++at) {
        const SymbolId left = cells_[at];
        const SymbolId right = cells_[at + 1];
        if (!borders_.may_join(left, right)) continue;
        const std::uint32_t number = numbers.get(left, right);
        if (number == found.size()) found.push_back({left, right, 0, 0, nullptr});
        use(at, number, frequency);
      }
      if (begin - polled > 1 << 22) {
        poll(interrupt);
        polled = begin;
      }
    }
  };
  for_all_pairs([&](Position, std::uint32_t number, Count frequency) {
    ++found[number].size;
    found[number].occ += frequency;
  });
  // No merge makes a base symbol, so rare pairs of base symbols can be forgotten.
  std::vector<PairId> ids(found.size(), kNone);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].occ < min_frequency_) continue;
    found[i].positions = pairs_.pool().allocate(found[i].size);
    ids[i] = pairs_.add(found[i].left, found[i].right, found[i].positions, found[i].size,
                        found[i].occ);
  }
  if (track_contexts_) pair_at_.assign(corpus_->end(), kNone);
  // Looking the numbers up again costs less than keeping them all.
  for_all_pairs([&](Position at, std::uint32_t number, Count) {
    Found& pair = found[number];
    if (pair.positions != nullptr) *pair.positions++ = at;
    if (track_contexts_) pair_at_[at] = ids[number];
  });
}

// The merge made a symbol that had been made before, so its pairs may have earlier occurrences, either in
// pairs of their own or among the rare ones. Joins them with the new occurrences into one pair.
void LearnerState::rejoin(SymbolId merged) {
  std::vector<std::pair<SymbolId, SymbolId>> touched;
  for (const auto& group : left_groups_->groups()) {
    if (group.allowed) touched.emplace_back(group.neighbour, merged);
  }
  for (const auto& group : right_groups_->groups()) {
    if (group.allowed && group.neighbour != merged) touched.emplace_back(merged, group.neighbour);
  }
  effect_.created.clear();
  for (const auto& [left, right] : touched) {
    std::vector<Position> positions;
    for (PairId id; (id = find_pair(left, right)) != kNone;) {
      Pair& old = pairs_[id];
      positions.insert(positions.end(), old.positions, old.positions + old.size);
      old.alive = false;
    }
    revive_rare(left, right, &positions);
    std::sort(positions.begin(), positions.end());
    Position* list = pairs_.pool().allocate(positions.size());
    std::copy(positions.begin(), positions.end(), list);
    const PairId id =
        pairs_.add(left, right, list, static_cast<std::uint32_t>(positions.size()), 0);
    // Lets find_pair() find it through the merge just made.
    outputs_.back().end_pair = id + 1;
    effect_.created.push_back({id, scan(id)});
    pairs_[id].occ = effect_.created.back().counts.occ;
    if (track_contexts_) {
      const Pair& joined = pairs_[id];
      for (std::uint32_t i = 0; i < joined.size; ++i) pair_at_[joined.positions[i]] = id;
    }
  }
}

void LearnerState::revive_rare(SymbolId left, SymbolId right, std::vector<Position>* positions) {
  const auto revive = [&](std::size_t first, std::size_t end, SymbolId neighbour) {
    for (std::size_t i = first; i < end; ++i) {
      RareOccurrence& rare = pairs_.rare()[i];
      if (rare.neighbour != neighbour) continue;
      if (occurs_at(left, right, rare.position)) positions->push_back(rare.position);
      rare.neighbour = kNone;  // taken: matches no symbol
    }
  };
  for (const std::uint32_t step : outputs_of_[right]) {
    revive(outputs_[step].first_rare, outputs_[step].first_right_rare, left);
  }
  for (const std::uint32_t step : outputs_of_[left]) {
    revive(outputs_[step].first_right_rare, outputs_[step].end_rare, right);
  }
}

PairId LearnerState::find_pair(SymbolId left, SymbolId right) const {
  for (const SymbolId symbol : {left, right}) {
    for (const std::uint32_t step : outputs_of_[symbol]) {
      for (PairId id = outputs_[step].first_pair; id < outputs_[step].end_pair; ++id) {
        const Pair& pair = pairs_[id];
        if (pair.alive && pair.left == left && pair.right == right) return id;
      }
    }
  }
  return kNone;
}

}  // namespace subword
