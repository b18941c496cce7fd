#include "segmenting/id_table.h"

#include <algorithm>
#include <string>

#include "text/text.h"
#include "segmenting/token_escape.h"

namespace subword {

IdTable::IdTable(const SymbolIndices& symbols, std::int32_t unknown)
    : spellings_(symbols.size()), unknown_(unknown) {
  for (const auto& [spelling, index] : symbols) {
    const SymbolId id = spellings_.intern(spelling);
    indices_.resize(std::max<std::size_t>(indices_.size(), id + 1));
    indices_[id] = index;
  }
}

std::int32_t IdTable::find(std::string_view token) const {
  const SymbolId id = spellings_.find(token);
  return id == kNone ? unknown_ : indices_[id];
}

void IdTable::append(std::string_view text, TextBuffer* out) const {
  std::size_t begin = 0;
  const auto end_token = [&](std::size_t at) {
    if (at > begin) append_id(find(text.substr(begin, at - begin)), out);
  };
  for (std::size_t at = 0; at < text.size();) {
    char32_t c = 0;
    const std::size_t size = std::max<std::size_t>(1, read_character(text.data() + at, text.size() - at, &c));
    if (c == ' ' || is_unicode_space(c)) {
      end_token(at);
      begin = at + size;
    }
    at += size;
  }
  end_token(text.size());
}

LineIds IdTable::encode_tokens(std::string_view text, std::optional<std::int32_t> end,
                               const Interrupt& interrupt) const {
  constexpr std::size_t kLinesAtOnce = 512;
  LineIds encoded;
  encoded.ids.room(2 * text.size());  // enough for single characters
  while (!text.empty()) {
    const std::size_t begin = encoded.ids.size();
    const std::size_t size = std::min(text.find('\n'), text.size());
    append(text.substr(0, size), &encoded.ids);
    if (end) append_id(*end, &encoded.ids);
    text.remove_prefix(std::min(size + 1, text.size()));
    encoded.lengths.push_back(static_cast<std::int64_t>((encoded.ids.size() - begin) / sizeof(std::int32_t)));
    if (encoded.lengths.size() % kLinesAtOnce == 0) poll(interrupt);
  }
  return encoded;
}

PieceIds::PieceIds(const Segmenter& segmenter, IdTable table)
    : table_(std::move(table)), is_byte_(segmenter.rules().unit() == Unit::kByte) {
  const MergeRules& rules = segmenter.rules();
  for (SymbolId symbol = 0; symbol < rules.known_symbols(); ++symbol) {
    const std::string_view spelling = rules.spelling(symbol);
    if (is_byte_) {
      const std::int32_t id = table_.find(spelling);
      const auto size = static_cast<std::uint32_t>(count_characters(spelling));
      ids_.push_back({id, id, size, size});
      continue;
    }
    constexpr std::string_view kEndOfWord = "</w>";
    const bool marked = spelling.size() > kEndOfWord.size() &&
                        spelling.substr(spelling.size() - kEndOfWord.size()) == kEndOfWord;
    const std::string_view last = spelling.substr(0, spelling.size() - (marked ? kEndOfWord.size() : 0));
    ids_.push_back({id_of(std::string(spelling) + segmenter.options().separator), id_of(last),
                    static_cast<std::uint32_t>(spelling.size()), static_cast<std::uint32_t>(last.size())});
  }
  if (!is_byte_) return;
  for (int byte = 0; byte < 256; ++byte) {
    bytes_.push_back(table_.find(byte_symbol(static_cast<std::uint8_t>(byte))));
  }
}

// Returns kNoId if Fairseq would split the token, or see none at all.
std::int32_t PieceIds::id_of(std::string_view token) const {
  if (token.empty()) return kNoId;
  for (std::size_t at = 0; at < token.size();) {
    char32_t c = 0;
    at += std::max<std::size_t>(1, read_character(token.data() + at, token.size() - at, &c));
    if (c == ' ' || is_unicode_space(c)) return kNoId;
  }
  return table_.find(token);
}

}  // namespace subword
