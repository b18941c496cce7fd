// UTF-8 encoding, decoding and validation, and the symbols of byte text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace subword {

// Decodes the well-formed character at `data` (Unicode, table 3-7: no overlong forms, no surrogates, nothing
// above U+10FFFF). Returns its size in bytes, or 0 if there is none.
inline std::size_t read_character(const char* data, std::size_t size, char32_t* code_point) {
  const auto byte = [data](std::size_t i) -> char32_t { return static_cast<unsigned char>(data[i]); };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  if (size == 0) return 0;
  const char32_t first = byte(0);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) {
    if (size < 2 || !continues(1)) return 0;
    *code_point = (first & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    return 2;
  }
  if (first < 0xF0) {
    if (size < 3 || !continues(1) || !continues(2)) return 0;
    *code_point = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    return *code_point < 0x800 || (*code_point >= 0xD800 && *code_point < 0xE000) ? 0 : 3;
  }
  if (size < 4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  *code_point =
      (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
  return *code_point < 0x10000 || *code_point > 0x10FFFF ? 0 : 4;
}

inline std::size_t character_size(const char* data, std::size_t size) {
  char32_t ignored;
  return read_character(data, size, &ignored);
}

// The code point of a single well-formed character.
inline char32_t decode_character(std::string_view character) {
  char32_t code_point = 0;
  read_character(character.data(), character.size(), &code_point);
  return code_point;
}

// The offset of the first byte that is not part of well-formed UTF-8, or npos if the text is well-formed.
std::size_t find_malformed(std::string_view text);

// Error text for a \r inside a line. Keep it identical to the one in textio/errors.py.
inline constexpr const char* kLoneCarriageReturn =
    "found a carriage return inside the line, where Fairseq and other tools would split the "
    "line; remove it, or read it as a space (--carriage-return replace)";

// Error text for a byte found by find_malformed().
std::string describe_malformed(char byte);
std::string describe_malformed(std::string_view line, std::size_t at);

// Number of characters in well-formed UTF-8.
std::size_t count_characters(std::string_view text);

// Number of \n.
std::size_t count_newlines(std::string_view text);

void append_utf8(char32_t code_point, std::string* out);

// The printable stand-in of a byte in byte text. Bytes 33-126, 161-172 and 174-255 map to the code point of
// the same number, byte 32 to U+2581 and all others to U+0100 + byte.
std::string byte_symbol(std::uint8_t byte);

}  // namespace subword
