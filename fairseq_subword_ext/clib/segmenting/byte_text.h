// Decodes byte text back to bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/text_buffer.h"
#include "text/wide_text.h"

namespace subword {

// Decodes segmented lines of byte text to bytes, which need not be well-formed UTF-8. Drops the spaces
// between subwords, Fairseq's control symbols, characters that stand for no byte, and the space that every
// line starts with. A newline becomes a space, since no line can have contained one.
void byte_text_to_bytes(const std::vector<WideLine>& lines, std::uint32_t threads, const TakeLines& take);

// Decodes one line of byte text in well-formed UTF-8, but keeps the leading space and newlines. Writes to `out`, which
// must have room for line.size() bytes, and returns the end of the output. Adds the number of control symbols
// and of characters that stand for no byte to `unknown`.
char* byte_text_to_bytes(std::string_view line, char* out, std::size_t* unknown);

}  // namespace subword
