#include "learning/learner_state.h"

#include <algorithm>

#include "learning/neighbour_groups.h"

namespace subword {

namespace {

// Prefetches the cells of the words ahead in a loop over a pair's positions, which are scattered over memory.
// (Always inlined: GCC treats a function that only prefetches as one without effect.)
class Prefetcher {
 public:
  Prefetcher(const Pair& pair, const Cell* cells)
      : positions_(pair.positions), size_(pair.size), cells_(cells) {
    for (std::uint32_t i = 0; i < kAhead; ++i) prefetch(i);
  }

  [[gnu::always_inline]] void at(std::uint32_t i) const { prefetch(i + kAhead); }

 private:
  static constexpr std::uint32_t kAhead = 32;

  [[gnu::always_inline]] void prefetch(std::uint32_t i) const {
    if (i < size_) __builtin_prefetch(&cells_[positions_[i]]);
  }

  const Position* positions_;
  std::uint32_t size_;
  const Cell* cells_;
};

}  // namespace

LearnerState::LearnerState(Corpus* corpus, Count min_frequency, bool count_types,
                           bool track_contexts, bool count_losses, Borders borders, const Interrupt& interrupt)
    : corpus_(corpus),
      cells_(corpus->cells()),
      min_frequency_(std::max<Count>(min_frequency, 1)),
      count_types_(count_types),
      track_contexts_(track_contexts),
      borders_(borders, &corpus->symbols()),
      left_groups_(std::make_unique<NeighbourGroups>()),
      right_groups_(std::make_unique<NeighbourGroups>()) {
  if (count_losses) pairs_.make_index();
  count_symbols();
  index_pairs(interrupt);
}

LearnerState::~LearnerState() = default;

void LearnerState::count_symbols() {
  counts_ = corpus_->base_counts();
  if (count_types_) {
    counts_.assign(corpus_->symbols().size(), 0);
    for (Position at = 0; at < corpus_->end(); ++at) {
      if (!is_boundary(cells_[at])) ++counts_[cells_[at]];
    }
  }
  for (const Count count : counts_) {
    if (__builtin_add_overflow(total_, count, &total_)) {
      throw InputError("the corpus has more than 2^63 - 1 symbols");
    }
  }
}

PairCounts LearnerState::scan(PairId id) {
  Pair& pair = pairs_[id];
  const std::uint32_t step = lengths(pair.left);
  PairCounts counts;
  TypeId last = kNone;
  Position* kept = pair.positions;
  const Prefetcher prefetcher(pair, cells_);
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    prefetcher.at(i);
    const Position at = pair.positions[i];
    if (cells_[at] != pair.left || cells_[at + step] != pair.right) continue;
    *kept++ = at;
    const TypeId type = corpus_->type_at(at + step);
    const Count frequency = corpus_->frequency(type);
    counts.occ += frequency;
    if (type != last) {
      last = type;
      ++counts.types;
      counts.wf += frequency;
    }
  }
  pair.size = static_cast<std::uint32_t>(kept - pair.positions) & kMostPositions;
  return counts;
}

Count LearnerState::replacements(PairId id) const {
  const Pair& pair = pairs_[id];
  const Position size = lengths(pair.left) + lengths(pair.right);
  Position next = 0;
  Count made = 0;
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    const Position at = pair.positions[i];
    if (at < next) continue;  // "aaa" contains the pair twice but is replaced once
    made += weight_at(at);
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
    std::uint32_t& before = seen_left_[symbol_of(cells_[at - 1])];
    std::uint32_t& after = seen_right_[symbol_of(cells_[at + size])];
    *left += before != call_;
    *right += after != call_;
    before = after = call_;
  }
}

PairStatistics LearnerState::statistics(PairId id, const PairCounts& counts) {
  PairStatistics all{counts.occ, counts.types, counts.wf, 0, 0, counts_[pairs_[id].left],
                     counts_[pairs_[id].right], total_, replacements(id)};
  neighbours(id, &all.L, &all.R);
  return all;
}

const MergeEffect& LearnerState::merge(PairId id) {
  const Pair pair = pairs_[id];
  pairs_[id].alive = false;
  const std::size_t known = corpus_->symbols().size();
  const SymbolId merged = corpus_->symbols().intern_merged(pair.left, pair.right);
  borders_.join(pair.left, pair.right, merged);
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
  if (pairs_.has_index()) count_losses(pair, merged, merged >= known);
  pairs_.pool().recycle(pair.positions, pair.size);

  MergeOutput output;
  output.first_pair = static_cast<PairId>(pairs_.size());
  output.first_rare = pairs_.rare().size();
  keep(left_groups_.get(), merged, true);
  output.first_right_rare = pairs_.rare().size();
  keep(right_groups_.get(), merged, false);
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
  effect_.replacements = 0;
  const Prefetcher prefetcher(pair, cells_);
  for (std::uint32_t i = 0; i < pair.size; ++i) {
    prefetcher.at(i);
    const Position at = pair.positions[i];
    if (!occurs_at(pair.left, pair.right, at)) continue;  // overlapped by the replacement before it
    const Position inside = at + left_length;
    const Position last = at + merged_length - 1;
    const Position next = last + 1;
    const SymbolId before = symbol_of(cells_[at - 1]);
    const SymbolId after = symbol_of(cells_[next]);
    if (track_contexts_) notice_contexts(pair, at, next, before, after);
    cells_[at] = merged;
    if (inside != last) cells_[inside] = kInside;
    cells_[last] = merged;

    const TypeId type = corpus_->type_at(next);
    const Count frequency = corpus_->frequency(type);
    made += count_types_ ? 1 : frequency;
    effect_.replacements += frequency;
    if (before != kBoundary) left_groups_->add(before, at - lengths(before), type, frequency);
    // If another occurrence follows, the pair with it is added when that occurrence is replaced.
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
  const TypeId type = corpus_->type_at(next);
  const auto lose = [&](Position where) {
    if (pair_at_[where] != kNone) effect_.lost.push_back({pair_at_[where], type});
  };
  const auto record = [&](std::vector<PairId>* list, Position where) {
    if (pair_at_[where] != kNone) list->push_back(pair_at_[where]);
  };
  if (before != kBoundary) {
    const Position start = at - lengths(before);
    lose(start);
    const SymbolId further = symbol_of(cells_[start - 1]);
    if (further != kBoundary) record(&effect_.right_changed, start - lengths(further));
  }
  if (after != kBoundary) {
    lose(at + lengths(pair.left));
    record(&effect_.left_changed, next);
  }
}

// Every new occurrence replaces one that had the merged pair's left or right symbol, and that one is lost.
void LearnerState::count_losses(const Pair& pair, SymbolId merged, bool is_new) {
  const auto lose = [this](SymbolId left, SymbolId right, Count occ) {
    const PairId id = pairs_.find(left, right);
    if (id != kNone) pairs_[id].occ -= occ;
  };
  for (const auto& group : left_groups_->groups()) {
    if (group.neighbour != merged) {
      lose(group.neighbour, pair.left, group.counts.occ);
    } else if (is_new) {  // two replacements side by side
      lose(pair.right, pair.left, group.counts.occ);
    }
  }
  for (const auto& group : right_groups_->groups()) {
    lose(pair.right, group.neighbour, group.counts.occ);
  }
  if (is_new) return;
  // The symbol existed before, so the group with it mixes occurrences that replace different pairs.
  for (const auto& [left, right] : {std::pair(pair.right, pair.left), std::pair(merged, pair.left),
                                    std::pair(pair.right, merged)}) {
    const PairId id = pairs_.find(left, right);
    if (id != kNone && pairs_[id].alive) pairs_[id].occ = scan(id).occ;
  }
}

void LearnerState::keep(NeighbourGroups* groups, SymbolId merged, bool on_the_left) {
  groups->distribute(
      min_frequency_, &pairs_.pool(),
      [&](SymbolId neighbour) {
        return on_the_left ? borders_.may_join(neighbour, merged)
                           : borders_.may_join(merged, neighbour);
      },
      [&](const NeighbourGroups::Group& group, Position at) {
        if (track_contexts_) pair_at_[at] = kNone;
        if (group.allowed) pairs_.rare().push_back({at, group.neighbour});
      });
  for (const NeighbourGroups::Group& group : groups->groups()) {
    if (group.positions == nullptr) continue;
    const SymbolId left = on_the_left ? group.neighbour : merged;
    const SymbolId right = on_the_left ? merged : group.neighbour;
    const PairId id = pairs_.add(left, right, group.positions, group.size, group.counts.occ);
    effect_.created.push_back({id, group.counts});
    if (track_contexts_) {
      for (std::uint32_t i = 0; i < group.size; ++i) pair_at_[group.positions[i]] = id;
    }
  }
}

}  // namespace subword
