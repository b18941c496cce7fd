#include "merge_rules.h"

#include <algorithm>
#include <string>

#include "text.h"

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
    throw InputError("more than " + std::to_string(kMostSymbols) + " merges");
  }
  std::size_t size = 16;
  while (size < merges.size() * 2) size *= 2;
  slots_.assign(size, kFree);
  mask_ = size - 1;
  maybe_.assign(std::size_t{1} << (64 - kMaybeShift - 6), 0);
  add(merges);
  number_base_symbols();
}

void MergeRules::add(const MergeList& merges) {
  struct Numbered {
    SymbolId left, right;
    std::size_t slot;
  };
  std::vector<Numbered> rules;
  rules.reserve(merges.size());
  merged_.reserve(merges.size());
  std::string merged;
  for (const auto& [left, right] : merges) {
    if (left.empty() || right.empty()) {
      throw InputError("merge " + std::to_string(rules.size() + 1) + " has an empty symbol");
    }
    merged.assign(left).append(right);
    const std::uint64_t rank = rules.size();
    rules.push_back({spellings_.intern(left), spellings_.intern(right), 0});
    merged_.push_back(spellings_.intern(merged));
    if (spellings_.size() > kMostSymbols) {
      throw InputError("more than " + std::to_string(kMostSymbols) + " symbols");
    }
    const std::uint64_t pair = packed(rules.back().left, rules.back().right);
    const std::uint64_t hash = mix(pair, 1);
    std::size_t slot = hash & mask_;
    while (slots_[slot] != kFree && slots_[slot] >> kRankBits != pair) slot = (slot + 1) & mask_;
    if (slots_[slot] == kFree) slots_[slot] = pair << kRankBits | rank;
    const std::uint64_t maybe = hash >> kMaybeShift;
    maybe_[maybe / 64] |= std::uint64_t{1} << maybe % 64;
    rules.back().slot = slot;
  }
  // Backwards, a later assignment has a lower rank; but a repeated rule counts at its last place.
  parts_.assign(spellings_.size(), {kNone, kNone});
  std::vector<bool> seen(slots_.size(), false);
  for (std::size_t rank = rules.size(); rank-- > 0;) {
    const Numbered& rule = rules[rank];
    if (seen[rule.slot]) continue;
    seen[rule.slot] = true;
    parts_[merged_[rank]] = {rule.left, rule.right};
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
