#include "segmenting/restoring.h"

#include <algorithm>
#include <cstring>

#include "segmenting/byte_text.h"
#include "segmenting/segmenter.h"
#include "text/text.h"

namespace subword {

namespace {

constexpr std::string_view kEscape = "\u241B";
constexpr std::string_view kSpaceSymbol = "\u2581";
constexpr std::size_t kLinesAtOnce = 512;

class Restorer {
 public:
  Restorer(Segmented kind, const std::string& separator, Restored* restored)
      : kind_(kind), separator_(separator + ' '), restored_(*restored) {}

  // Restores a line, which is given without its line end.
  void restore(std::string_view line) {
    const std::size_t start = restored_.text.size();
    if (kind_ == Segmented::kByteText) {
      restore_bytes(line);
    } else if (kind_ == Segmented::kCharacters) {
      restore_characters(line);
    } else {
      restore_pieces(line);
    }
    // Decoding may produce a newline, but no original line can have contained one.
    char* const begin = restored_.text.data() + start;
    const std::size_t size = restored_.text.size() - start;
    if (size > 0 && std::memchr(begin, '\n', size) != nullptr) std::replace(begin, begin + size, '\n', ' ');
  }

 private:
  void restore_bytes(std::string_view line) {
    TextBuffer& out = restored_.text;
    char* const begin = out.room(line.size());
    std::size_t unknown = 0;
    char* end = byte_text_to_bytes(line, begin, &unknown);
    restored_.unknown_symbols += unknown;
    std::string_view bytes(begin, static_cast<std::size_t>(end - begin));
    const std::size_t dropped_space = !bytes.empty() && bytes.front() == ' ' ? 1 : 0;
    bytes.remove_prefix(dropped_space);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t malformed = std::min(find_malformed(bytes.substr(at)), bytes.size() - at);
      std::memmove(begin + kept, bytes.data() + at, malformed);
      kept += malformed;
      at += malformed + 1;  // skips a byte that starts no character
    }
    restored_.dropped_bytes += bytes.size() - kept;
    out.advance(kept);
  }

  void restore_pieces(std::string_view line) {
    std::string_view rest = line;
    joined_.clear();
    // Removing separator and space joins two pieces. A separator at the end of the line joins nothing.
    const std::string_view mark = separator_;
    for (std::size_t found; (found = rest.find(mark)) != rest.npos; rest.remove_prefix(found + mark.size())) {
      joined_.append(rest.substr(0, found));
    }
    const std::string_view at_end = mark.substr(0, mark.size() - 1);
    if (rest.size() >= at_end.size() && rest.substr(rest.size() - at_end.size()) == at_end) {
      rest.remove_suffix(at_end.size());
    }
    joined_.append(rest);
    std::string_view text = joined_.view();
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    if (kind_ == Segmented::kUnescapedPieces) {
      restored_.text.append(text);
    } else {
      append_unescaped(text);
    }
  }

  void restore_characters(std::string_view line) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      std::string_view token = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      if (token.size() <= 1) {
        restored_.text.append(token);
        continue;
      }
      if (is_control(token)) continue;
      joined_.clear();
      for (std::size_t found; (found = token.find(kSpaceSymbol)) != token.npos;
           token.remove_prefix(found + kSpaceSymbol.size())) {
        joined_.append(token.substr(0, found));
        joined_.push_back(' ');
      }
      joined_.append(token);
      append_unescaped(joined_.view());
    }
  }

  // Undoes escapes, and keeps what only looks like one.
  void append_unescaped(std::string_view text) {
    for (std::size_t found; (found = text.find(kEscape)) != text.npos;) {
      restored_.text.append(text.substr(0, found));
      text.remove_prefix(found);
      std::size_t at = kEscape.size();
      char32_t number = 0;
      for (; at < text.size() && at < kEscape.size() + 6; ++at) {
        const char digit = text[at];
        if (digit >= '0' && digit <= '9') {
          number = number << 4 | static_cast<char32_t>(digit - '0');
        } else if (digit >= 'A' && digit <= 'F') {
          number = number << 4 | static_cast<char32_t>(digit - 'A' + 10);
        } else {
          break;
        }
      }
      const bool closed = at > kEscape.size() && at < text.size() && text[at] == ';';
      if (closed && number <= 0x10FFFF && (number < 0xD800 || number >= 0xE000)) {
        character_.clear();
        append_utf8(number, &character_);
        restored_.text.append(character_);
        text.remove_prefix(at + 1);
      } else {
        restored_.text.append(kEscape);
        text.remove_prefix(kEscape.size());
      }
    }
    restored_.text.append(text);
  }

  const Segmented kind_;
  const std::string separator_;
  Restored& restored_;
  TextBuffer joined_;
  std::string character_;
};

}  // namespace

Restored restore_text(std::string_view text, Segmented kind, const std::string& separator,
                      CarriageReturn carriage_return, std::uint64_t first_line, const Interrupt& interrupt) {
  Restored restored;
  restored.text.room(text.size());
  Restorer restorer(kind, separator, &restored);
  std::string replaced;
  for (std::uint64_t number = first_line + 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (const std::size_t malformed = find_malformed(line); malformed != line.npos) {
      throw LineError(static_cast<Count>(number), describe_malformed(line, malformed));
    }
    const bool ends_in_carriage_return = !line.empty() && line.back() == '\r';
    if (ends_in_carriage_return) line.remove_suffix(1);
    if (line.find('\r') != line.npos) {
      if (carriage_return == CarriageReturn::kError) throw LineError(static_cast<Count>(number), kLoneCarriageReturn);
      replaced = line;
      std::replace(replaced.begin(), replaced.end(), '\r', ' ');
      line = replaced;
    }
    const std::size_t begin = restored.text.size();
    restorer.restore(line);
    if (ends_in_carriage_return) restored.text.push_back('\r');
    // A last line of spaces alone stays a line, even if nothing ends it.
    if (end < text.size() || restored.text.size() == begin) restored.text.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number % kLinesAtOnce == 0) poll(interrupt);
  }
  return restored;
}

}  // namespace subword
