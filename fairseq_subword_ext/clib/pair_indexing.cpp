// The pairs of base symbols at the start, and the pairs of a symbol that is made a second time.
#include <algorithm>

#include "hash.h"
#include "learner_state.h"
#include "neighbour_groups.h"

namespace subword {

namespace {

// Numbers pairs of symbols in order of first occurrence.
class PairNumbers {
 public:
  PairNumbers() : slots_(1 << 14, Slot{0, kNone}) {}

  std::uint32_t get(SymbolId left, SymbolId right) {
    const std::uint64_t key = pair_key(left, right);
    Slot& slot = find(key);
    if (slot.number != kNone) return slot.number;
    const std::uint32_t number = count_++;
    slot = {key, number};
    if (std::size_t{count_} * 2 > slots_.size()) grow();
    return number;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;
  };

  Slot& find(std::uint64_t key) {
    std::size_t at = mix(key, 1) & (slots_.size() - 1);
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, kNone});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
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
  const std::vector<Cell>& cells = corpus_->cells();
  PairNumbers numbers;
  std::vector<Found> found;
  std::vector<std::uint32_t> number_at(cells.size(), kNone);
  for (std::size_t at = 1; at + 1 < cells.size(); ++at) {
    const SymbolId left = cells[at].symbol;
    const SymbolId right = cells[at + 1].symbol;
    if (left == kBoundary || right == kBoundary || !borders_.may_join(left, right)) continue;
    if (at % (1 << 22) == 0) poll(interrupt);
    const std::uint32_t number = numbers.get(left, right);
    if (number == found.size()) found.push_back({left, right, 0, 0, nullptr});
    number_at[at] = number;
    ++found[number].size;
    found[number].occ += corpus_->frequency(cells[at].type);
  }
  // Base symbols are never made again, so the rare pairs of base symbols can be forgotten.
  std::vector<PairId> ids(found.size(), kNone);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].occ < min_frequency_) continue;
    found[i].positions = pairs_.pool().allocate(found[i].size);
    ids[i] = pairs_.add(found[i].left, found[i].right, found[i].positions, found[i].size);
  }
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (number_at[at] == kNone) continue;
    Found& pair = found[number_at[at]];
    if (pair.positions != nullptr) *pair.positions++ = static_cast<Position>(at);
    number_at[at] = ids[number_at[at]];
  }
  if (track_contexts_) pair_at_ = std::move(number_at);
}

// The merge made a symbol that had been made before, so its pairs may have earlier occurrences, as
// pairs of their own or among the rare ones: they are one pair with the new ones.
void LearnerState::rejoin(SymbolId merged) {
  std::vector<std::pair<SymbolId, SymbolId>> touched;
  for (const auto& group : left_groups_->groups()) touched.emplace_back(group.neighbour, merged);
  for (const auto& group : right_groups_->groups()) {
    if (group.neighbour != merged) touched.emplace_back(merged, group.neighbour);
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
        pairs_.add(left, right, list, static_cast<std::uint32_t>(positions.size()));
    // Found again through the merge that has just been made.
    outputs_.back().end_pair = id + 1;
    effect_.created.push_back({id, scan(id)});
    if (track_contexts_) {
      const Pair& joined = pairs_[id];
      for (std::uint32_t i = 0; i < joined.size; ++i) pair_at_[joined.positions[i]] = id;
    }
  }
}

void LearnerState::revive_rare(SymbolId left, SymbolId right, std::vector<Position>* positions) {
  for (const SymbolId symbol : {left, right}) {
    for (const std::uint32_t step : outputs_of_[symbol]) {
      for (std::size_t i = outputs_[step].first_rare; i < outputs_[step].end_rare; ++i) {
        RareOccurrence& rare = pairs_.rare()[i];
        if (rare.left != left || rare.right != right) continue;
        if (occurs_at(left, right, rare.position)) positions->push_back(rare.position);
        rare.left = kNone;  // no symbol
      }
    }
    if (left == right) break;
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
