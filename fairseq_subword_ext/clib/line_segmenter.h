// Segments lines for one thread: splits them into words, remembers frequent words, prints the pieces.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "segmenter.h"
#include "word_counter.h"

namespace subword {

enum class CarriageReturn { kError, kReplace, kKeep };

struct TextOptions {
  bool escape = true;
  CarriageReturn carriage_return = CarriageReturn::kError;  // inside a line, not at its end
};

// Cuts a word at the terms of a glossary, if any are in it: the parts, and whether each is a term, to be
// left whole.
using GlossaryParts = std::vector<std::pair<std::string, bool>>;
using Glossary = std::function<std::optional<GlossaryParts>(std::string_view)>;

class LineSegmenter {
 public:
  // All three have to outlive it.
  LineSegmenter(const Segmenter* segmenter, const TextOptions* options, const Glossary* glossary);

  std::vector<std::string> pieces(std::string_view word, double dropout, Random* random);

  // Appends a segmented line. The line ends in no \n; one at the end of `out` is the caller's business.
  void line(std::string_view line, double dropout, Random* random, std::string* out);

 private:
  void words(std::string_view text, double dropout, Random* random, std::string* out);
  void word(const WordTable::Key& key, double dropout, Random* random, std::string* out);
  void print(std::string_view word, double dropout, Random* random, std::string* out);
  void print_token(const std::string& text, bool final, std::string* out) const;
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
  std::array<bool, 256> plain_bytes_;  // words of these alone are printed as they are
  SegmenterScratch scratch_;
  WordTable known_;      // the count of a word is the place and size of what is printed for it
  std::string printed_;
  std::string padded_;   // a line
  std::vector<WordTable::Key> keys_;  // of the words of a line
};

}  // namespace subword
