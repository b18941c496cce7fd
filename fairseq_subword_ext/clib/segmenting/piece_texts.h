// What is printed for each piece of byte text, ready to be copied.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "segmenting/segmenter.h"
#include "text/text_buffer.h"

namespace subword {

class PieceTexts {
 public:
  // What find() returns may be read this far beyond its end, since copying whole blocks is faster.
  static constexpr std::size_t kPadding = 16;

  // For a segmenter with bytes as units. `width` is the number of bytes per character: 1 for UTF-8, or 2.
  PieceTexts(const Segmenter& segmenter, std::size_t width);

  // The piece as it is printed, and a space.
  std::string_view find(std::string_view word, const Piece& piece) const {
    const std::size_t i = piece.unknown             ? unknown_
                          : piece.symbol < symbols_ ? piece.symbol
                                                    : symbols_ + static_cast<std::uint8_t>(word[piece.begin]);
    return {text_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }

 private:
  void add(std::string_view printed, std::size_t width);

  TextBuffer text_;
  std::vector<std::uint32_t> starts_{0};  // by symbol; then those of the 256 bytes, and the unknown token
  std::size_t symbols_;
  std::size_t unknown_;
};

}  // namespace subword
