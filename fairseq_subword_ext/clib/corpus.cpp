#include "corpus.h"

#include "text.h"

namespace subword {

namespace {

constexpr std::size_t kMaxCells = std::size_t{1} << 31;

// Finds a character's symbol faster than by its string.
class CharacterSymbols {
 public:
  explicit CharacterSymbols(SymbolTable* symbols) : symbols_(symbols), known_(1 << 12, kNone) {}

  SymbolId get(std::string_view character, bool final) {
    // The bytes of a character are its key; two of one or two bytes never share a slot below 4096.
    std::uint32_t key = 0;
    for (const char byte : character) key = key << 8 | static_cast<unsigned char>(byte);
    const std::uint32_t slot = slot_of(key) * 2 + (final ? 1 : 0);
    if (slot >= known_.size()) known_.resize(slot + 1, kNone);
    if (known_[slot] == kNone) known_[slot] = symbols_->intern(character, final, 1);
    return known_[slot];
  }

 private:
  // UTF-8 bytes back to the code point: dense from zero.
  static std::uint32_t slot_of(std::uint32_t key) {
    if (key < 0x80) return key;
    if (key < 0x10000) return (key >> 8 & 0x1F) << 6 | (key & 0x3F);
    if (key < 0x1000000) return (key >> 16 & 0x0F) << 12 | (key >> 8 & 0x3F) << 6 | (key & 0x3F);
    return (key >> 24 & 0x07) << 18 | (key >> 16 & 0x3F) << 12 | (key >> 8 & 0x3F) << 6 | (key & 0x3F);
  }

  SymbolTable* symbols_;
  std::vector<SymbolId> known_;
};

}  // namespace

Corpus::Corpus(const WordTable& words, Unit unit, Marker marker, const Interrupt& interrupt) {
  if (words.size() == 0) {
    throw InputError("there is no word in the input: nothing can be learned from it");
  }
  const std::uint32_t extra = unit == Unit::kByte || marker == Marker::kOwnSymbol ? 1 : 0;
  std::size_t total = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.word(i);
    total += (unit == Unit::kByte ? word.size() : count_characters(word)) + extra + 1;
  }
  if (total >= kMaxCells) {
    throw InputError("the word types have more than 2^31 symbols together; use less text");
  }
  cells_.reserve(total);
  frequencies_.reserve(words.size());

  std::vector<SymbolId> bytes;
  if (unit == Unit::kByte) {
    // All 256, whatever the text holds: nothing can be out of the vocabulary.
    for (int byte = 0; byte < 256; ++byte) {
      bytes.push_back(symbols_.intern(byte_symbol(static_cast<std::uint8_t>(byte)), false, 1));
    }
  }
  CharacterSymbols characters(&symbols_);
  cells_.push_back({kBoundary, 0});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 65536 == 0) poll(interrupt);
    const std::string_view word = words.word(i);
    const auto type = static_cast<TypeId>(i);
    frequencies_.push_back(words.count(i));
    if (unit == Unit::kByte) {
      cells_.push_back({bytes[32], type});
      for (const char byte : word) cells_.push_back({bytes[static_cast<unsigned char>(byte)], type});
    } else {
      for (std::size_t at = 0; at < word.size();) {
        const std::size_t size = character_size(word.data() + at, word.size() - at);
        const bool final = marker == Marker::kJoined && at + size == word.size();
        cells_.push_back({characters.get(word.substr(at, size), final), type});
        at += size;
      }
      if (marker == Marker::kOwnSymbol) cells_.push_back({symbols_.intern("", true, 1), type});
    }
    cells_.push_back({kBoundary, type});
  }
  base_end_ = static_cast<SymbolId>(symbols_.size());
}

}  // namespace subword
