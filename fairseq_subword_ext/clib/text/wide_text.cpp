#include "text/wide_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "text/hash.h"
#include "text/text.h"

namespace subword {

namespace {

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0u) == 0x80u; }

// Widens eight bytes at once and returns how many leading ones are ASCII. Only those are valid output.
template <typename Unit>
std::size_t widen_ascii(const std::uint8_t* at, Unit* out) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  const std::uint64_t high = load64(reinterpret_cast<const char*>(at)) & kHighBits;
  for (std::size_t i = 0; i < 8; ++i) out[i] = at[i];
  return high == 0 ? 8 : static_cast<std::size_t>(__builtin_ctzll(high)) / 8;
}

template <typename Unit>
bool widen_to(std::string_view utf8, Unit* out, std::size_t room) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(utf8.data());
  const auto* const end = at + utf8.size();
  const Unit* const out_end = out + room;
  while (at < end) {
    const auto left = static_cast<std::size_t>(end - at);
    if (*at < 0x80 && left >= 8 && out_end - out >= 8) {
      const std::size_t ascii = widen_ascii(at, out);
      at += ascii;
      out += ascii;
      continue;
    }
    char32_t code_point = 0;
    const std::size_t size = read_character(reinterpret_cast<const char*>(at), left, &code_point);
    if (size == 0) return false;
    *out++ = static_cast<Unit>(code_point);
    at += size;
  }
  return true;
}

// Letters and the spaces between them mostly differ in size, which the processor could not predict. So up to
// three bytes are chosen without a branch, and four are always written.
template <typename Unit>
std::size_t narrow_from(const Unit* symbols, std::size_t size, TextBuffer* out) {
  char* to = out->room(0);
  char* const begin = to;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t c = symbols[i];
    const std::uint32_t last = 0x80 | (c & 0x3F);
    const std::uint32_t middle = 0x80 | (c >> 6 & 0x3F);
    std::uint32_t bytes = c < 0x80 ? c : (0xC0 | c >> 6) | last << 8;
    bytes = c < 0x800 ? bytes : (0xE0 | c >> 12) | middle << 8 | last << 16;
    std::size_t length = 1 + (c >= 0x80) + (c >= 0x800);
    if (c >= 0xD800 && c < 0xE000) return i;
    if (c >= 0x10000) {
      bytes = (0xF0 | c >> 18) | (0x80 | (c >> 12 & 0x3F)) << 8 | middle << 16 | last << 24;
      length = 4;
    }
    std::memcpy(to, &bytes, sizeof bytes);
    to += length;
  }
  out->advance(static_cast<std::size_t>(to - begin));
  return std::string_view::npos;
}

}  // namespace

std::size_t narrow(const WideLine& line, TextBuffer* out, std::string_view* utf8) {
  if (line.is_ascii) {
    *utf8 = {static_cast<const char*>(line.symbols), line.size};
    return std::string_view::npos;
  }
  const std::size_t begin = out->size();
  const std::size_t surrogate =
      line.width == 1   ? narrow_from(static_cast<const std::uint8_t*>(line.symbols), line.size, out)
      : line.width == 2 ? narrow_from(static_cast<const std::uint16_t*>(line.symbols), line.size, out)
                        : narrow_from(static_cast<const std::uint32_t*>(line.symbols), line.size, out);
  *utf8 = out->view().substr(begin);
  return surrogate;
}

std::string describe_surrogate(const WideLine& line, std::size_t at) {
  const std::uint32_t c = line.width == 2 ? static_cast<const std::uint16_t*>(line.symbols)[at]
                                          : static_cast<const std::uint32_t*>(line.symbols)[at];
  char number[16];
  std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(c));
  return "character " + std::to_string(at + 1) + " is the lone surrogate " + number +
         ", which UTF-8 cannot encode";
}

TextShape shape_of(std::string_view utf8) {
  std::size_t characters = 0;
  std::uint8_t largest_byte = 0;
  for (const char byte : utf8) {
    const auto value = static_cast<std::uint8_t>(byte);
    characters += !is_continuation(value);
    largest_byte = std::max(largest_byte, value);
  }
  // Lead bytes 0xC2 and 0xC3 start U+0080 to U+00FF; lead bytes below 0xF0 start nothing above U+FFFF.
  const std::uint32_t largest = largest_byte < 0x80   ? 0x7F
                                : largest_byte < 0xC4 ? 0xFF
                                : largest_byte < 0xF0 ? 0xFFFF
                                                      : 0x10FFFF;
  return {characters, largest};
}

bool widen(std::string_view utf8, std::size_t width, void* out, std::size_t room) {
  if (width == 1) return widen_to(utf8, static_cast<std::uint8_t*>(out), room);
  if (width == 2) return widen_to(utf8, static_cast<std::uint16_t*>(out), room);
  return widen_to(utf8, static_cast<std::uint32_t*>(out), room);
}

}  // namespace subword
