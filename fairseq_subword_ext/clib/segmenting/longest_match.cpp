#include "segmenting/longest_match.h"

#include <algorithm>
#include <utility>

#include "text/hash.h"
#include "text/key_map.h"

namespace subword {

namespace {

constexpr std::uint32_t kRoot = 0;

}  // namespace

// Builds the trie with linked lists first, then packs it.
class LongestMatch::Builder {
 public:
  // Symbols of a learned table share most of their prefixes.
  static constexpr std::size_t kMostNodesPerSymbol = 16;

  explicit Builder(LongestMatch* owner)
      : owner_(*owner), most_(kMostNodesPerSymbol * (owner->codes_.size() + 64)), edges_(2 * owner->codes_.size()) {
    nodes_.emplace_back();
    nodes_of_.resize(owner_.codes_.size(), kNone);
  }

  // Adds a base symbol, or a symbol whose parts have been added. Returns false if the trie has become too large.
  bool add(SymbolId symbol) {
    const Origin& origin = owner_.origins_[symbol];
    std::uint32_t node = kRoot;
    std::uint32_t length = 1;
    if (origin.rank == 0) {
      node = step(kRoot, owner_.codes_[symbol]);
    } else {
      length = owner_.matches_[origin.left].length + owner_.matches_[origin.right].length;
      node = nodes_of_[origin.left];
      rest_.assign(1, origin.right);
      while (!rest_.empty() && nodes_.size() <= most_) {
        const SymbolId next = rest_.back();
        rest_.pop_back();
        const Origin& parts = owner_.origins_[next];
        if (parts.rank == 0) {
          node = step(node, owner_.codes_[next]);
        } else {
          rest_.push_back(parts.right);
          rest_.push_back(parts.left);
        }
      }
    }
    nodes_[node].symbol = symbol;
    nodes_of_[symbol] = node;
    owner_.matches_[symbol] = {length, kNone};
    return nodes_.size() <= most_;
  }

  void pack(std::uint32_t codes) {
    std::vector<Node>& packed = owner_.nodes_;
    packed.assign(1 + 2 * codes, Node());
    next_free_.clear();
    std::vector<std::uint32_t> places(nodes_.size(), kNone);  // of each node in `packed`
    std::vector<SymbolId> shorter(nodes_.size(), kNone);
    std::vector<std::uint32_t> children;
    places[kRoot] = kRoot;
    take(kRoot);
    // A node comes before its children in nodes_.
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      const SymbolId symbol = nodes_[node].symbol;
      if (symbol != kNone) owner_.matches_[symbol].shorter = shorter[node];
      packed[places[node]].ends_symbol = symbol != kNone;
      children.clear();
      for (std::uint32_t child = nodes_[node].first_child; child != kNone; child = nodes_[child].next) {
        children.push_back(child);
        shorter[child] = symbol == kNone ? shorter[node] : symbol;
      }
      if (children.empty()) continue;
      const std::uint32_t base = room_for(children, codes);
      if (packed.size() < base + 2 * std::size_t{codes}) packed.resize(base + 2 * std::size_t{codes});
      packed[places[node]].base = base;
      for (const std::uint32_t child : children) {
        const std::uint32_t place = base + nodes_[child].code;
        take(place);
        places[child] = place;
        packed[place].parent = places[node];
      }
    }
    owner_.ends_.assign(packed.size(), kNone);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) owner_.ends_[places[node]] = nodes_[node].symbol;
  }

 private:
  struct LinkedNode {
    std::uint32_t code = 0;
    std::uint32_t first_child = kNone, next = kNone;
    SymbolId symbol = kNone;
  };

  std::uint32_t step(std::uint32_t node, std::uint32_t code) {
    std::uint32_t& child = edges_.at(pair_key(node, code));
    if (child == kNone) {
      child = static_cast<std::uint32_t>(nodes_.size());
      LinkedNode made;
      made.code = code;
      made.next = nodes_[node].first_child;
      nodes_[node].first_child = child;
      nodes_.push_back(made);
    }
    return child;
  }

  // next_free_ leads from a place to the first free one at or after it, with path halving.
  std::uint32_t free_place(std::uint32_t place) {
    make_places(place + 1);
    while (next_free_[place] != place) {
      make_places(next_free_[place] + 1);
      next_free_[place] = next_free_[next_free_[place]];
      place = next_free_[place];
    }
    return place;
  }
  void take(std::uint32_t place) {
    make_places(place + 2);
    next_free_[place] = place + 1;
    used_ = std::max(used_, place + 1);
  }
  void make_places(std::size_t size) {
    while (next_free_.size() < size) next_free_.push_back(static_cast<std::uint32_t>(next_free_.size()));
  }
  bool is_free(std::uint32_t place) const { return place >= next_free_.size() || next_free_[place] == place; }

  // A base for which all children's places are free. Tries a few among the first free places and a few among
  // the last; beyond them, everything is free.
  std::uint32_t room_for(const std::vector<std::uint32_t>& children, std::uint32_t codes) {
    constexpr int kTries = 16;
    std::uint32_t first = nodes_[children.front()].code;
    for (const std::uint32_t child : children) first = std::min(first, nodes_[child].code);
    for (const std::uint32_t from : {std::uint32_t{0}, used_ - std::min(used_, codes)}) {
      std::uint32_t place = std::max(from, first + 1);  // a base is at least 1
      for (int i = 0; i < kTries; ++i, ++place) {
        place = free_place(place);
        const std::uint32_t base = place - first;
        const auto fits = [&](std::uint32_t child) { return is_free(base + nodes_[child].code); };
        if (std::all_of(children.begin(), children.end(), fits)) return base;
      }
    }
    return used_;
  }

  LongestMatch& owner_;
  const std::size_t most_;  // nodes
  KeyMap edges_;  // (node, code) -> child node
  std::vector<LinkedNode> nodes_;
  std::vector<std::uint32_t> nodes_of_;  // by symbol
  std::vector<SymbolId> rest_;
  std::vector<std::uint32_t> next_free_;
  std::uint32_t used_ = 0;  // places after the last one taken
};

LongestMatch::LongestMatch(const MergeRules& rules) {
  is_usable_ = !rules.are_scored() && build(rules);
  if (is_usable_) return;
  origins_ = {};
  matches_ = {};
  codes_ = {};
}

// Returns false if the rules are unsuitable.
bool LongestMatch::build(const MergeRules& rules) {
  const std::size_t symbols = rules.known_symbols();
  // One more, for what occurs in no rule.
  origins_.assign(symbols + 1, {0, kNone, kNone});
  matches_.assign(symbols + 1, {1, kNone});
  const std::vector<SymbolId> base = rules.base_symbols();
  const auto codes = static_cast<std::uint32_t>(base.size());
  codes_.assign(symbols + 1, codes);  // no node has a child for this code
  enum State : char { kUnknown, kNeeded, kMade };
  std::vector<State> states(symbols, kUnknown);
  Builder trie(this);
  for (std::uint32_t code = 0; code < codes; ++code) {
    codes_[base[code]] = code;
    states[base[code]] = kMade;
    if (!trie.add(base[code])) return false;
  }
  std::uint32_t rank = 0;
  for (const MergeRules::Merge& merge : rules.merges()) {
    const std::uint32_t own_rank = rank++;
    if (states[merge.left] != kMade || states[merge.right] != kMade) {
      for (const SymbolId part : {merge.left, merge.right}) {
        if (states[part] != kMade) states[part] = kNeeded;
      }
      continue;  // never applies, unless a later rule makes the part
    }
    if (rules.find(merge.left, merge.right).rank != own_rank) continue;  // a repetition
    // A rule that others always forestall makes nothing.
    if (own_rank > 0 && merge_across(rules, merge.left, merge.right, own_rank - 1)) continue;
    if (states[merge.merged] != kUnknown) return false;  // made twice, or too late, or spelled like a base symbol
    states[merge.merged] = kMade;
    origins_[merge.merged] = {own_rank + 1, merge.left, merge.right};
    if (!trie.add(merge.merged)) return false;
  }
  trie.pack(codes);
  return true;
}

// Whether merging the base symbols of both would join symbols of one with symbols of the other, by a rule of at
// most the given rank.
//
// Only the right edge of `left` and the left edge of `right` matter. From the full symbols back in time, this
// visits all pairs of edges that existed at the same time. A rule for such a pair joins them unless one of the
// two merged into a larger symbol before; at equal rank, the leftmost place is merged first.
bool LongestMatch::merge_across(const MergeRules& rules, SymbolId left, SymbolId right, std::uint32_t most) const {
  std::uint32_t left_gone = most + 1;  // the first rank at which the left edge is part of more
  std::uint32_t right_last = most;     // the last rank at which the right edge may be merged
  for (;;) {
    const std::uint32_t rank = rules.find(left, right).rank;
    if (rank < left_gone && rank <= right_last) return true;
    const Origin& of_left = origins_[left];
    const Origin& of_right = origins_[right];
    if ((of_left.rank | of_right.rank) == 0) return false;
    // Which of the two was made later cannot be predicted, so this has no branch.
    const bool split_left = of_left.rank > of_right.rank;
    left_gone = split_left ? of_left.rank - 1 : left_gone;
    right_last = split_left ? right_last : of_right.rank - 1;
    left = split_left ? of_left.right : left;
    right = split_left ? right : of_right.left;
  }
}

// The longest symbol that the text starts with. A base symbol without rules is its own.
LongestMatch::Found LongestMatch::longest(const SymbolId* text, const SymbolId* end) const {
  std::uint32_t node = kRoot;
  std::uint32_t best = kRoot;
  const SymbolId* best_end = text + 1;
  for (const SymbolId* at = text; at < end; ++at) {
    const std::uint32_t child = nodes_[node].base + codes_[*at];
    if (nodes_[child].parent != node) break;
    node = child;
    if (nodes_[node].ends_symbol) {
      best = node;
      best_end = at + 1;
    }
  }
  return {best == kRoot ? *text : ends_[best], static_cast<std::uint32_t>(best_end - text)};
}

void LongestMatch::segment(const MergeRules& rules, std::vector<SymbolId>* symbols,
                           std::vector<std::uint32_t>* starts, MatchScratch* scratch) const {
  constexpr std::uint32_t kNever = kNone - 1;  // all ranks are below it
  const std::size_t size = symbols->size();
  if (scratch->symbols.size() < size) {
    scratch->symbols.resize(size);
    scratch->places.resize(size);
  }
  scratch->dead.assign(size / 64 + 1, 0);
  const SymbolId* const text = symbols->data();
  SymbolId* const chosen = scratch->symbols.data();
  std::uint32_t* const places = scratch->places.data();
  std::uint64_t* const dead = scratch->dead.data();
  std::size_t count = 0;
  std::uint32_t place = 0;
  Found next{kNone, 0};
  if (size > 0) next = longest(text, text + size);
  while (place < size) {
    const std::uint32_t end = place + next.length;
    if ((dead[end / 64] >> (end % 64) & 1) == 0 &&
        (count == 0 || !merge_across(rules, chosen[count - 1], next.symbol, kNever))) {
      chosen[count] = next.symbol;
      places[count] = place;
      ++count;
      place = end;
      if (place < size) next = longest(text + place, text + size);
      continue;
    }
    SymbolId shorter = matches_[next.symbol].shorter;
    while (shorter == kNone) {
      // The symbols before are the only ones that can precede this place, so nothing ever fits here.
      dead[place / 64] |= std::uint64_t{1} << place % 64;
      --count;
      place = places[count];
      shorter = matches_[chosen[count]].shorter;
    }
    next = {shorter, matches_[shorter].length};
  }
  std::copy(chosen, chosen + count, symbols->begin());
  for (std::size_t i = 0; i < count; ++i) (*starts)[i] = (*starts)[places[i]];
  symbols->resize(count);
  starts->resize(count);
}

}  // namespace subword
