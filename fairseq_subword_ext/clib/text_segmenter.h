// Segments lists of lines and whole texts with several threads.
//
// What is printed for a word: its pieces with the separator after all but the last (characters as
// units) or as they are (bytes), U+0020 between them, and escapes where Fairseq would misread a token
// (the table is in fairseq_subword_ext/subword/escaping.py).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "line_segmenter.h"
#include "line_texts.h"

namespace subword {

struct LineRequest {
  double dropout = 0.0;
  std::uint64_t seed = 0;
  std::uint64_t first_line = 0;  // number of the first line given, from 0 on: part of the seed
  std::uint32_t threads = 1;
};

class TextSegmenter {
 public:
  TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary);

  std::vector<std::string> pieces(std::string_view word, double dropout, std::uint64_t seed);

  // Every line on its own, without or with its line end. Throws InputError that names the line.
  std::unique_ptr<LineTexts> segment_lines(const std::vector<std::string_view>& lines,
                                           const LineRequest& request,
                                           const Interrupt& interrupt = {});

  // The lines of a text, each ending in \n but perhaps the last. Uses one thread; several may call it.
  TextBuffer segment_text(std::string_view text, const LineRequest& request,
                          const Interrupt& interrupt = {});

 private:
  template <class NextLine, class Done>
  void segment(const NextLine& next_line, const LineRequest& request, LineSegmenter* worker,
               TextBuffer* out, const Done& done) const;
  std::unique_ptr<LineSegmenter> take_worker();
  void give_back(std::unique_ptr<LineSegmenter> worker);
  void run(std::size_t lines, std::uint32_t threads, const Interrupt& interrupt,
           const std::function<void(LineSegmenter*, std::size_t, std::size_t)>& work);

  Segmenter segmenter_;
  TextOptions options_;
  Glossary glossary_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<LineSegmenter>> idle_;  // with their caches
};

}  // namespace subword
