// Maps tokens, and the pieces of words, to the indices of a Fairseq dictionary.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "segmenting/segmenter.h"
#include "segmenting/spelling_table.h"
#include "text/text_buffer.h"
#include "text/types.h"

namespace subword {

using SymbolIndices = std::vector<std::pair<std::string_view, std::int32_t>>;

// The indices of consecutive lines, 32 bits each, and how many each line has.
struct LineIds {
  TextBuffer ids;
  std::vector<std::int64_t> lengths;
};

class IdTable {
 public:
  IdTable(const SymbolIndices& symbols, std::int32_t unknown);

  // The index of a token, or the unknown index.
  std::int32_t find(std::string_view token) const;

  // Splits the text as Fairseq does, at U+0020 and Unicode spaces, and appends the tokens' indices.
  void append(std::string_view text, TextBuffer* out) const;

  // The indices of the tokens of segmented lines. Lines end in \n, except possibly the last. `end`, if given, is
  // appended to each line's indices.
  LineIds encode_tokens(std::string_view text, std::optional<std::int32_t> end, const Interrupt& interrupt = {}) const;

 private:
  SpellingTable spellings_;
  std::vector<std::int32_t> indices_;
  std::int32_t unknown_;
};

inline void append_id(std::int32_t id, TextBuffer* out) {
  out->append({reinterpret_cast<const char*>(&id), sizeof id});
}

// The indices of a segmenter's pieces, by symbol, so that most tokens need not be spelled out.
class PieceIds {
 public:
  PieceIds(const Segmenter& segmenter, IdTable table);

  static constexpr std::int32_t kNoId = -1;  // spell the token out and look it up

  // The index of a piece that needs no escape; `last` says whether it is the last one of its word.
  std::int32_t find(std::string_view word, const Piece& piece, bool last) const {
    if (piece.unknown) return kNoId;
    if (piece.symbol >= ids_.size()) {
      return is_byte_ ? bytes_[static_cast<std::uint8_t>(word[piece.begin])] : kNoId;
    }
    const Ids& ids = ids_[piece.symbol];
    if (last) return piece.end - piece.begin == ids.last_size ? ids.last : kNoId;
    return piece.end - piece.begin == ids.inner_size ? ids.inner : kNoId;
  }

  const IdTable& table() const { return table_; }

 private:
  // The sizes guard against ambiguity: a spelling that ends in </w> may be literal text, or text and marker.
  struct Ids {
    std::int32_t inner, last;
    std::uint32_t inner_size, last_size;
  };

  std::int32_t id_of(std::string_view token) const;

  IdTable table_;
  bool is_byte_;
  std::vector<Ids> ids_;
  std::vector<std::int32_t> bytes_;
};

}  // namespace subword
