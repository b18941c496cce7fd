#include "learning/borders.h"

#include <algorithm>

namespace subword {

namespace {

// SentencePiece's longest piece, in characters; the stand-in of a byte counts as one.
constexpr std::uint32_t kLongestPiece = 16;

// Kinds under kSentencePiece: the script of the stand-ins. A space may join any script.
constexpr std::uint8_t kSpace = 0, kLatin = 1, kCommon = 2;

// Kinds under kCharacter. From kHead up: the start of a character that lacks another kind - kTail bytes.
constexpr std::uint8_t kWhole = 0, kTail = 1, kHead = 2;

// Digits, punctuation and the micro sign (181) share the script "common".
std::uint8_t script_of(int byte) {
  if (byte == 32) return kSpace;
  if (byte < 33 || (byte > 126 && byte < 161) || byte == 173) return kLatin;  // stands in as U+0100 + byte
  const bool ascii_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
  const bool latin_1_letter =
      byte == 170 || byte == 186 || (byte >= 192 && byte != 215 && byte != 247);
  return ascii_letter || latin_1_letter ? kLatin : kCommon;
}

std::uint8_t part_of(int byte) {
  if (byte < 0x80) return kWhole;
  if (byte < 0xC0) return kTail;
  const int missing = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  return static_cast<std::uint8_t>(kTail + missing);
}

}  // namespace

BorderRules::BorderRules(Borders borders, const SymbolTable* symbols)
    : borders_(borders), symbols_(symbols) {
  if (borders == Borders::kNone) return;
  kinds_.push_back(0);  // the boundary
  for (int byte = 0; byte < 256; ++byte) {
    kinds_.push_back(borders == Borders::kSentencePiece ? script_of(byte) : part_of(byte));
  }
}

bool BorderRules::allowed(SymbolId left, SymbolId right) const {
  const std::uint8_t before = kinds_[left];
  const std::uint8_t after = kinds_[right];
  if (borders_ == Borders::kSentencePiece) {
    return symbols_->length(left) + symbols_->length(right) <= kLongestPiece &&
           (before == after || before == kSpace || after == kSpace);
  }
  // The text is well-formed, so a tail after a head or a tail belongs to the same character.
  return before == kWhole ? after == kWhole : after == kTail;
}

void BorderRules::join(SymbolId left, SymbolId right, SymbolId merged) {
  if (borders_ == Borders::kNone) return;
  std::uint8_t kind = std::max(kinds_[left], kinds_[right]);
  if (borders_ == Borders::kCharacter && kinds_[left] >= kHead) {
    const std::uint32_t missing = kinds_[left] - kTail - symbols_->length(right);
    kind = static_cast<std::uint8_t>(missing == 0 ? kWhole : kTail + missing);
  }
  kinds_.resize(symbols_->size(), 0);
  kinds_[merged] = kind;
}

}  // namespace subword
