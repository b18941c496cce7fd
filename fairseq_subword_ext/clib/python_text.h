// UTF-8 to the form in which Python keeps text: one code point a place, one, two or four bytes wide.
//
// Python's own decoder grows a string as it goes, which costs more than segmenting a line does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace subword {

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
