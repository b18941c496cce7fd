// Splits whole texts into characters, as fairseq_subword_ext/codecs/char_level.py splits one line.
#pragma once

#include <cstdint>
#include <string_view>

#include "segmenting/line_segmenter.h"
#include "text/text_buffer.h"
#include "text/types.h"

namespace subword {

// Puts U+0020 between the characters of every line. Lines end in \n, except possibly the last. `first_line`
// is the number of lines before the text. Throws LineError.
TextBuffer characters_of_text(std::string_view text, CarriageReturn carriage_return,
                              std::uint64_t first_line, const Interrupt& interrupt = {});

}  // namespace subword
