// From segmented text back to text, a block of lines at a time: what
// the notations of fairseq_subword_ext/codecs/ do to a line.
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
  kPieces,           // with a separator after all but a word's last, and escapes
  kUnescapedPieces,  // as subword-nmt prints them
  kCharacters,
};

struct Restored {
  TextBuffer text;
  std::uint64_t dropped_bytes = 0;    // of byte text: bytes of no character
  std::uint64_t unknown_symbols = 0;  // and symbols that stand for no byte
};

// The lines of a text, each ending in \n but perhaps the last. first_line is the number of lines before the
// text. Throws InputError with the line's number.
Restored restore_text(std::string_view text, Segmented kind, const std::string& separator,
                      CarriageReturn carriage_return, std::uint64_t first_line,
                      const Interrupt& interrupt = {});

}  // namespace subword
