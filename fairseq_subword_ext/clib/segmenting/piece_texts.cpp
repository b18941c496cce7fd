#include "segmenting/piece_texts.h"

#include "text/text.h"
#include "text/wide_text.h"

namespace subword {

PieceTexts::PieceTexts(const Segmenter& segmenter, std::size_t width)
    : symbols_(segmenter.rules().known_symbols()), unknown_(symbols_ + 256) {
  for (SymbolId symbol = 0; symbol < symbols_; ++symbol) add(segmenter.rules().spelling(symbol), width);
  for (int byte = 0; byte < 256; ++byte) add(byte_symbol(static_cast<std::uint8_t>(byte)), width);
  add(kUnknownToken, width);
  text_.room(kPadding);
}

void PieceTexts::add(std::string_view printed, std::size_t width) {
  if (width == 1) {
    text_.append(printed);
    text_.push_back(' ');
  } else {
    const std::size_t characters = shape_of(printed).characters;
    widen(printed, width, text_.room(width * characters), characters);
    text_.advance(width * characters);
    text_.append({" \0", 2});
  }
  starts_.push_back(static_cast<std::uint32_t>(text_.size()));
}

}  // namespace subword
