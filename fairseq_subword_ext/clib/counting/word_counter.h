// Counts word types in text that arrives in blocks.
//
// A line ends at \n; words are what lies between U+0020 (and line ends). \r before \n belongs to the
// line end. Any other \r is an error with its line number, or separates words where that is asked.
// Text has to be UTF-8. Memory grows with the number of word types, never with the text's length.
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

// The counted word types in order of first occurrence, whatever the number of threads.
class WordTable {
 public:
  WordTable();

  // The index of a word, which is added with count 0 where it is new.
  std::size_t find_or_add(const WordKey& key);
  std::size_t find_or_add(std::string_view word);

  // Counts all that another table holds.
  void add_all(const WordTable& other);

  // Fetch what find_or_add() will look at, first the one and, when that has come, the other.
  void prefetch_slot(const WordKey& key) const {
    __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]);
  }
  void prefetch_entry(const WordKey& key) const {
    const std::uint64_t found = slots_[key.hash & (slots_.size() - 1)];
    if (found != 0) __builtin_prefetch(&entries_[(found & kNone) - 1]);
  }

  // Adds to a count; throws InputError beyond 63 bits.
  void add_count(std::size_t index, Count count);

  std::size_t size() const { return entries_.size(); }
  std::string_view word(std::size_t index) const;
  Count count(std::size_t index) const { return entries_[index].count; }

 private:
  // Of words longer than 16 bytes it keeps hash and address.
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
  std::vector<std::uint64_t> slots_;  // high half: part of the hash; low half: entry + 1, 0 if free
  std::deque<std::unique_ptr<char[]>> blocks_;
  char* block_ = nullptr;
  std::size_t block_left_ = 0;
};

// What a stretch of text was found to hold besides words.
struct TextFacts {
  Count lines = 0;
  Count tokens = 0;
  Count carriage_return_ends = 0;  // lines that end in \r\n
  Count lone_carriage_returns = 0; // counted where they separate words, an error elsewhere
};

class WordCounter {
 public:
  // With split_at_carriage_return a lone \r separates words instead of being an error.
  explicit WordCounter(bool split_at_carriage_return = false);
  ~WordCounter();

  // Counts text as it arrives, in blocks cut anywhere; finish() ends it, and throws LineError for text
  // that cannot be used.
  void feed(std::string_view block);
  void finish();

  // Adds what another one counted after this; its words come after this one's. The other is empty then,
  // or of no further use.
  void merge(WordCounter* other);

  // Counts a dictionary: one word, U+0020 and a count a line.
  void add_dictionary(std::string_view text);

  // Counts one word; it has to be UTF-8, not empty, and without U+0020, \n and \r.
  void add(std::string_view word, Count count);

  const WordTable& words() const { return table_; }
  void forget_words() { table_ = WordTable(); }
  std::vector<std::pair<std::string_view, Count>> items() const;
  const TextFacts& facts() const { return facts_; }

 private:
  class Scanner;

  void absorb(WordTable* table, const TextFacts& facts);

  bool split_at_carriage_return_;
  WordTable table_;
  TextFacts facts_;
  std::unique_ptr<Scanner> stream_;
};

}  // namespace subword
