// Characters as symbols: what fairseq_subword_ext/subword/char_codec.py does to a line, for whole texts.
#pragma once

#include <cstdint>
#include <string_view>

#include "segmenting/line_segmenter.h"
#include "text/text_buffer.h"
#include "text/types.h"

namespace subword {

// The lines of a text, each ending in \n but perhaps the last, with U+0020 between their characters.
// first_line is the number of lines before the text. Throws InputError that names the line.
TextBuffer characters_of_text(std::string_view text, CarriageReturn carriage_return,
                              std::uint64_t first_line, const Interrupt& interrupt = {});

}  // namespace subword
