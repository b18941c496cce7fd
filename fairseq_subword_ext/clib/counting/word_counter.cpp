#include "counting/word_counter.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "text/hash.h"
#include "text/text.h"

namespace subword {

namespace {

constexpr std::size_t kStep = 64;
constexpr std::size_t kPadding = kStep + WordKey::kPadding;

}  // namespace

// Counts the words of one text that arrives in blocks.
class WordCounter::Scanner {
 public:
  explicit Scanner(bool split_at_carriage_return) : pending_{}, split_(split_at_carriage_return) {}

  // Returns where to write the next block, with room for `size` bytes.
  char* room(std::size_t size) {
    if (buffer_.size() < used_ + size + kPadding + 1) buffer_.resize(used_ + size + kPadding + 1);
    return buffer_.data() + used_;
  }

  // Counts every complete word, after `size` bytes were written to room().
  void advance(std::size_t size) {
    // What is left from before is an incomplete word, already searched for its end.
    const std::size_t searched = used_;
    used_ += size;
    scan(searched);
  }

  void finish() {
    if (used_ == 0 && !inside_line_) return;
    room(1)[0] = '\n';
    advance(1);
  }

  WordTable table;
  TextTotals totals;
  Count bad_line = -1;  // line of the first unusable word, counted from 1; -1 if none
  std::string bad_word;

 private:
  void scan(std::size_t searched) {
    char* begin = buffer_.data();
    char* const end = begin + used_;
    std::memset(end, 0, kPadding);
    const Count first_line = totals.lines + 1;
    char* word = begin;
    // Local, since the compiler must assume that every word written changes a member.
    WordKey* next = pending_;
    for (char* block = begin + searched; block < end; block += kStep) {
      std::uint64_t ends = split_ ? word_ends<true>(block) : word_ends<false>(block);
      for (; ends != 0; ends &= ends - 1) {
        char* const at = block + __builtin_ctzll(ends);
        const std::size_t size = static_cast<std::size_t>(at - word) - ends_line(word, at);
        if (size != 0) {
          *next = word_key(word, size);
          table.prefetch_slot(*next);
          if (++next == pending_ + kBatch) {
            count_pending(next, first_line);
            next = pending_;
          }
        }
        word = at + 1;
      }
    }
    count_pending(next, first_line);
    used_ = static_cast<std::size_t>(end - word);
    std::memmove(begin, word, used_);
  }

  // One bit for each of the next kStep bytes, set if a word ends there.
  template <bool kSplit>
  static std::uint64_t word_ends(const char* block) {
    std::uint64_t ends = 0;
#ifdef __SSE2__
    for (std::size_t i = 0; i < kStep; i += 16) {
      const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
      __m128i found = _mm_or_si128(_mm_cmpeq_epi8(loaded, _mm_set1_epi8(' ')),
                                   _mm_cmpeq_epi8(loaded, _mm_set1_epi8('\n')));
      if (kSplit) found = _mm_or_si128(found, _mm_cmpeq_epi8(loaded, _mm_set1_epi8('\r')));
      ends |= static_cast<std::uint64_t>(_mm_movemask_epi8(found)) << i;
    }
#else
    for (std::size_t i = 0; i < kStep; i += 8) {
      const std::uint64_t loaded = load64(block + i);
      std::uint64_t found = all_bytes_equal(loaded, ' ') | all_bytes_equal(loaded, '\n');
      if (kSplit) found |= all_bytes_equal(loaded, '\r');
      ends |= gather_high_bits(found) << i;
    }
#endif
    return ends;
  }

  // Counts what ends here besides a word. Returns 1 if the word's last byte is a \r that belongs to the line end.
  std::size_t ends_line(const char* word, const char* at) {
    if (*at == ' ') {
      inside_line_ = true;
      pending_carriage_return_ = false;
      return 0;
    }
    inside_line_ = *at != '\n';
    if (inside_line_) {
      pending_carriage_return_ = true;
      ++totals.lone_carriage_returns;
      return 0;
    }
    ++totals.lines;
    const bool carriage_return_before = pending_carriage_return_ && at == word;
    pending_carriage_return_ = false;
    if (carriage_return_before) {
      ++totals.carriage_return_ends;
      --totals.lone_carriage_returns;
    }
    if (at == word || at[-1] != '\r') return 0;
    ++totals.carriage_return_ends;
    return 1;
  }

  // The table outgrows the CPU caches, so words wait in a small batch while their entries are prefetched.
  void count_pending(const WordKey* end, Count first_line) {
    totals.tokens += end - pending_;
    for (const WordKey* key = pending_; key != end; ++key) table.prefetch_entry(*key);
    for (const WordKey* key = pending_; key != end; ++key) {
      const std::size_t known = table.size();
      const std::size_t index = table.find_or_add(*key);
      table.add_count(index, 1);
      if (index == known) check({key->word, key->size}, first_line);
    }
  }

  // Called for new words only: known ones have been checked.
  void check(std::string_view word, Count first_line) {
    if (bad_line >= 0) return;
    if (find_malformed(word) == std::string_view::npos && word.find('\r') == word.npos) return;
    const auto before = static_cast<std::size_t>(word.data() - buffer_.data());
    bad_line = first_line + static_cast<Count>(count_newlines({buffer_.data(), before}));
    bad_word = word;  // whole: in a part, the first malformed byte may be another one
  }

  static constexpr std::size_t kBatch = 16;

  WordKey pending_[kBatch];
  bool split_;
  bool pending_carriage_return_ = false;
  bool inside_line_ = false;
  std::string buffer_;
  std::size_t used_ = 0;
};

namespace {

void add_tokens(Count count, TextTotals* totals) {
  if (__builtin_add_overflow(totals->tokens, count, &totals->tokens)) {
    throw InputError("the counts of all words together exceed 2^63 - 1");
  }
}

std::string describe_bad_word(const std::string& word) {
  const std::size_t malformed = find_malformed(word);
  if (malformed == std::string::npos || word.find('\r') < malformed) return kLoneCarriageReturn;
  return describe_malformed(word[malformed]);
}

}  // namespace

WordCounter::WordCounter(bool split_at_carriage_return)
    : split_at_carriage_return_(split_at_carriage_return) {}
WordCounter::~WordCounter() = default;

void WordCounter::feed(std::string_view block) {
  if (!stream_) stream_ = std::make_unique<Scanner>(split_at_carriage_return_);
  std::memcpy(stream_->room(block.size()), block.data(), block.size());
  stream_->advance(block.size());
}

void WordCounter::finish() {
  if (!stream_) return;
  stream_->finish();
  const std::unique_ptr<Scanner> done = std::move(stream_);
  if (done->bad_line >= 0) throw LineError(done->bad_line, describe_bad_word(done->bad_word));
  absorb(&done->table, done->totals);
}

void WordCounter::merge(WordCounter* other) { absorb(&other->table_, other->totals_); }

void WordCounter::absorb(WordTable* table, const TextTotals& totals) {
  totals_.lines += totals.lines;
  add_tokens(totals.tokens, &totals_);
  totals_.carriage_return_ends += totals.carriage_return_ends;
  totals_.lone_carriage_returns += totals.lone_carriage_returns;
  if (table_.size() == 0) {
    table_ = std::move(*table);
    *table = WordTable();
    return;
  }
  table_.add_all(*table);
}

std::vector<std::pair<std::string_view, Count>> WordCounter::items() const {
  std::vector<std::pair<std::string_view, Count>> all;
  for (std::size_t i = 0; i < table_.size(); ++i) all.emplace_back(table_.word(i), table_.count(i));
  return all;
}

void WordCounter::add(std::string_view word, Count count) {
  if (word.empty() || word.find_first_of(" \n\r") != word.npos) {
    throw InputError("a word is empty or contains U+0020, \\n or \\r");
  }
  if (find_malformed(word) != word.npos) throw InputError(describe_bad_word(std::string(word)));
  if (count < 0) throw InputError("the count of a word is negative");
  table_.add_count(table_.find_or_add(word), count);
  add_tokens(count, &totals_);
}

void WordCounter::add_dictionary(std::string_view text) {
  Count number = 0;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    ++number;
    const auto fail = [&](const std::string& problem) { throw LineError(number, problem); };
    const bool ends_in_carriage_return = !line.empty() && line.back() == '\r';
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      fail("expected a word, one space and a count, found '" + std::string(line.substr(0, 80)) +
           "'" + (line.find('\t') != line.npos ? " (a tab is part of a word here)" : ""));
    }
    const std::string_view digits = line.substr(space + 1);
    Count count = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') {
        fail("expected a count, a whole number of at least 0, found '" +
             std::string(digits.substr(0, 80)) + "'");
      }
      if (__builtin_mul_overflow(count, Count{10}, &count) ||
          __builtin_add_overflow(count, Count{digit - '0'}, &count)) {
        fail("the count exceeds 2^63 - 1");
      }
    }
    const std::string word(line.substr(0, space));
    if (find_malformed(word) != word.npos || word.find('\r') != word.npos) {
      fail(describe_bad_word(word));
    }
    try {
      table_.add_count(table_.find_or_add(word), count);
      add_tokens(count, &totals_);
    } catch (const InputError& error) {
      fail(error.what());
    }
    totals_.carriage_return_ends += ends_in_carriage_return;
    ++totals_.lines;
  }
}

}  // namespace subword
