#include "segmenting/segmenter.h"

#include <algorithm>

#include "text/text.h"

namespace subword {

bool is_control(std::string_view token) {
  constexpr std::string_view kMadeUp = "madeupword";
  if (token == "<s>" || token == "</s>" || token == "<pad>" || token == "<unk>") return true;
  if (token.size() < kMadeUp.size() + 4 || token.substr(0, kMadeUp.size()) != kMadeUp) return false;
  const std::string_view digits = token.substr(kMadeUp.size());
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Segmenter::Segmenter(MergeRules rules, SegmenterOptions options)
    : rules_(std::move(rules)), match_(rules_), options_(std::move(options)) {
  for (int byte = 0; byte < 256; ++byte) {
    byte_symbols_.push_back(byte_symbol(static_cast<std::uint8_t>(byte)));
  }
  for (SymbolId symbol = 0; symbol < rules_.known_symbols(); ++symbol) {
    const bool merged = rules_.parts(symbol).first != kNone;
    control_.push_back(merged && is_control(rules_.spelling(symbol)));
  }
}

const std::vector<Piece>& Segmenter::segment(std::string_view word, double dropout, Random* random,
                                             SegmenterScratch* scratch) const {
  if (word.size() >= kNone / 2) throw InputError("a word is longer than 2^31 bytes");
  rules_.base_symbols(word, &scratch->symbols, &scratch->starts);
  merge(dropout, random, scratch);
  if (rules_.are_scored()) replace_unused(word, scratch);
  std::vector<Piece>& pieces = scratch->pieces;
  pieces.clear();
  const auto size = static_cast<std::uint32_t>(word.size());
  for (std::size_t i = 0; i < scratch->symbols.size(); ++i) {
    const std::uint32_t begin = scratch->starts[i];
    const std::uint32_t end = i + 1 < scratch->starts.size() ? scratch->starts[i + 1] : size;
    // A marker that is a symbol of its own has no text.
    if (begin < end) pieces.push_back({begin, end, scratch->symbols[i], false});
  }
  if (rules_.are_scored()) return pieces;
  const bool unfiltered = options_.like_subword_nmt && count_characters(word) == 1;
  if ((options_.filter_vocabulary || !options_.like_subword_nmt) && !unfiltered) {
    filter(word, options_.filter_vocabulary, &pieces);
  }
  if (options_.unknown != Unknown::kKeep) check_alphabet(word, &pieces);
  return pieces;
}

// Undoes merges into unused pieces, as SentencePiece does: such a piece splits into the last pair considered
// that makes it, whether that pair was merged or not.
void Segmenter::replace_unused(std::string_view word, SegmenterScratch* scratch) const {
  const auto is_unused = [this](SymbolId symbol) { return rules_.is_unused(symbol); };
  std::vector<SymbolId>& symbols = scratch->symbols;
  std::vector<std::uint32_t>& starts = scratch->starts;
  if (std::none_of(symbols.begin(), symbols.end(), is_unused)) return;
  const std::vector<SymbolId> merged = symbols;
  const std::vector<std::uint32_t> merged_starts = starts;
  rules_.base_symbols(word, &symbols, &starts);
  merge_by_score(scratch);  // without dropout, only to record the pairs it considers
  symbols.clear();
  starts.clear();
  std::vector<SymbolId> stack;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    std::uint32_t at = merged_starts[i];
    for (stack.push_back(merged[i]); !stack.empty();) {
      const SymbolId symbol = stack.back();
      stack.pop_back();
      const auto parts = scratch->considered.find(symbol);
      if (is_unused(symbol) && parts != scratch->considered.end()) {
        stack.push_back(parts->second.second);
        stack.push_back(parts->second.first);
        continue;
      }
      symbols.push_back(symbol);
      starts.push_back(at);
      at += static_cast<std::uint32_t>(count_characters(rules_.spelling(symbol)));
    }
  }
}

std::string_view Segmenter::spelling(std::string_view word, const Piece& piece) const {
  if (rules_.unit() == Unit::kChar) return word.substr(piece.begin, piece.end - piece.begin);
  if (piece.symbol < rules_.known_symbols()) return rules_.spelling(piece.symbol);
  return byte_symbols_[static_cast<std::uint8_t>(word[piece.begin])];
}

bool Segmenter::may_emit(std::string_view word, const Piece& piece, bool final,
                         bool check_vocabulary) const {
  std::string token(spelling(word, piece));
  if (!final && rules_.unit() == Unit::kChar) token += options_.separator;
  if (check_vocabulary && options_.vocabulary.count(token) == 0) return false;
  return options_.like_subword_nmt || !is_control(token);
}

// The two symbols that make a piece, or {kNone, kNone}. subword-nmt looks up a word's last piece with its
// marker joined, whether the marker was merged or stayed a symbol of its own.
std::pair<SymbolId, SymbolId> Segmenter::parts(std::string_view word, const Piece& piece,
                                               bool final) const {
  if (final && options_.like_subword_nmt && rules_.marker() == Marker::kOwnSymbol) {
    return rules_.parts(rules_.find_symbol(std::string(spelling(word, piece)) + "</w>"));
  }
  return rules_.parts(piece.symbol);
}

// Splits a piece, last merge first, until every part may be emitted or is a base symbol.
void Segmenter::undo(std::string_view word, const Piece& piece, bool check_vocabulary,
                     std::vector<Piece>* out) const {
  std::vector<std::pair<Piece, bool>> stack{{piece, piece.end == word.size()}};
  while (!stack.empty()) {
    const auto [next, final] = stack.back();
    stack.pop_back();
    const auto [left, right] = parts(word, next, final);
    if (left == kNone || may_emit(word, next, final, check_vocabulary)) {
      out->push_back(next);
      continue;
    }
    const std::string_view spelling = rules_.spelling(left);
    const std::size_t size =
        rules_.unit() == Unit::kByte ? count_characters(spelling) : spelling.size();
    const auto middle = std::min(next.end, next.begin + static_cast<std::uint32_t>(size));
    // A marker alone has no text; subword-nmt prints an empty piece for it.
    const bool divides = middle < next.end || options_.like_subword_nmt;
    if (divides) stack.push_back({{middle, next.end, right, false}, final});
    stack.push_back({{next.begin, middle, left, false}, final && !divides});
  }
}

void Segmenter::filter(std::string_view word, bool check_vocabulary,
                       std::vector<Piece>* pieces) const {
  const auto acceptable = [&](const Piece& piece) {
    // Only merged pieces can be split, and without a vocabulary only a few spellings matter.
    if (!check_vocabulary && rules_.unit() == Unit::kByte) {
      return piece.symbol >= control_.size() || !control_[piece.symbol];
    }
    if (!check_vocabulary) {
      const char first = word[piece.begin];
      if (first != '<' && first != 'm') return true;
    }
    const bool final = piece.end == word.size();
    return parts(word, piece, final).first == kNone ||
           may_emit(word, piece, final, check_vocabulary);
  };
  if (std::all_of(pieces->begin(), pieces->end(), acceptable)) return;
  std::vector<Piece> filtered;
  for (const Piece& piece : *pieces) undo(word, piece, check_vocabulary, &filtered);
  pieces->swap(filtered);
}

std::string Segmenter::base_spelling(std::string_view word, const Piece& piece) const {
  std::string base(spelling(word, piece));
  if (rules_.marker() == Marker::kJoined && piece.end == word.size()) base += "</w>";
  return base;
}

void Segmenter::check_alphabet(std::string_view word, std::vector<Piece>* pieces) const {
  for (Piece& piece : *pieces) {
    const std::string spelled(spelling(word, piece));
    if (count_characters(spelled) > 1 || options_.alphabet.count(base_spelling(word, piece)) != 0) {
      continue;
    }
    if (options_.unknown == Unknown::kError) {
      const bool joined = rules_.marker() == Marker::kJoined;
      throw InputError("the character '" + spelled + "' of the word '" + std::string(word.substr(0, 200)) +
                       "' is not in the alphabet that the codes were learned from" +
                       (joined && piece.end == word.size() ? " (not at the end of a word)" : ""));
    }
    piece.unknown = true;
  }
}

}  // namespace subword
