// The merging itself, for short words and for long ones.
#include <algorithm>

#include "segmenter.h"

namespace subword {

namespace {

constexpr std::size_t kShort = 128;  // symbols; up to here scanning beats a heap
constexpr std::uint32_t kStale = kNone - 1;

bool survives(double dropout, Random* random) {
  return dropout <= 0.0 || random->uniform() >= dropout;
}

}  // namespace

void Segmenter::merge(double dropout, Random* random, SegmenterScratch* scratch) const {
  if (scratch->symbols.size() > kShort) {
    merge_long(dropout, random, scratch);
  } else if (dropout > 0.0) {
    merge_short_with_dropout(dropout, random, scratch);
  } else {
    merge_short(scratch);
  }
}

// Sennrich, Haddow & Birch 2016: of all pairs in the word the one of the lowest rank is merged, at all
// its places from left to right, until none is left.
//
// A merged symbol stays at the place of its left part; the other place has no pair any more, so that
// the search for the lowest rank runs over a plain array.
void Segmenter::merge_short(SegmenterScratch* scratch) const {
  std::vector<SymbolId>& symbols = scratch->symbols;
  std::vector<std::uint32_t>& starts = scratch->starts;
  const auto size = static_cast<std::uint32_t>(symbols.size());
  std::uint32_t ranks[kShort];  // of the pair that starts at a place
  SymbolId merged[kShort];
  std::uint32_t before[kShort + 1];
  std::uint32_t after[kShort + 1];
  bool gone[kShort] = {};
  const auto look_up = [&](std::uint32_t at) {
    const Rule rule = after[at] < size ? rules_.find(symbols[at], symbols[after[at]]) : Rule{kNone, 0};
    ranks[at] = rule.rank;
    merged[at] = rule.merged;
  };
  for (std::uint32_t at = 0; at < size; ++at) {
    before[at] = at - 1;
    after[at] = at + 1;
    look_up(at);
  }
  // Blocks of a fixed size, and no way out of the middle of one: that is what vector instructions need.
  constexpr std::uint32_t kBlock = 8;
  const std::uint32_t blocks = (size + kBlock - 1) / kBlock;
  std::fill(ranks + size, ranks + blocks * kBlock, kNone);
  for (;;) {
    std::uint32_t best = kNone;
    for (std::uint32_t at = 0; at < blocks * kBlock; ++at) best = std::min(best, ranks[at]);
    if (best == kNone) break;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::uint32_t found = 0;
      for (std::uint32_t i = 0; i < kBlock; ++i) found |= ranks[block * kBlock + i] == best;
      if (!found) continue;
      for (std::uint32_t at = block * kBlock; at < (block + 1) * kBlock; ++at) {
        if (ranks[at] != best) continue;
        const std::uint32_t right = after[at];
        symbols[at] = merged[at];
        gone[right] = true;
        ranks[right] = kNone;
        after[at] = after[right];
        before[after[at]] = at;
        look_up(at);
        if (at > 0) look_up(before[at]);
      }
    }
  }
  std::size_t kept = 0;
  for (std::uint32_t at = 0; at < size; ++at) {
    if (gone[at]) continue;
    symbols[kept] = symbols[at];
    starts[kept] = starts[at];
    ++kept;
  }
  symbols.resize(kept);
  starts.resize(kept);
}

// The same, where each merge is left out with some probability.
void Segmenter::merge_short_with_dropout(double dropout, Random* random,
                                         SegmenterScratch* scratch) const {
  std::vector<SymbolId>& symbols = scratch->symbols;
  std::vector<std::uint32_t>& starts = scratch->starts;
  std::size_t size = symbols.size();
  std::uint32_t ranks[kShort + 1];
  SymbolId merged[kShort + 1];
  bool dropped[kShort + 1];
  std::fill(dropped, dropped + size, false);
  for (std::size_t i = 0; i + 1 < size; ++i) {
    const Rule rule = rules_.find(symbols[i], symbols[i + 1]);
    ranks[i] = rule.rank;
    merged[i] = rule.merged;
  }
  while (size > 1) {
    std::uint32_t best = kNone;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (dropout > 0.0) dropped[i] = ranks[i] != kNone && !survives(dropout, random);
      if (!dropped[i]) best = std::min(best, ranks[i]);
    }
    if (best == kNone) break;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++kept) {
      starts[kept] = starts[i];
      if (i + 1 < size && ranks[i] == best && !dropped[i]) {
        symbols[kept] = merged[i];
        ranks[kept] = kStale;
        if (kept > 0) ranks[kept - 1] = kStale;
        i += 2;
      } else {
        symbols[kept] = symbols[i];
        ranks[kept] = ranks[i];
        merged[kept] = merged[i];
        i += 1;
      }
    }
    size = kept;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (ranks[i] != kStale) continue;
      const Rule rule = rules_.find(symbols[i], symbols[i + 1]);
      ranks[i] = rule.rank;
      merged[i] = rule.merged;
    }
  }
  symbols.resize(size);
  starts.resize(size);
}

// The same for words without spaces, in n log n. A dropped merge waits until the next one is made.
void Segmenter::merge_long(double dropout, Random* random, SegmenterScratch* scratch) const {
  using Step = SegmenterScratch::Step;
  std::vector<SegmenterScratch::Link>& links = scratch->links;
  const auto size = static_cast<std::uint32_t>(scratch->symbols.size());
  links.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    links.push_back({scratch->symbols[i], scratch->starts[i], 0, i == 0 ? kNone : i - 1,
                     i + 1 < size ? i + 1 : kNone, 0});
  }
  const auto later = [](const Step& x, const Step& y) {
    return x.rank != y.rank ? x.rank > y.rank : x.at > y.at;
  };
  const auto step_at = [&](std::uint32_t at, std::vector<Step>* out) {
    const std::uint32_t next = links[at].after;
    if (next == kNone) return;
    const Rule rule = rules_.find(links[at].symbol, links[next].symbol);
    if (rule.rank != kNone) out->push_back({rule.rank, at, links[at].version, links[next].version});
  };
  const auto valid = [&](const Step& step) {
    const SegmenterScratch::Link& link = links[step.at];
    return link.version == step.version_left && link.after != kNone &&
           links[link.after].version == step.version_right;
  };
  std::vector<Step>& heap = scratch->heap;
  std::vector<Step>& dropped = scratch->dropped;
  std::vector<Step>& made = scratch->made;
  heap.clear();
  for (std::uint32_t i = 0; i < size; ++i) step_at(i, &heap);
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    dropped.clear();
    made.clear();
    std::uint32_t best = kNone;
    // All places of the best pair are merged before what that makes is looked at.
    while (!heap.empty() && (best == kNone || heap.front().rank == best)) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const Step step = heap.back();
      heap.pop_back();
      if (!valid(step)) continue;
      if (!survives(dropout, random)) {
        dropped.push_back(step);
        continue;
      }
      best = step.rank;
      SegmenterScratch::Link& left = links[step.at];
      SegmenterScratch::Link& right = links[left.after];
      left.symbol = rules_.find(left.symbol, right.symbol).merged;
      ++left.version;
      right.version = kNone;  // gone: no step is valid here any more
      left.after = right.after;
      if (left.after != kNone) links[left.after].before = step.at;
      made.push_back(step);
    }
    if (best == kNone) break;
    const std::size_t known = heap.size();
    std::uint32_t previous = kNone;
    for (const Step& step : made) {
      const std::uint32_t before = links[step.at].before;
      // A merge right before this one has the pair of both already; twice would count under dropout.
      if (before != kNone && before != previous) step_at(before, &heap);
      step_at(step.at, &heap);
      previous = step.at;
    }
    heap.insert(heap.end(), dropped.begin(), dropped.end());
    for (std::size_t end = known + 1; end <= heap.size(); ++end) {
      std::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(end), later);
    }
  }
  scratch->symbols.clear();
  scratch->starts.clear();
  for (std::uint32_t at = 0; at != kNone; at = links[at].after) {
    scratch->symbols.push_back(links[at].symbol);
    scratch->starts.push_back(links[at].begin);
  }
}

}  // namespace subword
