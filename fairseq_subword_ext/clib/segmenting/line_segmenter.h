// Segments lines on one thread: splits them into words, caches the words, prints their pieces.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "segmenting/id_table.h"
#include "segmenting/piece_texts.h"
#include "segmenting/segmenter.h"
#include "text/text.h"
#include "text/text_buffer.h"
#include "segmenting/word_cache.h"

namespace subword {

// What to do with a \r inside a line: report it, read it as a space, or treat it like any other character.
enum class CarriageReturn { kError, kReplace, kKeep };

struct TextOptions {
  bool escape = true;
  CarriageReturn carriage_return = CarriageReturn::kError;  // inside a line, not at its end
};

// What a LineSegmenter writes: UTF-8; the same text with 16 bits per character, for Python strings of byte
// text, which has nothing above U+2581; or dictionary indices of 32 bits each.
enum class Output { kUtf8, kWide, kIds };

// Splits a word at the glossary terms in it. Returns the parts and whether each is a term, which stays whole;
// or nothing if the word contains no term.
using GlossaryParts = std::vector<std::pair<std::string, bool>>;
using Glossary = std::function<std::optional<GlossaryParts>(std::string_view)>;

class LineSegmenter {
 public:
  // All arguments must outlive this object. Only Output::kIds needs `ids`. `texts` may be null; it is for text
  // output with bytes as units and without a glossary. Objects that share `caches` must print the same for a
  // word.
  LineSegmenter(const Segmenter* segmenter, const TextOptions* options, const Glossary* glossary,
                Output output, const PieceIds* ids, const PieceTexts* texts, SharedWordCache* caches);

  // The pieces of one word, without separators and escapes.
  std::vector<std::string> pieces(std::string_view word, double dropout, Random* random);

  // Lines are segmented in batches, which makes looking up their words faster. Call start(), then take() for
  // each line, then print_next() once per line. Lines must stay in place until they are printed.
  void start(std::size_t lines, std::size_t bytes);
  void take(std::string_view line);
  // Appends the next line, without a \n, which is left to the caller.
  void print_next(double dropout, Random* random, TextBuffer* out);
  // Appends a byte that separates words or ends a line. Indices need none.
  void print_separator(char byte, TextBuffer* out) const {
    if (output_ != Output::kIds) out->push_back(byte);
    if (output_ == Output::kWide) out->push_back('\0');
  }

 private:
  struct Line {
    std::string_view before, after;  // printed unchanged
    std::size_t first_word = 0, end_word = 0;
    bool ends_in_carriage_return = false;
    bool is_refused = false;  // has a carriage return inside
  };

  void find_words(std::string_view text);
  void look_up();
  std::string_view print_new(const WordKey& key, double dropout, Random* random);
  void print_bytes(std::string_view word, double dropout, Random* random);
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
  const PieceIds* ids_;      // null unless the output is kIds
  const PieceTexts* texts_;  // may be null
  // Words of plain bytes only need no escapes, unless an m starts Fairseq's madeupword.
  enum ByteKind : std::uint8_t { kSpecial, kPlain, kLetterM };
  std::array<ByteKind, 256> byte_kinds_;
  SegmenterScratch scratch_;
  SharedWordCache& caches_;
  std::shared_ptr<WordCache> cache_;  // the one that this object uses
  std::vector<Line> lines_;
  std::deque<std::string> replaced_;  // copies of lines, with \r replaced
  std::size_t next_ = 0;       // line to print next
  TextBuffer text_;            // the words of all lines, each followed by a space
  std::vector<WordKey> keys_;  // keys of those words
  TextBuffer printed_;         // output for a word that is not cached
  TextBuffer spelled_;         // text to be widened, or looked up
};

}  // namespace subword
