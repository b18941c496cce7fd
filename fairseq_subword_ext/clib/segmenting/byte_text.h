// The way back from byte text to bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "segmenting/line_texts.h"
#include "text/wide_text.h"

namespace subword {

// The bytes that segmented lines of byte text stand for, well-formed UTF-8 or not. The spaces between
// subwords, Fairseq's control symbols and characters that stand for no byte are left out, and so is the
// space that every line starts with; a newline, which no line can have held, becomes a space.
std::unique_ptr<LineTexts> byte_text_to_bytes(const std::vector<WideLine>& lines,
                                              std::uint32_t threads);

// The same for one line of UTF-8, with the space in front and newlines as they are. Writes to `out`, which has
// room for as many bytes as the line has, and returns the end of what it wrote; counts the control symbols and
// the characters that stand for no byte.
char* byte_text_to_bytes(std::string_view line, char* out, std::size_t* unknown);

}  // namespace subword
