// The merge loops of Segmenter, for short and for long words.
#include <algorithm>
#include <limits>

#include "segmenting/segmenter.h"

namespace subword {

namespace {

constexpr int kPlaceBits = 7;
constexpr std::uint32_t kShort = 1u << kPlaceBits;  // in symbols; up to here a scan beats a heap
static_assert(MergeRules::kMostSymbols < 1u << (31 - kPlaceBits));  // a key packs rank and place
constexpr std::int32_t kNoKey = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kStale = kNone - 1;

bool survives(double dropout, Random* random) {
  return dropout <= 0.0 || random->uniform() >= dropout;
}

}  // namespace

void Segmenter::merge(double dropout, Random* random, SegmenterScratch* scratch) const {
  if (match_.is_usable() && dropout <= 0.0) {
    match_.segment(rules_, &scratch->symbols, &scratch->starts, &scratch->match);
  } else if (scratch->symbols.size() > kShort && rules_.are_scored() && dropout <= 0.0) {
    merge_by_score(scratch);
  } else if (scratch->symbols.size() > kShort) {
    merge_long(dropout, random, scratch);
  } else if (dropout > 0.0) {
    merge_short_with_dropout(dropout, random, scratch);
  } else {
    merge_short(scratch);
  }
}

// Sennrich, Haddow & Birch (2016): merge the pair of lowest rank in the word, at all its places from left to
// right, until no pair has a rule.
//
// A merged symbol stays at the place of its left part; the place of its right part has no pair any more. A
// pair's rank and place are packed into one integer, so the search for the lowest runs over a plain array.
void Segmenter::merge_short(SegmenterScratch* scratch) const {
  std::vector<SymbolId>& symbols = scratch->symbols;
  std::vector<std::uint32_t>& starts = scratch->starts;
  const auto size = static_cast<std::uint32_t>(symbols.size());
  constexpr std::uint32_t kBlock = 8;  // a fixed block size lets the compiler vectorize
  std::int32_t keys[kShort];
  SymbolId merged[kShort];
  std::uint8_t before[kShort + 1];
  std::uint8_t after[kShort + 1];
  const auto look_up = [&](std::uint32_t at) {
    if (after[at] >= size) {
      keys[at] = kNoKey;
      return;
    }
    const Rule rule = rules_.find(symbols[at], symbols[after[at]]);
    keys[at] = rule.rank == kNone ? kNoKey : static_cast<std::int32_t>(rule.rank << kPlaceBits | at);
    merged[at] = rule.merged;
  };
  for (std::uint32_t at = 0; at < size; ++at) {
    before[at] = static_cast<std::uint8_t>(at - 1);
    after[at] = static_cast<std::uint8_t>(at + 1);
    look_up(at);
  }
  const std::uint32_t end = (size + kBlock - 1) / kBlock * kBlock;
  std::fill(keys + size, keys + end, kNoKey);
  const auto lowest = [&] {
    std::int32_t lowest = kNoKey;
    for (std::uint32_t at = 0; at < end; ++at) lowest = std::min(lowest, keys[at]);
    return lowest;
  };
  const bool in_order = !rules_.are_scored();
  for (std::int32_t key = lowest(); key != kNoKey;) {
    const std::uint32_t at = static_cast<std::uint32_t>(key) & (kShort - 1);
    const std::uint32_t right = after[at];
    symbols[at] = merged[at];
    keys[right] = kNoKey;
    after[at] = after[right];
    before[after[at]] = static_cast<std::uint8_t>(at);
    look_up(at);
    if (at > 0) look_up(before[at]);
    const std::int32_t next = lowest();
    const std::int32_t rank = key >> kPlaceBits;
    key = next;
    if (next >> kPlaceBits < rank && in_order) {
      // Reached only if the rules are not in the order of learning: a merge has made a pair of lower rank.
      // The other places of the merged pair still come first.
      const auto is_same = [&](std::int32_t other) { return other >> kPlaceBits == rank; };
      const std::int32_t* other = std::find_if(keys + at, keys + size, is_same);
      if (other != keys + size) key = *other;
    }
  }
  std::size_t kept = 0;
  for (std::uint32_t at = 0; at < size; at = after[at], ++kept) {
    symbols[kept] = symbols[at];
    starts[kept] = starts[at];
  }
  symbols.resize(kept);
  starts.resize(kept);
}

// The same with BPE-dropout: in each round, every pair is dropped with some probability.
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

// SentencePiece's BPE: merge the leftmost of the best pairs, then consider the pairs this makes before the
// next merge. Records the last pair considered for each unused piece.
void Segmenter::merge_by_score(SegmenterScratch* scratch) const {
  using Step = SegmenterScratch::Step;
  std::vector<SegmenterScratch::Link>& links = scratch->links;
  std::vector<Step>& heap = scratch->heap;
  const auto size = static_cast<std::uint32_t>(scratch->symbols.size());
  links.clear();
  heap.clear();
  scratch->considered.clear();
  const auto later = [](const Step& x, const Step& y) {
    return x.rank != y.rank ? x.rank > y.rank : x.at > y.at;
  };
  const auto consider = [&](std::uint32_t at) {
    const std::uint32_t next = links[at].after;
    if (next == kNone) return;
    const Rule rule = rules_.find(links[at].symbol, links[next].symbol);
    if (rule.rank == kNone) return;
    heap.push_back({rule.rank, at, links[at].version, links[next].version});
    std::push_heap(heap.begin(), heap.end(), later);
    if (rules_.is_unused(rule.merged)) {
      scratch->considered[rule.merged] = {links[at].symbol, links[next].symbol};
    }
  };
  for (std::uint32_t i = 0; i < size; ++i) {
    links.push_back({scratch->symbols[i], scratch->starts[i], 0, i == 0 ? kNone : i - 1,
                     i + 1 < size ? i + 1 : kNone, 0});
  }
  for (std::uint32_t i = 0; i < size; ++i) consider(i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Step step = heap.back();
    heap.pop_back();
    SegmenterScratch::Link& left = links[step.at];
    if (left.version != step.version_left || left.after == kNone) continue;
    SegmenterScratch::Link& right = links[left.after];
    if (right.version != step.version_right) continue;
    left.symbol = rules_.find(left.symbol, right.symbol).merged;
    ++left.version;
    right.version = kNone;  // absorbed
    left.after = right.after;
    if (left.after != kNone) links[left.after].before = step.at;
    if (left.before != kNone) consider(left.before);
    consider(step.at);
  }
  read_links(scratch);
}

// merge_short() in O(n log n), for text written without spaces. A dropped merge waits until the next merge.
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
    // Merge all places of the best pair before looking at the pairs this makes.
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
      right.version = kNone;  // absorbed: no step here is valid any more
      left.after = right.after;
      if (left.after != kNone) links[left.after].before = step.at;
      made.push_back(step);
    }
    if (best == kNone) break;
    const std::size_t known = heap.size();
    std::uint32_t previous = kNone;
    for (const Step& step : made) {
      const std::uint32_t before = links[step.at].before;
      // If the merge right before was made too, it has added the pair of both. Under dropout, adding it
      // twice would give it a second chance.
      if (before != kNone && before != previous) step_at(before, &heap);
      step_at(step.at, &heap);
      previous = step.at;
    }
    heap.insert(heap.end(), dropped.begin(), dropped.end());
    for (std::size_t end = known + 1; end <= heap.size(); ++end) {
      std::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(end), later);
    }
  }
  read_links(scratch);
}

// Copies the remaining symbols, in order.
void Segmenter::read_links(SegmenterScratch* scratch) {
  scratch->symbols.clear();
  scratch->starts.clear();
  for (std::uint32_t at = 0; at != kNone; at = scratch->links[at].after) {
    scratch->symbols.push_back(scratch->links[at].symbol);
    scratch->starts.push_back(scratch->links[at].begin);
  }
}

}  // namespace subword
