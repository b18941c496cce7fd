#include "merge_rules.h"

#include "text.h"

namespace subword {

namespace {

constexpr std::uint32_t kTableEnd = 0x800;
constexpr const char* kEndOfWord = "</w>";

}  // namespace

MergeRules::MergeRules(const std::vector<std::pair<std::string, std::string>>& merges, Unit unit,
                       Marker marker)
    : unit_(unit), marker_(marker) {
  if (merges.size() >= kNone / 4) throw InputError("more than a billion merges");
  std::size_t size = 16;
  while (size < merges.size() * 2) size *= 2;
  slots_.assign(size, Slot{kFree, {kNone, kNone}});
  mask_ = size - 1;
  maybe_.assign(std::size_t{1} << (64 - kMaybeShift), false);
  std::vector<std::uint32_t> last_rank;  // by rule, in order of first occurrence
  std::vector<std::uint32_t> parts_rank;
  for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left_text, right_text] = merges[rank];
    if (left_text.empty() || right_text.empty()) {
      throw InputError("merge " + std::to_string(rank + 1) + " has an empty symbol");
    }
    const SymbolId left = intern(left_text);
    const SymbolId right = intern(right_text);
    const SymbolId merged = intern(left_text + right_text);
    const std::uint64_t key = pair_key(left, right);
    std::size_t slot = mix(key, 1) & mask_;
    while (slots_[slot].key != kFree && slots_[slot].key != key) slot = (slot + 1) & mask_;
    if (slots_[slot].key == kFree) slots_[slot] = {key, {rank, merged}};
    maybe_[mix(key, 1) >> kMaybeShift] = true;
  }
  // Backwards, a later assignment has a lower rank; but a repeated rule counts at its last place.
  parts_.assign(spellings_.size(), {kNone, kNone});
  std::vector<bool> seen(merges.size(), false);
  for (std::uint32_t rank = static_cast<std::uint32_t>(merges.size()); rank-- > 0;) {
    const SymbolId left = find_symbol(merges[rank].first);
    const SymbolId right = find_symbol(merges[rank].second);
    const Rule rule = find(left, right);
    if (seen[rule.rank]) continue;
    seen[rule.rank] = true;
    parts_[rule.merged] = {left, right};
  }
  if (unit == Unit::kByte) {
    for (int byte = 0; byte < 256; ++byte) {
      bytes_.push_back(find_symbol(byte_symbol(static_cast<std::uint8_t>(byte))));
    }
  } else {
    for (char32_t code_point = 0; code_point < kTableEnd; ++code_point) {
      std::string character;
      append_utf8(code_point, &character);
      characters_.push_back(find_symbol(character));
      characters_.push_back(find_symbol(character + kEndOfWord));
    }
  }
}

SymbolId MergeRules::intern(const std::string& spelling) {
  const auto [found, is_new] = ids_.try_emplace(spelling, static_cast<SymbolId>(spellings_.size()));
  if (is_new) spellings_.push_back(spelling);
  return found->second;
}

SymbolId MergeRules::find_symbol(const std::string& spelling) const {
  const auto found = ids_.find(spelling);
  return found == ids_.end() ? kNone : found->second;
}

SymbolId MergeRules::base_symbol(std::string_view character, bool final) const {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return characters_[byte(0) * 2 + final];
  if (character.size() == 2) {
    return characters_[((byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu)) * 2 + final];
  }
  std::string spelling(character);
  if (final) spelling += kEndOfWord;
  return find_symbol(spelling);
}

void MergeRules::base_symbols(std::string_view word, std::vector<SymbolId>* symbols,
                              std::vector<std::uint32_t>* starts) const {
  symbols->clear();
  starts->clear();
  SymbolId unknown = known_symbols();
  const auto add = [&](SymbolId symbol, std::size_t start) {
    symbols->push_back(symbol == kNone ? unknown++ : symbol);
    starts->push_back(static_cast<std::uint32_t>(start));
  };
  if (unit_ == Unit::kByte) {
    for (std::size_t at = 0; at < word.size(); ++at) {
      add(bytes_[static_cast<unsigned char>(word[at])], at);
    }
    return;
  }
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t size = character_size(word.data() + at, word.size() - at);
    if (size == 0) throw InputError(describe_malformed(word[at]));
    const bool final = marker_ == Marker::kJoined && at + size == word.size();
    add(base_symbol(word.substr(at, size), final), at);
    at += size;
  }
  if (marker_ == Marker::kOwnSymbol) add(find_symbol(kEndOfWord), word.size());
}

}  // namespace subword
