#include "python_text.h"

#include <algorithm>

#include "hash.h"
#include "text.h"

namespace subword {

namespace {

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0u) == 0x80u; }

// Widens eight bytes at once, of which the first ones that are ASCII count, and says how many those are.
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
    const std::uint32_t first = *at;
    const auto left = static_cast<std::size_t>(end - at);
    // The common cases without a call.
    if (first < 0x80) {
      if (left >= 8 && out_end - out >= 8) {
        const std::size_t ascii = widen_ascii(at, out);
        at += ascii;
        out += ascii;
      } else {
        *out++ = static_cast<Unit>(first);
        at += 1;
      }
    } else if (first >= 0xC2 && first < 0xE0 && left >= 2 && is_continuation(at[1])) {
      *out++ = static_cast<Unit>((first & 0x1Fu) << 6 | (at[1] & 0x3Fu));
      at += 2;
    } else if (first >= 0xE0 && first < 0xED && left >= 3 && is_continuation(at[1]) &&
               is_continuation(at[2]) && (first > 0xE0 || at[1] >= 0xA0)) {
      *out++ = static_cast<Unit>((first & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu));
      at += 3;
    } else {
      const std::size_t size = character_size(reinterpret_cast<const char*>(at), left);
      if (size == 0) return false;
      std::uint32_t code_point = first & (0x7Fu >> size);
      for (std::size_t i = 1; i < size; ++i) code_point = code_point << 6 | (at[i] & 0x3Fu);
      *out++ = static_cast<Unit>(code_point);
      at += size;
    }
  }
  return true;
}

}  // namespace

TextShape shape_of(std::string_view utf8) {
  std::size_t characters = 0;
  std::uint8_t largest_byte = 0;
  for (const char byte : utf8) {
    const auto value = static_cast<std::uint8_t>(byte);
    characters += !is_continuation(value);
    largest_byte = std::max(largest_byte, value);
  }
  // A first byte of 0xC2 or 0xC3 starts U+0080 to U+00FF; below 0xF0 no character is beyond U+FFFF.
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
