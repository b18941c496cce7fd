#include "text/symbol_table.h"

namespace subword {

namespace {

constexpr std::string_view kEndOfWord = "</w>";

std::uint64_t prefix_of(const std::string& spelling) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8 | (i < spelling.size() ? static_cast<unsigned char>(spelling[i]) : 0);
  }
  return prefix;
}

}  // namespace

SymbolTable::SymbolTable() {
  symbols_.push_back({"", 0, false});  // the word boundary
  lengths_.push_back(1);
}

SymbolId SymbolTable::intern(std::string_view text, bool final, std::uint32_t length) {
  std::string key(text);
  if (final) key.push_back('\xFF');  // never occurs in UTF-8
  const auto [found, is_new] = by_key_.try_emplace(std::move(key), symbols_.size());
  if (is_new) {
    std::string spelling(text);
    if (final) spelling += kEndOfWord;
    const std::uint64_t prefix = prefix_of(spelling);
    symbols_.push_back({std::move(spelling), prefix, final});
    lengths_.push_back(length);
  }
  return found->second;
}

SymbolId SymbolTable::intern_merged(SymbolId left, SymbolId right) {
  const bool final = symbols_[right].final;
  std::string text = symbols_[left].spelling + symbols_[right].spelling;
  if (final) text.resize(text.size() - kEndOfWord.size());
  return intern(text, final, lengths_[left] + lengths_[right]);
}

int SymbolTable::compare(SymbolId left, SymbolId right) const {
  if (left == right) return 0;
  const Symbol& a = symbols_[left];
  const Symbol& b = symbols_[right];
  if (a.prefix != b.prefix) return a.prefix < b.prefix ? -1 : 1;
  const int order = a.spelling.compare(b.spelling);
  if (order != 0) return order;
  return static_cast<int>(a.final) - static_cast<int>(b.final);
}

}  // namespace subword
