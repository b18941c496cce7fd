// Segments lists of lines and whole texts with several threads, to text or to a dictionary's indices.
//
// What is printed for a word: its pieces with the separator after all but the last (characters as
// units) or as they are (bytes), U+0020 between them, and escapes where Fairseq would misread a token
// (the table is in fairseq_subword_ext/subword/escaping.py).
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
#include "segmenting/line_texts.h"
#include "text/wide_text.h"

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

  // Every line on its own, without or with its line end. Throws LineError. The output is UTF-8 or, with bytes
  // as units, may be wide.
  std::unique_ptr<LineTexts> segment_lines(const std::vector<WideLine>& lines, const LineRequest& request,
                                           Output output = Output::kUtf8, const Interrupt& interrupt = {});

  // The lines of a text, each ending in \n but perhaps the last. Uses one thread; several may call it.
  TextBuffer segment_text(std::string_view text, const LineRequest& request,
                          const Interrupt& interrupt = {});

  Unit unit() const { return segmenter_->rules().unit(); }

 private:
  friend class IdSegmenter;

  // An idle LineSegmenter, which goes back when this goes out of use.
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
  template <class Take>
  void segment_lines(const std::vector<WideLine>& lines, const LineRequest& request, Output output,
                     const Interrupt& interrupt, const Take& take);

  std::shared_ptr<const Segmenter> segmenter_;
  TextOptions options_;
  Glossary glossary_;
  std::unique_ptr<const PieceIds> ids_;  // null: text is printed
  std::optional<std::int32_t> end_;      // the index behind each line's
  std::mutex mutex_;
  std::map<Output, std::vector<std::unique_ptr<LineSegmenter>>> idle_;  // with their caches
};

// The indices of lines one after the other (32 bits each), and how many each line has.
struct LineIds {
  TextBuffer ids;
  std::vector<std::int64_t> lengths;
};

// The same lines as indices in a dictionary: those of the tokens that would be printed.
class IdSegmenter {
 public:
  // `end` is put behind each line's indices.
  IdSegmenter(const TextSegmenter& segmenter, IdTable table, std::optional<std::int32_t> end);

  // In parts, one after the other.
  std::vector<LineIds> encode_lines(const std::vector<WideLine>& lines, const LineRequest& request,
                                    const Interrupt& interrupt = {});
  LineIds encode_text(std::string_view text, const LineRequest& request, const Interrupt& interrupt = {});

 private:
  TextSegmenter segmenter_;
};

}  // namespace subword
