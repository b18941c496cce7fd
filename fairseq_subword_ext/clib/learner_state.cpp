#include "learner_state.h"

#include <algorithm>

#include "hash.h"

namespace subword {

class LearnerState::NeighbourGroups {
 public:
  struct Group {
    SymbolId neighbour;
    std::uint32_t size;
    TypeId last_type;
    PairFacts facts;
    Position* positions;
  };

  void clear(std::size_t symbols) {
    for (const Group& group : groups_) group_of_[group.neighbour] = kNone;
    group_of_.resize(symbols, kNone);
    groups_.clear();
    events_.clear();
  }

  // Positions have to come in the order of the text.
  void add(SymbolId neighbour, Position at, TypeId type, Count frequency) {
    std::uint32_t& index = group_of_[neighbour];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back({neighbour, 0, kNone, {}, nullptr});
    }
    Group& group = groups_[index];
    ++group.size;
    group.facts.occ += frequency;
    if (type != group.last_type) {
      group.last_type = type;
      ++group.facts.types;
      group.facts.wf += frequency;
    }
    events_.push_back({index, at});
  }

  // Gives every group whose occurrences suffice a list of its own, and lets `rare` have the others.
  template <class Rare>
  void distribute(Count min_frequency, PositionPool* pool, Rare rare) {
    for (Group& group : groups_) {
      if (group.facts.occ >= min_frequency) group.positions = pool->allocate(group.size);
    }
    for (const Event& event : events_) {
      Group& group = groups_[event.group];
      if (group.positions != nullptr) {
        *group.positions++ = event.at;
      } else {
        rare(group.neighbour, event.at);
      }
    }
    for (Group& group : groups_) {
      if (group.positions != nullptr) group.positions -= group.size;
    }
  }

  const std::vector<Group>& groups() const { return groups_; }

 private:
  struct Event {
    std::uint32_t group;
    Position at;
  };
  std::vector<std::uint32_t> group_of_;  // by symbol
  std::vector<Group> groups_;
  std::vector<Event> events_;
};

LearnerState::LearnerState(Corpus* corpus, Count min_frequency, bool count_types,
                           bool track_contexts, const Interrupt& interrupt)
    : corpus_(corpus),
      cells_(corpus->cells().data()),
      min_frequency_(std::max<Count>(min_frequency, 1)),
      count_types_(count_types),
      track_contexts_(track_contexts),
      left_groups_(std::make_unique<NeighbourGroups>()),
      right_groups_(std::make_unique<NeighbourGroups>()) {
  count_symbols();
  index_pairs(interrupt);
}

LearnerState::~LearnerState() = default;

void LearnerState::count_symbols() {
  counts_.assign(corpus_->symbols().size(), 0);
  for (const Cell& cell : corpus_->cells()) {
    if (cell.symbol == kBoundary) continue;
    const Count count = weight(cell.type);
    counts_[cell.symbol] += count;
    if (__builtin_add_overflow(total_, count, &total_)) {
      throw InputError("the corpus has more than 2^63 - 1 symbols");
    }
  }
}

void LearnerState::index_pairs(const Interrupt& interrupt) {
  struct Slot {
    std::uint64_t key;
    std::uint32_t index;
  };
  struct Found {
    SymbolId left, right;
    std::uint32_t size;
    Count occ;
    Position* positions;
  };
  const std::vector<Cell>& cells = corpus_->cells();
  std::vector<Slot> slots(1 << 14, Slot{0, kNone});
  std::vector<Found> found;
  std::vector<std::uint32_t> index_at(cells.size(), kNone);
  for (std::size_t at = 1; at + 1 < cells.size(); ++at) {
    const SymbolId left = cells[at].symbol;
    const SymbolId right = cells[at + 1].symbol;
    if (left == kBoundary || right == kBoundary) continue;
    if (at % (1 << 22) == 0) poll(interrupt);
    const std::uint64_t key = pair_key(left, right);
    std::size_t slot = mix(key, 1) & (slots.size() - 1);
    while (slots[slot].index != kNone && slots[slot].key != key) {
      slot = (slot + 1) & (slots.size() - 1);
    }
    if (slots[slot].index == kNone) {
      slots[slot] = {key, static_cast<std::uint32_t>(found.size())};
      found.push_back({left, right, 0, 0, nullptr});
      if (found.size() * 2 > slots.size()) {
        std::vector<Slot> larger(slots.size() * 2, Slot{0, kNone});
        for (std::uint32_t i = 0; i < found.size(); ++i) {
          const std::uint64_t moved = pair_key(found[i].left, found[i].right);
          std::size_t free = mix(moved, 1) & (larger.size() - 1);
          while (larger[free].index != kNone) free = (free + 1) & (larger.size() - 1);
          larger[free] = {moved, i};
        }
        slots.swap(larger);
        index_at[at] = static_cast<std::uint32_t>(found.size() - 1);
      } else {
        index_at[at] = slots[slot].index;
      }
    } else {
      index_at[at] = slots[slot].index;
    }
    Found& pair = found[index_at[at]];
    ++pair.size;
    pair.occ += corpus_->frequency(cells[at].type);
  }
  // Base symbols are never made again, so the rare pairs of base symbols can be forgotten.
  std::vector<PairId> ids(found.size(), kNone);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].occ < min_frequency_) continue;
    found[i].positions = pairs_.pool().allocate(found[i].size);
    ids[i] = pairs_.add(found[i].left, found[i].right, found[i].positions, found[i].size);
  }
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (index_at[at] == kNone) continue;
    Found& pair = found[index_at[at]];
    if (pair.positions != nullptr) *pair.positions++ = static_cast<Position>(at);
    index_at[at] = ids[index_at[at]];
  }
  if (track_contexts_) pair_at_ = std::move(index_at);
}

PairFacts LearnerState::scan(PairId id) {
  Pair& pair = pairs_[id];
  const std::uint32_t step = lengths(pair.left);
  PairFacts facts;
  TypeId last = kNone;
  Position* kept = pair.positions;
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    const Position at = pair.positions[i];
    if (cells_[at].symbol != pair.left || cells_[at + step].symbol != pair.right) continue;
    *kept++ = at;
    const TypeId type = cells_[at].type;
    const Count frequency = corpus_->frequency(type);
    facts.occ += frequency;
    if (type != last) {
      last = type;
      ++facts.types;
      facts.wf += frequency;
    }
  }
  pair.size = static_cast<std::uint32_t>(kept - pair.positions);
  return facts;
}

Count LearnerState::replacements(PairId id) const {
  const Pair& pair = pairs_[id];
  const Position size = lengths(pair.left) + lengths(pair.right);
  Position next = 0;
  Count made = 0;
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    const Position at = pair.positions[i];
    if (at < next) continue;  // "aaa" holds the pair twice and is replaced once
    made += weight(cells_[at].type);
    next = at + size;
  }
  return made;
}

void LearnerState::neighbours(PairId id, Count* left, Count* right) {
  const Pair& pair = pairs_[id];
  const Position size = lengths(pair.left) + lengths(pair.right);
  seen_left_.resize(counts_.size(), 0);
  seen_right_.resize(counts_.size(), 0);
  ++call_;
  *left = *right = 0;
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    const Position at = pair.positions[i];
    std::uint32_t& before = seen_left_[cells_[at - 1].symbol];
    std::uint32_t& after = seen_right_[cells_[at + size].symbol];
    *left += before != call_;
    *right += after != call_;
    before = after = call_;
  }
}

PairStatistics LearnerState::statistics(PairId id, const PairFacts& facts) {
  PairStatistics all{facts.occ, facts.types, facts.wf, 0, 0, counts_[pairs_[id].left],
                     counts_[pairs_[id].right], total_, replacements(id)};
  neighbours(id, &all.L, &all.R);
  return all;
}

const MergeEffect& LearnerState::merge(PairId id) {
  const Pair pair = pairs_[id];
  pairs_[id].alive = false;
  const std::size_t known = corpus_->symbols().size();
  const SymbolId merged = corpus_->symbols().intern_merged(pair.left, pair.right);
  const std::size_t symbols = corpus_->symbols().size();
  counts_.resize(symbols, 0);
  outputs_of_.resize(symbols);
  effect_.left = pair.left;
  effect_.right = pair.right;
  effect_.merged = merged;
  effect_.created.clear();
  effect_.left_changed.clear();
  effect_.right_changed.clear();
  effect_.lost.clear();
  left_groups_->clear(symbols);
  right_groups_->clear(symbols);

  replace(pair, merged);

  MergeOutput output;
  output.first_pair = static_cast<PairId>(pairs_.size());
  output.first_rare = pairs_.rare().size();
  keep(*left_groups_, merged, true);
  keep(*right_groups_, merged, false);
  output.end_pair = static_cast<PairId>(pairs_.size());
  output.end_rare = pairs_.rare().size();
  outputs_of_[merged].push_back(static_cast<std::uint32_t>(outputs_.size()));
  outputs_.push_back(output);
  if (merged < known) rejoin(merged);
  return effect_;
}

void LearnerState::replace(const Pair& pair, SymbolId merged) {
  const std::uint32_t left_length = lengths(pair.left);
  const std::uint32_t merged_length = left_length + lengths(pair.right);
  Count made = 0;
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    const Position at = pair.positions[i];
    if (!occurs_at(pair.left, pair.right, at)) continue;  // overlapped by the replacement before it
    const Position inside = at + left_length;
    const Position last = at + merged_length - 1;
    const Position next = last + 1;
    const SymbolId before = cells_[at - 1].symbol;
    const SymbolId after = cells_[next].symbol;
    if (track_contexts_) notice_contexts(pair, at, next, before, after);
    cells_[at].symbol = merged;
    if (inside != last) cells_[inside].symbol = kNone;
    cells_[last].symbol = merged;

    const TypeId type = cells_[at].type;
    const Count frequency = corpus_->frequency(type);
    made += count_types_ ? 1 : frequency;
    if (before != kBoundary) left_groups_->add(before, at - lengths(before), type, frequency);
    // Where the next symbols are another occurrence, the pair with it is made when that is replaced.
    if (after != kBoundary && !occurs_at(pair.left, pair.right, next)) {
      SymbolId neighbour = after;
      NeighbourGroups* groups = right_groups_.get();
      if (after == merged) groups = left_groups_.get();  // (merged, merged) is one pair, not two
      groups->add(neighbour, at, type, frequency);
    }
  }
  counts_[pair.left] -= made;
  counts_[pair.right] -= made;
  counts_[merged] += made;
  total_ -= made;
}

void LearnerState::notice_contexts(const Pair& pair, Position at, Position next, SymbolId before,
                                   SymbolId after) {
  const auto lose = [&](Position where) {
    if (pair_at_[where] != kNone) effect_.lost.push_back({pair_at_[where], cells_[where].type});
  };
  const auto note = [&](std::vector<PairId>* list, Position where) {
    if (pair_at_[where] != kNone) list->push_back(pair_at_[where]);
  };
  if (before != kBoundary) {
    const Position start = at - lengths(before);
    lose(start);
    const SymbolId further = cells_[start - 1].symbol;
    if (further != kBoundary) note(&effect_.right_changed, start - lengths(further));
  }
  if (after != kBoundary) {
    lose(at + lengths(pair.left));
    note(&effect_.left_changed, next);
  }
}

void LearnerState::keep(const NeighbourGroups& groups, SymbolId merged, bool on_the_left) {
  const_cast<NeighbourGroups&>(groups).distribute(
      min_frequency_, &pairs_.pool(), [&](SymbolId neighbour, Position at) {
        pairs_.rare().push_back(on_the_left ? RareOccurrence{at, neighbour, merged}
                                            : RareOccurrence{at, merged, neighbour});
        if (track_contexts_) pair_at_[at] = kNone;
      });
  for (const NeighbourGroups::Group& group : groups.groups()) {
    if (group.positions == nullptr) continue;
    const SymbolId left = on_the_left ? group.neighbour : merged;
    const SymbolId right = on_the_left ? merged : group.neighbour;
    const PairId id = pairs_.add(left, right, group.positions, group.size);
    effect_.created.push_back({id, group.facts});
    if (track_contexts_) {
      for (std::uint32_t i = 0; i < group.size; ++i) pair_at_[group.positions[i]] = id;
    }
  }
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
