// Numbers symbols by their on-disk spelling, exactly as in the codes file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/types.h"

namespace subword {

class SpellingTable {
 public:
  // Reserves room for this many symbols; the table grows beyond that if needed.
  explicit SpellingTable(std::size_t symbols);

  // Returns the spelling's number, assigning the next one if it is new.
  SymbolId intern(std::string_view spelling);

  // Returns kNone if there is no such symbol.
  SymbolId find(std::string_view spelling) const;

  std::size_t size() const { return entries_.size(); }
  std::string_view operator[](SymbolId id) const { return entries_[id].spelling; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::string_view spelling;
  };

  std::size_t slot_of(std::uint64_t hash, std::string_view spelling) const;
  std::string_view store(std::string_view spelling);
  void grow();

  std::vector<Entry> entries_;
  std::vector<SymbolId> slots_;  // kNone if free
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_ = nullptr;
  std::size_t block_left_ = 0;
};

}  // namespace subword
