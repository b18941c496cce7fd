#include "text/text.h"

#include <cstring>

#include "text/hash.h"

namespace subword {

namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0u) == 0x80u; }

}  // namespace

namespace {

// A finite automaton for UTF-8. A state is a shift: the entry for a byte, shifted by the state, has the next state in
// its low bits. So a byte takes one shift, whatever the text, and looking up the entries overlaps.
constexpr int kStateBits = 6;
constexpr std::uint64_t kStateMask = (1u << kStateBits) - 1;
enum State : std::uint8_t { kStart, kOneMore, kTwoMore, kThreeMore, kAfterE0, kAfterED, kAfterF0, kAfterF4, kBroken };

constexpr State next_state(State state, int byte) {
  const bool continues = byte >= 0x80 && byte < 0xC0;
  switch (state) {
    case kStart:
      return byte < 0x80                  ? kStart
             : byte < 0xC2 || byte > 0xF4 ? kBroken
             : byte < 0xE0                ? kOneMore
             : byte == 0xE0               ? kAfterE0
             : byte == 0xED               ? kAfterED
             : byte < 0xF0                ? kTwoMore
             : byte == 0xF0               ? kAfterF0
             : byte == 0xF4               ? kAfterF4
                                          : kThreeMore;
    case kOneMore:
      return continues ? kStart : kBroken;
    case kTwoMore:
      return continues ? kOneMore : kBroken;
    case kThreeMore:
      return continues ? kTwoMore : kBroken;
    case kAfterE0:
      return continues && byte >= 0xA0 ? kOneMore : kBroken;
    case kAfterED:
      return continues && byte < 0xA0 ? kOneMore : kBroken;
    case kAfterF0:
      return continues && byte >= 0x90 ? kTwoMore : kBroken;
    case kAfterF4:
      return continues && byte < 0x90 ? kTwoMore : kBroken;
    default:
      return kBroken;
  }
}

struct Automaton {
  std::uint64_t entries[256] = {};
  constexpr Automaton() {
    for (int byte = 0; byte < 256; ++byte) {
      for (int state = kStart; state <= kBroken; ++state) {
        const auto next = static_cast<std::uint64_t>(next_state(static_cast<State>(state), byte));
        entries[byte] |= next * kStateBits << state * kStateBits;
      }
    }
  }
};
constexpr Automaton kAutomaton;

bool is_well_formed(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t state = 0;
  const auto step = [&] { state = kAutomaton.entries[static_cast<unsigned char>(*at++)] >> (state & kStateMask); };
  while (end - at >= 16) {
    if (((load64(at) | load64(at + 8)) & kHighBits) == 0 && (state & kStateMask) == kStart) {
      at += 16;
      continue;
    }
    for (int i = 0; i < 16; ++i) step();
    if ((state & kStateMask) == kBroken * kStateBits) return false;
  }
  while (at < end) step();
  return (state & kStateMask) == kStart;
}

}  // namespace

std::size_t find_malformed(std::string_view text) {
  if (is_well_formed(text)) return std::string_view::npos;
  std::size_t at = 0;
  while (const std::size_t length = character_size(text.data() + at, text.size() - at)) at += length;
  return at;
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
