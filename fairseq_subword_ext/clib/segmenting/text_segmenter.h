// Segments lists of lines and whole texts, to text or to dictionary indices, with several threads.
//
// A word is printed as its pieces, with U+0020 between them. With characters as units, every piece but the
// last carries the separator; with bytes as units, none does. What Fairseq would misread in a token is
// escaped (fairseq_subword_ext/subword/escaping.py has the table).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "segmenting/id_table.h"
#include "segmenting/line_segmenter.h"
#include "text/wide_text.h"

namespace subword {

struct LineRequest {
  double dropout = 0.0;
  std::uint64_t seed = 0;
  std::uint64_t first_line = 0;  // number of the first line, from 0; part of the seed
  std::uint32_t threads = 1;
};

class TextSegmenter {
 public:
  TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary);

  // The pieces of one word, without separators and escapes.
  std::vector<std::string> pieces(std::string_view word, double dropout, std::uint64_t seed);

  // Segments each line on its own; lines may have their line ends or not. Only with bytes as units may the
  // output be kWide. Throws LineError.
  void segment_lines(const std::vector<WideLine>& lines, const LineRequest& request, Output output,
                     const TakeLines& take, const Interrupt& interrupt = {});

  // Segments the lines of a text. Lines end in \n, except possibly the last. Runs on the calling thread;
  // several threads may call it at once. Throws LineError.
  TextBuffer segment_text(std::string_view text, const LineRequest& request,
                          const Interrupt& interrupt = {});

  Unit unit() const { return segmenter_->rules().unit(); }

 private:
  friend class IdSegmenter;

  // Borrows an idle LineSegmenter, or makes one, and returns it to the idle ones on destruction.
  class Worker {
   public:
    Worker(TextSegmenter* owner, Output output);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    LineSegmenter* operator->() const { return segmenter_.get(); }

   private:
    TextSegmenter* owner_;
    Output output_;
    std::unique_ptr<LineSegmenter> segmenter_;
  };

  TextSegmenter(std::shared_ptr<const Segmenter> segmenter, TextOptions options, Glossary glossary,
                std::unique_ptr<const PieceIds> ids, std::optional<std::int32_t> end);

  template <class NextLine, class Done>
  void segment(const NextLine& next_line, const LineRequest& request, const Worker& worker, TextBuffer* out,
               const Done& done) const;
  template <class Done>
  void segment_text(std::string_view text, const LineRequest& request, Output output,
                    const Interrupt& interrupt, TextBuffer* out, const Done& done);

  std::shared_ptr<const Segmenter> segmenter_;
  TextOptions options_;
  Glossary glossary_;
  std::unique_ptr<const PieceIds> ids_;  // null if the output is text
  std::optional<std::int32_t> end_;      // index appended to each line
  std::mutex mutex_;
  std::map<Output, std::unique_ptr<const PieceTexts>> texts_;
  std::map<Output, SharedWordCache> caches_;
  std::map<Output, std::vector<std::unique_ptr<LineSegmenter>>> idle_;
};

// Segments lines to dictionary indices: those of the tokens that TextSegmenter would print.
class IdSegmenter {
 public:
  // `end`, if given, is appended to each line's indices.
  IdSegmenter(const TextSegmenter& segmenter, IdTable table, std::optional<std::int32_t> end);

  // The result comes in parts, in line order. Both functions throw LineError.
  std::vector<LineIds> encode_lines(const std::vector<WideLine>& lines, const LineRequest& request,
                                    const Interrupt& interrupt = {});
  LineIds encode_text(std::string_view text, const LineRequest& request, const Interrupt& interrupt = {});

 private:
  TextSegmenter segmenter_;
};

}  // namespace subword
