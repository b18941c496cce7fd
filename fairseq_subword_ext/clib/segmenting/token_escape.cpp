#include "segmenting/token_escape.h"

#include <algorithm>
#include <string_view>

#include "segmenting/segmenter.h"
#include "text/text.h"

namespace subword {

namespace {

constexpr char32_t kEscape = 0x241B;

bool may_need_escape(std::string_view token) {
  for (const char c : token) {
    if (may_begin_escaped(static_cast<unsigned char>(c))) return true;
  }
  return is_control(token);
}

std::size_t last_character(const std::string& text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) --at;
  return at;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

bool is_unicode_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_escaped(char32_t c) { return c == kEscape || is_unicode_space(c); }

bool may_begin_escaped(unsigned char byte) {
  // Control characters, and the lead bytes of U+0085, U+00A0, U+1680, U+2000-U+2581 and U+3000.
  return byte < 0x20 || byte == 0xC2 || byte == 0xE1 || byte == 0xE2 || byte == 0xE3;
}

void append_escaped(char32_t c, std::string* out) {
  static const char* kDigits = "0123456789ABCDEF";
  append_utf8(kEscape, out);
  std::string number;
  for (char32_t rest = c; rest != 0; rest >>= 4) number.insert(number.begin(), kDigits[rest & 15]);
  *out += number;
  *out += ';';
}

std::string escape_token(const std::string& token) {
  if (!may_need_escape(token)) return token;
  std::string escaped;
  const bool control = is_control(token);
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t size = std::max<std::size_t>(1, character_size(token.data() + at, token.size() - at));
    const std::string_view character(token.data() + at, size);
    const char32_t c = decode_character(character);
    if (is_escaped(c) || (control && at == 0)) {
      append_escaped(c, &escaped);
    } else {
      escaped += character;
    }
    at += size;
  }
  return escaped;
}

std::string escape_last_token(const std::string& token, const std::string& separator) {
  std::string escaped = escape_token(token);
  if (!ends_with(escaped, separator)) return escaped;
  const std::size_t at = last_character(escaped);
  const char32_t last = decode_character(std::string_view(escaped).substr(at));
  escaped.resize(at);
  append_escaped(last, &escaped);
  return escaped;
}

}  // namespace subword
