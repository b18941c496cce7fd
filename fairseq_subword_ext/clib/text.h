// UTF-8 and byte text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace subword {

// The number of bytes of the well-formed character that starts at `data` (Unicode, table 3-7: no
// overlong forms, no surrogates, nothing beyond U+10FFFF), or 0 where there is none.
std::size_t character_size(const char* data, std::size_t size);

// The code point of one well-formed character.
inline char32_t decode_character(std::string_view character) {
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3: return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
  }
}

// Where the first byte lies that is not part of well-formed UTF-8; npos if the text is well-formed.
std::size_t find_malformed(std::string_view text);

// What is wrong with a \r inside a line; textio/errors.py has the same words.
inline constexpr const char* kLoneCarriageReturn =
    "found a carriage return inside the line, where Fairseq and other tools would break it; take it "
    "out, or have it read as a space (--carriage-return replace)";

// What is wrong with a byte found by find_malformed, for a message.
std::string describe_malformed(char byte);
std::string describe_malformed(std::string_view line, std::size_t at);

// Number of characters of well-formed UTF-8.
std::size_t count_characters(std::string_view text);

// Number of \n.
std::size_t count_newlines(std::string_view text);

void append_utf8(char32_t code_point, std::string* out);

// The printable stand-in of a byte in byte text: bytes 33-126, 161-172 and 174-255 stand for
// themselves (as U+0021...), the others for U+0100 + byte, and byte 32 for U+2581.
std::string byte_symbol(std::uint8_t byte);

}  // namespace subword
