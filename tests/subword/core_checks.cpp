// The core as a plain C++ program, built with AddressSanitizer and UBSan by test_sanitizers.py: counts,
// learns and segments generated text in every way, and prints what it found. Needs only the core's sources.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "segmenting/byte_text.h"
#include "learning/learner.h"
#include "python/names.h"
#include "text/wide_text.h"
#include "segmenting/restoring.h"
#include "text/text.h"
#include "segmenting/text_segmenter.h"
#include "taken_lines.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

std::string made_text(std::mt19937* draw, int words, int longest) {
  static const std::vector<std::string> kCharacters{"a", "b", "c", "\xC3\xA9", "\xE4\xB8\xAD",
                                                    "\xF0\x9F\x98\x80", "<", "/", "s", ">"};
  std::string text;
  for (int i = 0; i < words; ++i) {
    const int size = 1 + static_cast<int>((*draw)() % longest);
    for (int j = 0; j < size; ++j) {
      const std::size_t rank = std::min((*draw)() % kCharacters.size(), (*draw)() % kCharacters.size());
      text += kCharacters[rank];
    }
    text += i % 7 == 6 ? (i % 5 == 0 ? "\r\n" : "\n") : " ";
  }
  return text;
}

using Merges = std::vector<std::pair<std::string, std::string>>;

subword::MergeList views(const Merges& merges) { return {merges.begin(), merges.end()}; }

Merges learn(const subword::WordTable& words, const std::string& version,
             const subword::LearnOptions& options) {
  subword::Learner learner(words, subword::unit_of_version(version),
                           subword::marker_of_version(version));
  learner.learn(options);
  Merges merges;
  for (const subword::Merge& merge : learner.merges()) {
    merges.emplace_back(learner.symbols().spelling(merge.left),
                        learner.symbols().spelling(merge.right));
  }
  if (options.trace) expect(learner.trace().size() == merges.size(), "one trace entry a merge");
  return merges;
}

// A user-defined measure that reads all statistics.
std::shared_ptr<subword::CustomMeasure> custom_measure() {
  auto measure = std::make_shared<subword::CustomMeasure>();
  measure->reads = {"occ", "types", "wf", "L", "R", "c", "n", "m"};
  measure->score = [](const subword::StatisticsBatch& batch) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < batch.occ.size(); ++i) {
      scores.push_back(batch.occ[i] + batch.types[i] * batch.L[i] - batch.c_a[i] / batch.n);
    }
    return scores;
  };
  return measure;
}

// Lines as Python has them, of which the other half is ASCII or taken for it.
class PythonLines {
 public:
  explicit PythonLines(const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) {
      const subword::TextShape shape = subword::shape_of(line);
      std::vector<std::uint32_t>& room = rooms_.emplace_back(shape.characters);
      subword::widen(line, 4, room.data(), room.size());
      lines.size() % 2 == 0 && shape.largest == 0x7F ? wide_.push_back(subword::ascii_line(line))
                                                     : wide_.push_back({room.data(), 4, room.size()});
    }
  }
  const std::vector<subword::WideLine>& lines() const { return wide_; }

 private:
  std::deque<std::vector<std::uint32_t>> rooms_;
  std::vector<subword::WideLine> wide_;
};

void check_ids(const subword::TextSegmenter& segmenter, const std::string& text, const std::string& printed,
               const PythonLines& lines, double dropout) {
  subword::SymbolIndices symbols;
  const std::vector<std::string> tokens{"a", "b", "a@@", "ab", "ab@@", "\xE2\x96\x81", "<unk>"};
  for (const std::string& token : tokens) symbols.emplace_back(token, static_cast<int>(symbols.size()) + 4);
  const subword::IdTable table(symbols, 3);
  subword::IdSegmenter ids(segmenter, subword::IdTable(symbols, 3), 2);
  const subword::LineIds whole = ids.encode_text(text, {dropout, 5, 0, 1});
  subword::TextBuffer expected;
  for (std::string_view rest = printed; !rest.empty();) {
    const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    table.append(rest.substr(0, size), &expected);
    subword::append_id(2, &expected);
    rest.remove_prefix(size);
  }
  expect(whole.ids.view() == expected.view(), "indices are those of what is printed");
  std::string together;
  for (const subword::LineIds& part : ids.encode_lines(lines.lines(), {dropout, 5, 0, 3})) {
    together += part.ids.view();
  }
  expect(together == whole.ids.view(), "indices of lines are those of the text");
}

void check_restoring(const std::string& text) {
  using subword::Segmented;
  for (const Segmented kind : {Segmented::kByteText, Segmented::kPieces, Segmented::kUnescapedPieces,
                               Segmented::kCharacters}) {
    const subword::Restored restored =
        subword::restore_text(text, kind, "@@", subword::CarriageReturn::kReplace, 0);
    expect(subword::count_newlines(restored.text.view()) == subword::count_newlines(text),
           "as many lines are restored");
  }
}

void check_scored(const Merges& merges, const std::string& text) {
  std::deque<std::string> spellings;
  std::vector<subword::ScoredPiece> pieces;
  for (const auto& [left, right] : merges) {
    const std::string& spelling = spellings.emplace_back(left + right);
    pieces.push_back({spelling, -static_cast<float>(pieces.size() / 3), pieces.size() % 5 == 4});
  }
  subword::TextSegmenter segmenter(subword::Segmenter(subword::MergeRules(pieces), {}),
                                   {true, subword::CarriageReturn::kReplace}, {});
  for (const double dropout : {0.0, 0.3}) {
    const std::string printed(segmenter.segment_text(text, {dropout, 5, 0, 1}).view());
    const subword::Restored restored = subword::restore_text(printed, subword::Segmented::kByteText, "",
                                                             subword::CarriageReturn::kReplace, 0);
    expect(restored.text.view() == text, "scored pieces lose nothing");
  }
}

void check_segmenter(const Merges& merges, const std::string& version, const std::string& text) {
  for (const double dropout : {0.0, 0.3, 1.0}) {
    subword::SegmenterOptions options;
    options.filter_vocabulary = dropout == 0.3;
    for (std::size_t i = 0; i < merges.size(); i += 2) {
      options.vocabulary.insert(merges[i].first + merges[i].second);
      options.vocabulary.insert(merges[i].first + merges[i].second + "@@");
    }
    subword::TextSegmenter segmenter(
        subword::Segmenter({views(merges), subword::unit_of_version(version),
                            subword::marker_of_version(version)}, options),
        {dropout != 1.0, subword::CarriageReturn::kReplace}, {});
    const std::string one(segmenter.segment_text(text, {dropout, 5, 0, 1}).view());
    std::vector<std::string> others(3);
    std::vector<std::thread> threads;
    for (std::string& other : others) {
      threads.emplace_back([&] { other = segmenter.segment_text(text, {dropout, 5, 0, 1}).view(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& other : others) expect(one == other, "threads change nothing");
    expect(subword::count_newlines(text) ==
               static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
           "newlines are counted");
    expect(one.find("\n") != one.npos, "lines are printed");
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
      lines.push_back(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    const PythonLines python_lines(lines);
    TakenLines separate(lines.size());
    segmenter.segment_lines(python_lines.lines(), {dropout, 5, 0, 3}, subword::Output::kUtf8, separate.take());
    std::string together;
    for (const std::string& line : separate.lines()) together += line;
    expect(together == one, "lines one by one are the text");
    check_ids(segmenter, text, one, python_lines, dropout);
    check_restoring(one);
    if (subword::unit_of_version(version) == subword::Unit::kByte) {
      check_scored(merges, text);
      segmenter.segment_lines(python_lines.lines(), {dropout, 5, 0, 3}, subword::Output::kWide, separate.take());
    }
    const std::string word(3000, 'a');
    std::string joined;
    for (const std::string& piece : segmenter.pieces(word, dropout, 1)) joined += piece;
    expect(joined.size() >= word.size(), "a long word comes back");
  }
}

void check_everything(std::uint32_t seed, int words, int longest) {
  std::mt19937 draw(seed);
  const std::string text = made_text(&draw, words, longest);
  subword::WordCounter streamed, counter, rest;
  for (std::size_t at = 0; at < text.size(); at += 37) streamed.feed(text.substr(at, 37));
  streamed.finish();
  const std::size_t cut = text.find('\n', text.size() / 2) + 1;
  counter.feed(std::string_view(text).substr(0, cut));
  counter.finish();
  rest.feed(std::string_view(text).substr(cut));
  rest.finish();
  counter.merge(&rest);
  expect(streamed.items() == counter.items(), "two parts hold the words of the whole");
  for (const char* version : {"0.1", "0.2", "byte-1"}) {
    for (const char* measure : {"frequency", "frq", "av", "dlg", "frq-weighted", "av-weighted",
                                "dlg-weighted", "dlg-average", "custom"}) {
      for (const char* tie_break : {"greatest", "least", "first"}) {
        subword::LearnOptions options;
        options.measure = measure;
        if (options.measure == "custom") options.custom = custom_measure();
        options.merges = 150;
        options.min_frequency = 1 + seed % 3;
        options.tie_break = subword::tie_break_named(tie_break);
        options.description_length_of_types = seed % 2 == 0;
        options.trace = seed % 3 != 0;
        if (version == std::string("byte-1")) {
          options.borders = static_cast<subword::Borders>(seed % 3);
        }
        const Merges merges = learn(counter.words(), version, options);
        expect(merges == learn(streamed.words(), version, options), "file and stream learn the same");
        if (options.tie_break == subword::TieBreak::kGreatest) check_segmenter(merges, version, text);
      }
    }
  }
}

// Decodes byte text of any symbols to bytes, and these to code points, in buffers of the exact size.
void check_byte_text(std::uint32_t seed) {
  std::mt19937 draw(seed);
  const std::u32string kSymbols = U"\u2581\u2581  ab<s>madeupword0123\u00e0\u00b6\u019c\u010a\u4e2d\U0001f600";
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<std::uint32_t>> symbols(draw() % 1500);
    std::vector<subword::WideLine> lines;
    for (std::vector<std::uint32_t>& line : symbols) {
      for (std::uint32_t size = draw() % 20; size > 0; --size) {
        line.push_back(kSymbols[draw() % kSymbols.size()]);
      }
      lines.push_back({line.data(), 4, line.size()});
    }
    TakenLines one(lines.size()), many(lines.size());
    subword::byte_text_to_bytes(lines, 1, one.take());
    subword::byte_text_to_bytes(lines, 3, many.take());
    expect(one.lines() == many.lines(), "threads change nothing in byte text");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& bytes = one.lines()[i];
      expect(bytes.size() <= lines[i].size, "a symbol is one byte at most");
      const subword::TextShape shape = subword::shape_of(bytes);
      const std::size_t width = shape.largest <= 0xFF ? 1 : shape.largest <= 0xFFFF ? 2 : 4;
      std::vector<unsigned char> room(shape.characters * width);
      subword::widen(bytes, width, room.data(), shape.characters);
    }
  }
}

template <class Action>
void expect_error(Action action, const char* what) {
  try {
    action();
  } catch (const subword::InputError&) {
    return;
  }
  expect(false, what);
}

void check_errors(std::uint32_t seed) {
  std::mt19937 draw(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (std::uint32_t size = draw() % 40; size > 0; --size) bytes += static_cast<char>(draw() % 256);
    subword::WordCounter counter(i % 2 == 0);
    try {
      if (i % 3 == 0) {
        counter.add_dictionary(bytes);
      } else {
        counter.feed(bytes);
        counter.finish();
      }
      learn(counter.words(), "0.2", {});
    } catch (const subword::InputError&) {
    }
    try {
      const Merges merges{{bytes.substr(0, 3), bytes.substr(bytes.size() / 2)}};
      subword::TextSegmenter segmenter(
          subword::Segmenter({views(merges), subword::Unit::kChar, subword::Marker::kJoined}, {}), {}, {});
      segmenter.segment_text(bytes, {});
    } catch (const subword::InputError&) {
    }
  }
  expect_error([] { subword::marker_of_version("0.3"); }, "an unknown version");
  expect_error([] { learn(subword::WordTable(), "0.2", {}); }, "no word at all");
}

}  // namespace

int main() {
  check_everything(1, 300, 12);
  check_everything(2, 400, 5);
  check_everything(3, 12, 300);
  check_errors(4);
  check_byte_text(5);
  std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
