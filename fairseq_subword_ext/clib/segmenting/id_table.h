// The indices of a Fairseq dictionary, and what the pieces of words are in it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "segmenting/segmenter.h"
#include "segmenting/spelling_table.h"
#include "text/text_buffer.h"

namespace subword {

using SymbolIndices = std::vector<std::pair<std::string_view, std::int32_t>>;

class IdTable {
 public:
  IdTable(const SymbolIndices& symbols, std::int32_t unknown);

  // The index of a token, or that of unknown ones.
  std::int32_t find(std::string_view token) const;

  // Appends the indices of text that is split as Fairseq splits it: at U+0020 and at Unicode spaces.
  void append(std::string_view text, TextBuffer* out) const;

 private:
  SpellingTable spellings_;
  std::vector<std::int32_t> indices_;
  std::int32_t unknown_;
};

inline void append_id(std::int32_t id, TextBuffer* out) {
  out->append({reinterpret_cast<const char*>(&id), sizeof id});
}

// The indices of the pieces that a segmenter gives, by symbol, so that no token has to be spelled.
class PieceIds {
 public:
  PieceIds(const Segmenter& segmenter, IdTable table);

  static constexpr std::int32_t kNoId = -1;  // the token has to be spelled

  // Of a piece that needs no escape, the last of its word or not.
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
  // A symbol may be a piece of some other text too: one that ends in a literal </w>, or in the marker.
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
