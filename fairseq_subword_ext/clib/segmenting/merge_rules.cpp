#include "segmenting/merge_rules.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "text/text.h"

namespace subword {

namespace {

constexpr std::string_view kEndOfWord = "</w>";
constexpr std::size_t kCodePoints = 0x110000;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

MergeRules::MergeRules(const MergeList& merges, Unit unit, Marker marker)
    : unit_(unit), marker_(marker), spellings_(merges.size() + merges.size() / 8) {
  if (merges.size() > kMostSymbols) {
    throw InputError("the table has more than " + std::to_string(kMostSymbols) + " merges");
  }
  make_room(merges.size());
  add(merges);
  number_base_symbols();
}

MergeRules::MergeRules(const std::vector<ScoredPiece>& pieces)
    : unit_(Unit::kByte), marker_(Marker::kNone), spellings_(pieces.size() + 256), are_scored_(true) {
  for (const ScoredPiece& piece : pieces) {
    const SymbolId id = spellings_.intern(piece.spelling);
    unused_.resize(std::max<std::size_t>(unused_.size(), id + 1));
    unused_[id] = piece.is_unused;
  }
  for (int byte = 0; byte < 256; ++byte) spellings_.intern(byte_symbol(static_cast<std::uint8_t>(byte)));
  if (spellings_.size() > kMostSymbols) throw InputError("the model has too many pieces");
  std::vector<std::uint32_t> by_score(pieces.size());
  std::iota(by_score.begin(), by_score.end(), 0);
  std::stable_sort(by_score.begin(), by_score.end(), [&](std::uint32_t a, std::uint32_t b) {
    return pieces[a].score > pieces[b].score;
  });
  struct Split {
    SymbolId left, right;
    Rule rule;
  };
  std::vector<Split> splits;
  std::uint32_t rank = 0;  // pieces of equal score share a rank
  for (std::size_t i = 0; i < by_score.size(); ++i) {
    const ScoredPiece& piece = pieces[by_score[i]];
    if (i > 0 && piece.score != pieces[by_score[i - 1]].score) ++rank;
    for (std::size_t at = 1; at < piece.spelling.size(); ++at) {
      if ((static_cast<unsigned char>(piece.spelling[at]) & 0xC0u) == 0x80u) continue;
      const SymbolId left = spellings_.find(piece.spelling.substr(0, at));
      const SymbolId right = spellings_.find(piece.spelling.substr(at));
      if (left == kNone || right == kNone) continue;
      splits.push_back({left, right, {rank, spellings_.find(piece.spelling)}});
    }
  }
  if (splits.size() > kMostSymbols) throw InputError("the model has too many pieces");
  make_room(splits.size());
  for (const Split& split : splits) add_rule(split.left, split.right, split.rule);
  number_base_symbols();
}

void MergeRules::make_room(std::size_t rules) {
  std::size_t size = 16;
  while (size < rules * 2) size *= 2;
  slots_.assign(size, {kFree, {kNone, kNone}});
  mask_ = size - 1;
  maybe_.assign(std::size_t{1} << (64 - kMaybeShift - 6), 0);
}

// Returns the pair's slot. A pair that already has a rule keeps that one.
std::size_t MergeRules::add_rule(SymbolId left, SymbolId right, Rule rule) {
  const std::uint64_t pair = pair_key(left, right);
  const std::uint64_t hash = mix(pair, 1);
  std::size_t slot = hash & mask_;
  while (slots_[slot].pair != kFree && slots_[slot].pair != pair) slot = (slot + 1) & mask_;
  if (slots_[slot].pair == kFree) slots_[slot] = {pair, rule};
  const std::uint64_t maybe = hash >> kMaybeShift;
  maybe_[maybe / 64] |= std::uint64_t{1} << maybe % 64;
  return slot;
}

void MergeRules::add(const MergeList& merges) {
  std::vector<std::size_t> places;
  places.reserve(merges.size());
  merges_.reserve(merges.size());
  std::string merged;
  for (const auto& [left, right] : merges) {
    if (left.empty() || right.empty()) {
      throw InputError("merge " + std::to_string(merges_.size() + 1) + " has an empty symbol");
    }
    merged.assign(left).append(right);
    const SymbolId first = spellings_.intern(left);
    const SymbolId second = spellings_.intern(right);
    const SymbolId made = spellings_.intern(merged);
    if (spellings_.size() > kMostSymbols) {
      throw InputError("the table has more than " + std::to_string(kMostSymbols) + " symbols");
    }
    places.push_back(add_rule(first, second, {static_cast<std::uint32_t>(merges_.size()), made}));
    merges_.push_back({first, second, made});
  }
  // Going backwards, the lowest rank is assigned last and wins. A repeated rule counts at its last place.
  parts_.assign(spellings_.size(), {kNone, kNone});
  std::vector<bool> seen(slots_.size(), false);
  for (std::size_t rank = merges_.size(); rank-- > 0;) {
    if (seen[places[rank]]) continue;
    seen[places[rank]] = true;
    parts_[merges_[rank].merged] = {merges_[rank].left, merges_[rank].right};
  }
}

void MergeRules::number_base_symbols() {
  if (unit_ == Unit::kByte) {
    for (int byte = 0; byte < 256; ++byte) {
      bytes_[byte] = std::min(find_symbol(byte_symbol(static_cast<std::uint8_t>(byte))), known_symbols());
    }
    return;
  }
  std::array<SymbolId, 2 * kPage> unknown;
  unknown.fill(known_symbols());
  pages_.push_back(unknown);
  page_of_.assign(kCodePoints >> kPageBits, 0);
  for (SymbolId id = 0; id < known_symbols(); ++id) {
    std::string_view character = spelling(id);
    const bool final = character.size() > kEndOfWord.size() && ends_with(character, kEndOfWord);
    if (final) character.remove_suffix(kEndOfWord.size());
    if (character_size(character.data(), character.size()) != character.size()) continue;
    const char32_t code_point = decode_character(character);
    std::uint16_t& page = page_of_[code_point >> kPageBits];
    if (page == 0) {
      page = static_cast<std::uint16_t>(pages_.size());
      pages_.push_back(unknown);
    }
    pages_[page][(code_point & (kPage - 1)) * 2 + final] = id;
  }
}

std::vector<SymbolId> MergeRules::base_symbols() const {
  std::vector<SymbolId> found;
  if (unit_ == Unit::kByte) {
    found.assign(bytes_.begin(), bytes_.end());
  } else {
    for (const std::array<SymbolId, 2 * kPage>& page : pages_) {
      for (std::size_t i = 0; i < page.size(); ++i) {
        if (i % 2 == 0 || marker_ == Marker::kJoined) found.push_back(page[i]);
      }
    }
    if (marker_ == Marker::kOwnSymbol) found.push_back(std::min(find_symbol(kEndOfWord), known_symbols()));
  }
  found.erase(std::remove(found.begin(), found.end(), known_symbols()), found.end());
  std::sort(found.begin(), found.end());  // by rank of the first rule, so that related symbols are close
  return found;
}

void MergeRules::base_symbols(std::string_view word, std::vector<SymbolId>* symbols,
                              std::vector<std::uint32_t>* starts) const {
  symbols->resize(word.size() + 1);
  starts->resize(word.size() + 1);
  std::size_t count = 0;
  const auto add = [&](SymbolId symbol, std::size_t start) {
    (*symbols)[count] = symbol;
    (*starts)[count] = static_cast<std::uint32_t>(start);
    ++count;
  };
  if (unit_ == Unit::kByte) {
    for (std::size_t at = 0; at < word.size(); ++at) add(bytes_[static_cast<unsigned char>(word[at])], at);
  } else {
    for (std::size_t at = 0; at < word.size();) {
      char32_t character = 0;
      const std::size_t size = read_character(word.data() + at, word.size() - at, &character);
      if (size == 0) throw InputError(describe_malformed(word[at]));
      const bool final = marker_ == Marker::kJoined && at + size == word.size();
      add(base_symbol(character, final), at);
      at += size;
    }
    if (marker_ == Marker::kOwnSymbol) {
      add(std::min(find_symbol(kEndOfWord), known_symbols()), word.size());
    }
  }
  symbols->resize(count);
  starts->resize(count);
}

}  // namespace subword
