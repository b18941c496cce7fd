#include "text/text.h"

#include <cstring>

#include "text/hash.h"

namespace subword {

namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0u) == 0x80u; }

}  // namespace

std::size_t find_malformed(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size() && (load64(text.data() + at) & kHighBits) == 0) {
      at += 8;
      continue;
    }
    const std::size_t length = character_size(text.data() + at, text.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

namespace {

std::string hexadecimal(char byte) {
  static const char* kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  return std::string("0x") + kDigits[value >> 4] + kDigits[value & 15];
}

const char* const kNotUtf8 = " is not UTF-8; convert the text first, for example with iconv -t UTF-8";

}  // namespace

std::string describe_malformed(char byte) { return "byte " + hexadecimal(byte) + kNotUtf8; }

std::string describe_malformed(std::string_view line, std::size_t at) {
  return "byte " + std::to_string(at + 1) + " of the line (" + hexadecimal(line[at]) + ")" + kNotUtf8;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += !is_continuation(static_cast<unsigned char>(byte));
  return count;
}

std::size_t count_newlines(std::string_view text) {
  // A one-byte counter lets the compiler vectorize the loop, and cannot overflow in 255 steps.
  constexpr std::size_t kStep = 255;
  std::size_t count = 0;
  while (!text.empty()) {
    std::uint8_t in_part = 0;
    const std::string_view part = text.substr(0, kStep);
    for (const char byte : part) in_part = static_cast<std::uint8_t>(in_part + (byte == '\n'));
    count += in_part;
    text.remove_prefix(part.size());
  }
  return count;
}

void append_utf8(char32_t code_point, std::string* out) {
  const auto put = [out](std::uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string byte_symbol(std::uint8_t byte) {
  char32_t code_point = 0x100u + byte;
  if (byte == 32) code_point = 0x2581;
  if ((byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174) code_point = byte;
  std::string symbol;
  append_utf8(code_point, &symbol);
  return symbol;
}

}  // namespace subword
