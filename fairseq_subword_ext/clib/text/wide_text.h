// Converts between UTF-8 and the layout of Python's strings: one code point per element, and one, two or four
// bytes per element.
//
// Python's own codecs are too slow here. The decoder grows the string as it goes, which costs more than
// segmenting the line; the encoder caches its result in the string and needs the GIL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/text_buffer.h"

namespace subword {

// A line in Python's layout.
struct WideLine {
  const void* symbols;
  std::size_t width;
  std::size_t size;  // in code points
  bool is_ascii = false;
};

// Wraps ASCII text, or bytes to be treated as ASCII.
inline WideLine ascii_line(std::string_view text) { return {text.data(), 1, text.size(), true}; }

// The room that narrow() needs for a line.
inline std::size_t narrow_room(const WideLine& line) {
  constexpr std::size_t kPadding = 4;
  return line.is_ascii ? 0 : line.size * (line.width == 1 ? 2 : line.width == 2 ? 3 : 4) + kPadding;
}

// Sets `utf8` to the line in UTF-8: the line itself if it is ASCII, else a copy appended to `out`, which must
// already have narrow_room(line) bytes of room. Returns the index of the first surrogate, which UTF-8 cannot
// hold, or npos.
std::size_t narrow(const WideLine& line, TextBuffer* out, std::string_view* utf8);

std::string describe_surrogate(const WideLine& line, std::size_t at);

struct TextShape {
  std::size_t characters;
  std::uint32_t largest;  // largest code point, rounded up to 0x7F, 0xFF, 0xFFFF or 0x10FFFF
};

// Exact for well-formed UTF-8 only.
TextShape shape_of(std::string_view utf8);

// Writes the code points to `out`, an array of `room` elements of `width` bytes each; `room` must be at least
// shape_of(utf8).characters. Returns false if the text is malformed; the contents of `out` are then
// meaningless.
bool widen(std::string_view utf8, std::size_t width, void* out, std::size_t room);

}  // namespace subword
