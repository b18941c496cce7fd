// The new occurrences that a merge makes with its neighbours on one side, grouped by neighbour.
#pragma once

#include <vector>

#include "learning/learner_state.h"
#include "learning/pair_store.h"

namespace subword {

class NeighbourGroups {
 public:
  struct Group {
    SymbolId neighbour;
    std::uint32_t size;
    TypeId last_type;
    bool allowed;  // by the borders
    PairCounts counts;
    Position* positions;
  };

  void clear(std::size_t symbols) {
    for (const Group& group : groups_) group_of_[group.neighbour] = kNone;
    group_of_.resize(symbols, kNone);
    groups_.clear();
    events_.clear();
  }

  // Positions must be added in text order.
  void add(SymbolId neighbour, Position at, TypeId type, Count frequency) {
    std::uint32_t& index = group_of_[neighbour];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back({neighbour, 0, kNone, true, {}, nullptr});
    }
    Group& group = groups_[index];
    ++group.size;
    group.counts.occ += frequency;
    if (type != group.last_type) {
      group.last_type = type;
      ++group.counts.types;
      group.counts.wf += frequency;
    }
    events_.push_back({index, at});
  }

  // Gives every allowed group with at least min_frequency occurrences a position list of its own, and passes
  // the occurrences of all other groups to `rare`.
  template <class Allowed, class Rare>
  void distribute(Count min_frequency, PositionPool* pool, Allowed allowed, Rare rare) {
    for (Group& group : groups_) {
      group.allowed = allowed(group.neighbour);
      if (group.allowed && group.counts.occ >= min_frequency) {
        group.positions = pool->allocate(group.size);
      }
    }
    for (const Event& event : events_) {
      Group& group = groups_[event.group];
      if (group.positions != nullptr) {
        *group.positions++ = event.at;
      } else {
        rare(group, event.at);
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

}  // namespace subword
