#include "segmenting/char_level.h"

#include <algorithm>
#include <string>

#include "text/text.h"
#include "segmenting/token_escape.h"

namespace subword {

namespace {

constexpr std::string_view kSpaceSymbol = "\u2581";
constexpr char32_t kSpaceCharacter = 0x2581;
constexpr std::size_t kLinesAtOnce = 512;

// Appends one symbol and a space after it.
void append_symbol(std::string_view character, TextBuffer* out) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first == ' ') {
    out->append(kSpaceSymbol);
  } else if (may_begin_escaped(first)) {
    const char32_t c = decode_character(character);
    if (c == kSpaceCharacter || is_escaped(c)) {
      std::string escaped;
      append_escaped(c, &escaped);
      out->append(escaped);
    } else {
      out->append(character);
    }
  } else {
    out->append(character);
  }
  out->push_back(' ');
}

// Appends a line, which is given without its newline.
void append_line(std::string_view line, CarriageReturn carriage_return, TextBuffer* out) {
  const bool ends_in_carriage_return =
      carriage_return != CarriageReturn::kKeep && !line.empty() && line.back() == '\r';
  if (ends_in_carriage_return) line.remove_suffix(1);
  if (carriage_return == CarriageReturn::kError && line.find('\r') != line.npos) {
    throw InputError(kLoneCarriageReturn);
  }
  const std::size_t start = out->size();
  while (!line.empty()) {
    const std::size_t size = character_size(line.data(), line.size());
    if (size == 0) throw InputError(describe_malformed(line.front()));
    const bool replaced = line.front() == '\r' && carriage_return == CarriageReturn::kReplace;
    append_symbol(replaced ? " " : line.substr(0, size), out);
    line.remove_prefix(size);
  }
  if (out->size() > start) out->pop_back();
  if (ends_in_carriage_return) out->push_back('\r');
}

}  // namespace

TextBuffer characters_of_text(std::string_view text, CarriageReturn carriage_return,
                              std::uint64_t first_line, const Interrupt& interrupt) {
  TextBuffer out;
  out.room(2 * text.size());
  for (std::uint64_t number = first_line + 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    try {
      append_line(text.substr(0, end), carriage_return, &out);
    } catch (const InputError& error) {
      throw LineError(static_cast<Count>(number), error.what());
    }
    if (end < text.size()) out.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number % kLinesAtOnce == 0) poll(interrupt);
  }
  return out;
}

}  // namespace subword
