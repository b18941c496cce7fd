// UTF-8 to and from the form in which Python keeps text: one code point a place, one, two or four bytes
// wide.
//
// Python's own decoder grows a string as it goes, which costs more than segmenting a line does; its encoder
// keeps what it made, and works under Python's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/text_buffer.h"

namespace subword {

// A line as Python keeps it.
struct WideLine {
  const void* symbols;
  std::size_t width;
  std::size_t size;  // in code points
  bool is_ascii = false;
};

// A UTF-8 line of ASCII, or bytes that are to be taken for one.
inline WideLine ascii_line(std::string_view text) { return {text.data(), 1, text.size(), true}; }

// The bytes that a line can take as UTF-8.
inline std::size_t narrow_room(const WideLine& line) {
  return line.is_ascii ? 0 : line.size * (line.width == 1 ? 2 : line.width == 2 ? 3 : 4);
}

// Makes UTF-8 of a line, in `out`, which has the room for it, unless the line is UTF-8 as it is. Returns the
// index of a surrogate, which UTF-8 cannot hold, or npos.
std::size_t narrow(const WideLine& line, TextBuffer* out, std::string_view* utf8);

std::string describe_surrogate(const WideLine& line, std::size_t at);

struct TextShape {
  std::size_t characters;
  std::uint32_t largest;  // the class of the largest code point: 0x7F, 0xFF, 0xFFFF or 0x10FFFF
};

// Exact for well-formed UTF-8.
TextShape shape_of(std::string_view utf8);

// Writes the code points to `out`, which has room for `room` of `width` bytes: at least as many as
// shape_of(utf8).characters. Returns whether the text was well-formed; if not, what has been written
// means nothing.
bool widen(std::string_view utf8, std::size_t width, void* out, std::size_t room);

}  // namespace subword
