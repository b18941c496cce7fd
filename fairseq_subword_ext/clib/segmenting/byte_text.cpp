#include "segmenting/byte_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "text/parallel.h"
#include "segmenting/segmenter.h"
#include "text/text.h"

namespace subword {

namespace {

constexpr std::uint32_t kSpaceSymbol = 0x2581;
constexpr std::size_t kTableSize = kSpaceSymbol + 1;  // above every stand-in
constexpr std::int16_t kNoByte = -1;

std::array<std::int16_t, kTableSize> make_byte_values() {
  std::array<std::int16_t, kTableSize> values;
  values.fill(kNoByte);
  for (std::int16_t byte = 0; byte < 256; ++byte) {
    const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    values[byte == ' ' ? kSpaceSymbol : itself ? byte : 0x100 + byte] = byte;
  }
  return values;
}

// The byte that each character below kTableSize stands for, or kNoByte.
const std::array<std::int16_t, kTableSize> kByteValues = make_byte_values();

template <typename Unit>
char* write_bytes(std::basic_string_view<Unit> symbols, char* out) {
  for (const std::uint32_t symbol : symbols) {
    const std::int16_t value = symbol < kTableSize ? kByteValues[symbol] : kNoByte;
    *out = static_cast<char>(value);
    out += value != kNoByte;  // a branch would be mispredicted at every other space
  }
  return out;
}

template <typename Unit>
bool is_control_token(std::basic_string_view<Unit> token) {
  if (token.empty() || (token[0] != '<' && token[0] != 'm')) return false;
  std::string ascii;
  for (const Unit symbol : token) {
    if (symbol > 0x7E) return false;
    ascii.push_back(static_cast<char>(symbol));
  }
  return is_control(ascii);
}

template <typename Unit>
char* write_bytes_without_controls(std::basic_string_view<Unit> line, char* out) {
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(Unit{' '}, begin), line.size());
    const auto token = line.substr(begin, end - begin);
    if (!is_control_token(token)) out = write_bytes(token, out);
    begin = end + 1;
  }
  return out;
}

// Few lines contain anything that could spell a control symbol; only those are read token by token.
bool may_hold_control(std::string_view text) {
  return text.find('<') != text.npos || text.find("madeupword") != text.npos;
}

// Decodes symbols and the spaces between them.
char* symbols_to_bytes(std::string_view symbols, char* out, std::size_t* unknown) {
  const char* at = symbols.data();
  const char* const end = at + symbols.size();
  // Most symbols have one or two bytes, in no order that the processor could predict, so these are decoded without
  // a branch. What starts with a larger byte is rare, but for U+2581.
  while (end - at >= 3) {
    const auto first = static_cast<unsigned char>(*at);
    if (first >= 0xE0) {
      char32_t symbol = 0;
      at += read_character(at, static_cast<std::size_t>(end - at), &symbol);
      const std::int16_t value = symbol < kTableSize ? kByteValues[symbol] : kNoByte;
      *out = static_cast<char>(value);
      out += value != kNoByte;
      *unknown += value == kNoByte;
      continue;
    }
    const std::size_t is_long = first >> 7;
    const std::uint32_t both = (first & 0x1Fu) << 6 | (static_cast<unsigned char>(at[1]) & 0x3Fu);
    const std::int16_t value = kByteValues[is_long ? both : first];
    *out = static_cast<char>(value);
    out += value != kNoByte;
    *unknown += (value == kNoByte) & (first != ' ');
    at += 1 + is_long;
  }
  while (at < end) {
    char32_t symbol = 0;
    at += read_character(at, static_cast<std::size_t>(end - at), &symbol);
    const std::int16_t value = kByteValues[symbol];
    *out = static_cast<char>(value);
    out += value != kNoByte;
    *unknown += (value == kNoByte) & (symbol != ' ');
  }
  return out;
}

// Writes a line to `out`, which has room for one byte per symbol, and returns the end of the output.
template <typename Unit>
char* write_line(const WideLine& wide, char* out) {
  const std::basic_string_view<Unit> line(static_cast<const Unit*>(wide.symbols), wide.size);
  const bool starts_with_space = !line.empty() && std::uint32_t{line[0]} == kSpaceSymbol;
  char* end = write_bytes(line.substr(starts_with_space ? 1 : 0), out);
  if (!starts_with_space || may_hold_control({out, static_cast<std::size_t>(end - out)})) {
    end = write_bytes_without_controls(line, out);
    if (end > out && *out == ' ') end = std::copy(out + 1, end, out);
  }
  const auto size = static_cast<std::size_t>(end - out);
  if (size > 0 && std::memchr(out, '\n', size) != nullptr) std::replace(out, end, '\n', ' ');
  return end;
}

char* write_any_line(const WideLine& line, char* out) {
  if (line.width == 1) return write_line<std::uint8_t>(line, out);
  if (line.width == 2) return write_line<std::uint16_t>(line, out);
  return write_line<std::uint32_t>(line, out);
}

}  // namespace

char* byte_text_to_bytes(std::string_view line, char* out, std::size_t* unknown) {
  if (!may_hold_control(line)) return symbols_to_bytes(line, out, unknown);
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view token = line.substr(begin, end - begin);
    begin = end + 1;
    if (is_control(token)) {
      ++*unknown;
    } else {
      out = symbols_to_bytes(token, out, unknown);
    }
  }
  return out;
}

void byte_text_to_bytes(const std::vector<WideLine>& lines, std::uint32_t threads, const TakeLines& take) {
  in_shares(lines.size(), threads, {}, [&] {
    return [&, text = TextBuffer(), ends = std::vector<std::size_t>()](std::size_t begin, std::size_t end) mutable {
      text.clear();
      ends.clear();
      std::size_t room = 0;
      for (std::size_t i = begin; i < end; ++i) room += lines[i].size;
      char* const written = text.room(room);
      char* out = written;
      for (std::size_t i = begin; i < end; ++i) {
        out = write_any_line(lines[i], out);
        ends.push_back(static_cast<std::size_t>(out - written));
      }
      text.advance(static_cast<std::size_t>(out - written));
      take(begin, &text, ends);
    };
  });
}

}  // namespace subword
