// Targets for codes, SentencePiece models and dictionary indices: segments text and restores it.
#include <cstdlib>
#include <deque>
#include <set>

#include "python/names.h"
#include "segmenting/restoring.h"
#include "segmenting/text_segmenter.h"
#include "taken_lines.h"
#include "target.h"
#include "text/text.h"
#include "text/wide_text.h"

namespace fuzz {

namespace {

using subword::CarriageReturn;

// Two symbols per line. Python passes none that are empty or not UTF-8.
subword::MergeList merges(const std::string& codes) {
  subword::MergeList all;
  for (const std::string_view line : split(codes, '\n')) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view left = line.substr(0, space), right = line.substr(std::min(space + 1, line.size()));
    if (left.empty() || right.empty() || subword::find_malformed(line) != line.npos) continue;
    all.emplace_back(left, right);
  }
  return all;
}

std::string restored(std::string_view segmented, subword::Segmented kind, const std::string& separator) {
  return std::string(
      subword::restore_text(segmented, kind, separator, CarriageReturn::kKeep, 0).text.view());
}

// The text as segmented line by line, from Python's layout.
std::string by_lines(subword::TextSegmenter* segmenter, const std::string& text, const subword::LineRequest& request) {
  std::deque<std::vector<std::uint32_t>> held;
  std::vector<subword::WideLine> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, size);
    std::vector<std::uint32_t>& wide = held.emplace_back(subword::shape_of(line).characters);
    require(subword::widen(line, 4, wide.data(), wide.size()), "what was segmented is well-formed");
    lines.push_back({wide.data(), 4, wide.size()});
    rest.remove_prefix(size);
  }
  std::string together;
  TakenLines printed(lines.size());
  segmenter->segment_lines(lines, request, subword::Output::kUtf8, printed.take());
  for (const std::string& line : printed.lines()) together += line;
  return together;
}

// The indices of a text's tokens are those of the printed tokens.
void check_ids(const subword::TextSegmenter& segmenter, const std::string& dictionary, const std::string& text,
               std::string_view printed, const subword::LineRequest& request) {
  subword::SymbolIndices symbols;
  for (const std::string_view symbol : split(dictionary, '\n')) {
    symbols.emplace_back(symbol, static_cast<std::int32_t>(symbols.size()) + 4);
  }
  const subword::IdTable table(symbols, 3);
  subword::TextBuffer expected;
  for (const std::string_view line : split(printed, '\n')) {
    table.append(line, &expected);
    subword::append_id(2, &expected);
  }
  subword::IdSegmenter ids(segmenter, subword::IdTable(symbols, 3), 2);
  require(ids.encode_text(text, request).ids.view() == expected.view(), "indices are those of the printed tokens");
}

// Codes, a vocabulary or dictionary, and a text.
void codes(Input input) {
  static const std::vector<std::string> kVersions{"0.1", "0.2", "byte-1"};
  static const std::vector<std::string> kSeparators{"@@", "@", "<", "\u2581", "s"};
  const std::string version = kVersions[input.choice(kVersions.size())];
  const subword::LineRequest request{static_cast<double>(input.choice(3)) / 2, 7, 0, 1};
  subword::SegmenterOptions options;
  options.separator = kSeparators[input.choice(kSeparators.size())];
  options.filter_vocabulary = input.choice(2) == 1;
  options.unknown = static_cast<subword::Unknown>(input.choice(3));
  options.like_subword_nmt = input.choice(2) == 1;
  const subword::TextOptions text_options{!options.like_subword_nmt, static_cast<CarriageReturn>(input.choice(3))};
  const std::string rules = input.text(), listed = input.text(), text = input.rest();
  for (const std::string_view token : split(listed, '\n')) {
    options.vocabulary.emplace(token);
    options.alphabet.emplace(token);
  }
  const subword::Unknown unknown = options.unknown;
  const std::string separator = options.separator;
  subword::TextSegmenter segmenter(
      subword::Segmenter({merges(rules), subword::unit_of_version(version), subword::marker_of_version(version)},
                         std::move(options)),
      text_options, {});
  const std::string printed(segmenter.segment_text(text, request).view());
  require(by_lines(&segmenter, text, request) == printed, "lines are segmented as the text is");
  check_ids(segmenter, listed, text, printed, request);
  if (!text_options.escape || unknown != subword::Unknown::kKeep || text_options.carriage_return != CarriageReturn::kError) return;
  const auto kind = version == "byte-1" ? subword::Segmented::kByteText : subword::Segmented::kPieces;
  require(words(restored(printed, kind, separator)) == words(text), "restoring undoes segmenting");
}

// A SentencePiece model, one piece, score and use per line, and a text. Python passes no other characters.
void pieces(Input input) {
  static const std::set<std::string> kSymbols = [] {
    std::set<std::string> all;
    for (int byte = 0; byte < 256; ++byte) all.insert(subword::byte_symbol(static_cast<std::uint8_t>(byte)));
    return all;
  }();
  const subword::LineRequest request{static_cast<double>(input.choice(3)) / 2, 7, 0, 1};
  const std::string model = input.text(), text = input.rest();
  std::vector<subword::ScoredPiece> scored;
  for (const std::string_view line : split(model, '\n')) {
    const std::vector<std::string_view> columns = split(line, ' ');
    if (columns.empty() || subword::find_malformed(columns[0]) != std::string_view::npos) continue;
    bool usable = !columns[0].empty();
    for (std::string_view rest = columns[0]; usable && !rest.empty();) {
      const std::size_t size = subword::character_size(rest.data(), rest.size());
      usable = kSymbols.count(std::string(rest.substr(0, size))) == 1;
      rest.remove_prefix(size);
    }
    if (!usable) continue;
    const float score = columns.size() > 1 ? std::strtof(std::string(columns[1]).c_str(), nullptr) : 0;
    if (score == score) scored.push_back({columns[0], score, columns.size() > 2});
  }
  subword::TextSegmenter segmenter(subword::Segmenter(subword::MergeRules(scored), {}),
                                   {true, CarriageReturn::kError}, {});
  const std::string printed(segmenter.segment_text(text, request).view());
  require(by_lines(&segmenter, text, request) == printed, "lines are segmented as the text is");
  require(restored(printed, subword::Segmented::kByteText, "") == text, "restoring undoes segmenting");
}

const Register kAll[] = {{"codes", codes}, {"pieces", pieces}};

}  // namespace

}  // namespace fuzz
