// Restores text from segmented text, a block of lines at a time, as the notations in
// fairseq_subword_ext/codecs/ restore one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "segmenting/line_segmenter.h"
#include "text/text_buffer.h"
#include "text/types.h"

namespace subword {

enum class Segmented {
  kByteText,
  kPieces,           // with escapes, and a separator after all but a word's last
  kUnescapedPieces,  // as subword-nmt prints them
  kCharacters,
};

struct Restored {
  TextBuffer text;
  std::uint64_t dropped_bytes = 0;    // byte text: bytes that form no character
  std::uint64_t unknown_symbols = 0;  // byte text: symbols that stand for no byte
};

// Restores the lines of a text. Lines end in \n, except possibly the last. `first_line` is the number of
// lines before the text. Throws LineError.
Restored restore_text(std::string_view text, Segmented kind, const std::string& separator,
                      CarriageReturn carriage_return, std::uint64_t first_line,
                      const Interrupt& interrupt = {});

}  // namespace subword
