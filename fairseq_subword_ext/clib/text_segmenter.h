// Segments lines and whole texts: splits them into words, remembers frequent words, prints the pieces.
//
// What is printed for a word: its pieces with the separator after all but the last (characters as
// units) or as they are (bytes), U+0020 between them, and escapes where Fairseq would misread a token
// (the table is in fairseq_subword_ext/subword/escaping.py).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "line_texts.h"
#include "segmenter.h"
#include "word_counter.h"

namespace subword {

enum class CarriageReturn { kError, kReplace, kKeep };

struct TextOptions {
  bool escape = true;
  CarriageReturn carriage_return = CarriageReturn::kError;  // inside a line, not at its end
};

// Cuts a word at the terms of a glossary, if any are in it.
struct GlossaryPart {
  std::string text;
  bool is_term;  // to be left whole
};
using Glossary = std::function<std::optional<std::vector<GlossaryPart>>(std::string_view)>;

struct LineRequest {
  double dropout = 0.0;
  std::uint64_t seed = 0;
  std::uint64_t first_line = 0;  // number of the first line given, from 0 on: part of the seed
  std::uint32_t threads = 1;
};

class TextSegmenter {
 public:
  TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary);
  ~TextSegmenter();

  std::vector<std::string> pieces(std::string_view word, double dropout, std::uint64_t seed);

  // Every line on its own, without or with its line end. Throws InputError that names the line.
  std::unique_ptr<LineTexts> segment_lines(const std::vector<std::string_view>& lines,
                                           const LineRequest& request,
                                           const Interrupt& interrupt = {});

  // The lines of a text, each ending in \n but perhaps the last.
  std::string segment_text(std::string_view text, const LineRequest& request,
                           const Interrupt& interrupt = {});

 private:
  class Worker;

  void segment_line(Worker* worker, std::string_view line, std::size_t index,
                    const LineRequest& request, std::string* out) const;
  std::unique_ptr<Worker> take_worker();
  void give_back(std::unique_ptr<Worker> worker);
  void run(std::size_t lines, std::uint32_t threads, const Interrupt& interrupt,
           const std::function<void(Worker*, std::size_t, std::size_t)>& work);

  Segmenter segmenter_;
  TextOptions options_;
  Glossary glossary_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;  // with their caches
};

}  // namespace subword
