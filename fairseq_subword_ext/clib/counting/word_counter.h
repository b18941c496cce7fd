// Counts word types in text that arrives in blocks.
//
// Lines end in \n; words are separated by U+0020 and by line ends. A \r before \n belongs to the line
// end. Any other \r separates words if the caller asks for it, and otherwise is an error with its line
// number. Text must be UTF-8. Memory grows with the number of word types, never with the length of the text.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/types.h"
#include "counting/word_key.h"

namespace subword {

// Word types and their counts, in order of first occurrence whatever the number of threads.
class WordTable {
 public:
  WordTable();

  // Returns the index of a word, adding it with count 0 if it is new.
  std::size_t find_or_add(const WordKey& key);
  std::size_t find_or_add(std::string_view word);

  // Adds all words and counts of another table.
  void add_all(const WordTable& other);

  // Prefetch what find_or_add() will read: the slot first and, once that is in cache, the entry it points to.
  void prefetch_slot(const WordKey& key) const {
    __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]);
  }
  void prefetch_entry(const WordKey& key) const {
    const std::uint64_t found = slots_[key.hash & (slots_.size() - 1)];
    if (found != 0) __builtin_prefetch(&entries_[(found & kNone) - 1]);
  }

  // Adds to a count. Throws InputError if the sum exceeds 63 bits.
  void add_count(std::size_t index, Count count);

  std::size_t size() const { return entries_.size(); }
  std::string_view word(std::size_t index) const;
  Count count(std::size_t index) const { return entries_[index].count; }

 private:
  // For words longer than 16 bytes, `head` is the hash and `tail` the address.
  struct Entry {
    std::uint64_t head;
    std::uint64_t tail;
    Count count;
    std::uint64_t size;
  };

  WordKey key(std::size_t index) const;
  const char* store(const char* word, std::size_t size);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint64_t> slots_;  // high half: part of the hash; low half: entry + 1, or 0 if free
  std::deque<std::unique_ptr<char[]>> blocks_;
  char* block_ = nullptr;
  std::size_t block_left_ = 0;
};

// Counts taken from a text besides those of its words.
struct TextTotals {
  Count lines = 0;
  Count tokens = 0;
  Count carriage_return_ends = 0;  // lines that end in \r\n
  Count lone_carriage_returns = 0; // only if they separate words; otherwise an error
};

class WordCounter {
 public:
  // With split_at_carriage_return, a lone \r separates words; without, it is an error.
  explicit WordCounter(bool split_at_carriage_return = false);
  ~WordCounter();

  // feed() counts the next block of text; blocks may be cut anywhere. finish() ends the text and throws
  // LineError if any of it was unusable.
  void feed(std::string_view block);
  void finish();

  // Adds the counts of a counter that read later text; its new words come after this counter's. Do not use
  // `other` again: its contents may have been moved.
  void merge(WordCounter* other);

  // Adds the counts of a dictionary: one word, U+0020 and a count per line.
  void add_dictionary(std::string_view text);

  // Adds to the count of one word, which must be non-empty UTF-8 without U+0020, \n and \r.
  void add(std::string_view word, Count count);

  const WordTable& words() const { return table_; }
  void forget_words() { table_ = WordTable(); }
  std::vector<std::pair<std::string_view, Count>> items() const;
  const TextTotals& totals() const { return totals_; }

 private:
  class Scanner;

  void absorb(WordTable* table, const TextTotals& totals);

  bool split_at_carriage_return_;
  WordTable table_;
  TextTotals totals_;
  std::unique_ptr<Scanner> stream_;
};

}  // namespace subword
