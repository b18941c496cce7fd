#include "learning/corpus.h"

#include "text/text.h"

namespace subword {

namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 31;

// Looks up a character's symbol by code point, which is faster than by string.
class CharacterSymbols {
 public:
  explicit CharacterSymbols(SymbolTable* symbols) : symbols_(symbols), known_(1 << 12, kNone) {}

  SymbolId get(std::string_view character, bool final) {
    const std::size_t slot = decode_character(character) * std::size_t{2} + (final ? 1 : 0);
    if (slot >= known_.size()) known_.resize(slot + 1, kNone);
    if (known_[slot] == kNone) known_[slot] = symbols_->intern(character, final, 1);
    return known_[slot];
  }

 private:
  SymbolTable* symbols_;
  std::vector<SymbolId> known_;
};

// The size of a well-formed character, from its first byte.
std::size_t well_formed_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

void Corpus::add_symbol(SymbolId symbol, Count frequency) {
  cells_.push_back(symbol);
  if (symbol >= base_counts_.size()) base_counts_.resize(symbol + 1, 0);
  Count& count = base_counts_[symbol];
  if (__builtin_add_overflow(count, frequency, &count)) {
    throw InputError("the count of a symbol exceeds 2^63 - 1");
  }
}

void Corpus::add_boundary(Count frequency) {
  auto stored = static_cast<Cell>(frequency);
  if (frequency >= kLarge) {
    stored = kLarge + static_cast<Cell>(large_.size());
    large_.push_back(frequency);
  }
  cells_.push_back(kBoundaryBit | stored);
}

Corpus::Corpus(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt) {
  if (words.size() == 0) {
    throw InputError("the input contains no words to learn from");
  }
  const std::uint32_t extra = unit == Unit::kByte || marker == Marker::kOwnSymbol ? 1 : 0;
  std::size_t total = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.word(i);
    total += (unit == Unit::kByte ? word.size() : count_characters(word)) + extra + 1;
  }
  if (total >= kMaxCells) {
    throw InputError("the word types have more than 2^31 symbols in total; use less text");
  }
  cells_.reserve(total + kStep);

  std::vector<SymbolId> bytes;
  if (unit == Unit::kByte) {
    // All 256, whatever the text holds, so that nothing is ever out of vocabulary.
    for (int byte = 0; byte < 256; ++byte) {
      bytes.push_back(symbols_.intern(byte_symbol(static_cast<std::uint8_t>(byte)), false, 1));
    }
  }
  CharacterSymbols characters(&symbols_);
  add_boundary(0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 65536 == 0) poll(interrupt);
    const std::string_view word = words.word(i);
    const Count frequency = words.count(i);
    if (unit == Unit::kByte) {
      add_symbol(bytes[32], frequency);
      for (const char byte : word) add_symbol(bytes[static_cast<unsigned char>(byte)], frequency);
    } else {
      for (std::size_t at = 0; at < word.size();) {
        const std::size_t size = well_formed_size(word[at]);
        const bool final = marker == Marker::kJoined && at + size == word.size();
        add_symbol(characters.get(word.substr(at, size), final), frequency);
        at += size;
      }
      if (marker == Marker::kOwnSymbol) add_symbol(symbols_.intern("", true, 1), frequency);
    }
    add_boundary(frequency);
  }
  end_ = static_cast<Position>(cells_.size());
  cells_.resize(cells_.size() + kStep, kBoundaryBit);
  base_end_ = static_cast<SymbolId>(symbols_.size());
  base_counts_.resize(symbols_.size(), 0);
}

}  // namespace subword
