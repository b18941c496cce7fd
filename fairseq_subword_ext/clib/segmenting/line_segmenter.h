// Segments lines for one thread: splits them into words, remembers frequent words, prints the pieces.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "segmenting/id_table.h"
#include "segmenting/segmenter.h"
#include "text/text.h"
#include "text/text_buffer.h"
#include "segmenting/word_cache.h"

namespace subword {

enum class CarriageReturn { kError, kReplace, kKeep };

struct TextOptions {
  bool escape = true;
  CarriageReturn carriage_return = CarriageReturn::kError;  // inside a line, not at its end
};

// What a LineSegmenter gives: UTF-8; the same in 16 bits a character, for Python's strings of byte text, which
// has none beyond U+2581; or the words' indices in a dictionary, 32 bits each.
enum class Output { kUtf8, kWide, kIds };

// Cuts a word at the terms of a glossary, if any are in it: the parts, and whether each is a term, to be
// left whole.
using GlossaryParts = std::vector<std::pair<std::string, bool>>;
using Glossary = std::function<std::optional<GlossaryParts>(std::string_view)>;

class LineSegmenter {
 public:
  // All have to outlive it; `ids` is needed for Output::kIds alone.
  LineSegmenter(const Segmenter* segmenter, const TextOptions* options, const Glossary* glossary,
                Output output, const PieceIds* ids);

  std::vector<std::string> pieces(std::string_view word, double dropout, Random* random);

  // Lines are segmented many at once, since their words are looked up faster so: start(), take() for each
  // line, which has to stay where it is, and then print_next() as often.
  void start(std::size_t lines, std::size_t bytes);
  void take(std::string_view line);
  // Appends the next line. It ends in no \n; one at the end of `out` is the caller's business.
  void print_next(double dropout, Random* random, TextBuffer* out);
  // Appends what stands between words and behind lines; indices need none.
  void print_separator(char byte, TextBuffer* out) const {
    if (output_ != Output::kIds) out->push_back(byte);
    if (output_ == Output::kWide) out->push_back('\0');
  }

 private:
  struct Line {
    std::string_view before, after;  // printed as they are
    std::size_t first_word = 0, end_word = 0;
    bool ends_in_carriage_return = false;
    bool is_refused = false;  // for a carriage return inside
  };

  void find_words(std::string_view text);
  void look_up();
  std::string_view print_new(const WordKey& key, double dropout, Random* random);
  void print(std::string_view word, double dropout, Random* random, TextBuffer* out);
  void print_ids(std::string_view part, const std::vector<Piece>& pieces, bool last_part, TextBuffer* out);
  void print_piece(std::string_view part, const Piece& piece, bool last, TextBuffer* out) const;
  void print_plain(std::string_view part, const std::vector<Piece>& pieces, bool last_part,
                   TextBuffer* out) const;
  void print_token(const std::string& text, bool final, TextBuffer* out) const;
  bool is_plain(std::string_view word) const;

  template <class Use>
  void for_each_part(std::string_view word, Use use) {
    if (glossary_) {
      if (const auto parts = glossary_(word)) {
        for (std::size_t i = 0; i < parts->size(); ++i) {
          use((*parts)[i].first, (*parts)[i].second, i + 1 == parts->size());
        }
        return;
      }
    }
    use(word, false, true);
  }

  const Segmenter& segmenter_;
  const TextOptions& options_;
  const Glossary& glossary_;
  Output output_;
  const PieceIds* ids_;  // null unless that is what is given
  // Words of plain bytes alone are printed as they are, unless an m starts Fairseq's madeupword.
  enum ByteKind : std::uint8_t { kSpecial, kPlain, kLetterM };
  std::array<ByteKind, 256> byte_kinds_;
  SegmenterScratch scratch_;
  WordCache cache_;
  std::vector<Line> lines_;
  std::deque<std::string> replaced_;  // lines without their carriage returns
  std::size_t next_ = 0;       // line to print
  TextBuffer text_;            // the lines' words, each with a space after it
  std::vector<WordKey> keys_;  // the same words
  TextBuffer printed_;         // a new word
  TextBuffer spelled_;         // tokens whose indices are looked up
};

}  // namespace subword
