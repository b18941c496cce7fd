#include "text_segmenter.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <thread>

#include "text.h"

namespace subword {

namespace {

constexpr std::size_t kLongestCachedWord = 256;
constexpr std::size_t kCachedWords = std::size_t{1} << 19;
constexpr std::size_t kCachedBytes = std::size_t{1} << 25;
constexpr std::size_t kPadding = 16;  // WordTable reads that far
constexpr std::size_t kLinesAtOnce = 512;

constexpr char32_t kEscape = 0x241B;

bool is_unicode_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

char32_t decode(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3: return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
             (byte(3) & 0x3Fu);
  }
}

void append_escaped(char32_t c, std::string* out) {
  static const char* kDigits = "0123456789ABCDEF";
  append_utf8(kEscape, out);
  std::string number;
  for (char32_t rest = c; rest != 0; rest >>= 4) number.insert(number.begin(), kDigits[rest & 15]);
  *out += number;
  *out += ';';
}

bool may_need_escape(std::string_view token) {
  for (const char c : token) {
    const auto byte = static_cast<unsigned char>(c);
    // Control characters, and the first bytes of U+0085, U+00A0, U+1680, U+2000-U+241B, U+3000.
    if (byte < 0x20 || byte == 0xC2 || byte == 0xE1 || byte == 0xE2 || byte == 0xE3) return true;
  }
  return is_control(token);
}

std::string escape_token(const std::string& token) {
  if (!may_need_escape(token)) return token;
  std::string escaped;
  const bool control = is_control(token);
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t size = std::max<std::size_t>(1, character_size(token.data() + at, token.size() - at));
    const std::string_view character(token.data() + at, size);
    const char32_t c = decode(character);
    if (c == kEscape || is_unicode_space(c) || (control && at == 0)) {
      append_escaped(c, &escaped);
    } else {
      escaped += character;
    }
    at += size;
  }
  return escaped;
}

std::size_t last_character(const std::string& text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) --at;
  return at;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

// What one thread needs: scratch memory and a bounded cache of printed words.
class TextSegmenter::Worker {
 public:
  Worker(const Segmenter* segmenter, const TextOptions* options, const Glossary* glossary)
      : segmenter_(*segmenter), options_(*options), glossary_(*glossary) {}

  std::vector<std::string> pieces(std::string_view word, double dropout, Random* random) {
    std::vector<std::string> found;
    if (segmenter_.rules().unit() == Unit::kByte) {
      padded_.assign(1, ' ').append(word);
      word = padded_;
    }
    for_each_part(word, [&](std::string_view part, bool is_term, bool) {
      if (is_term) {
        found.emplace_back(part);
        return;
      }
      for (const Piece& piece : segmenter_.segment(part, dropout, random, &scratch_)) {
        found.push_back(piece.unknown ? "<unk>" : segmenter_.text(part, piece));
      }
    });
    return found;
  }

  // Appends a segmented line. The line ends in no \n; one at the end of `out` is the caller's business.
  void line(std::string_view line, double dropout, Random* random, std::string* out) {
    std::string replaced;
    std::string_view text = line;
    std::string_view end;
    if (!text.empty() && text.back() == '\r' && options_.carriage_return != CarriageReturn::kKeep) {
      end = text.substr(text.size() - 1);
      text.remove_suffix(1);
    }
    if (options_.carriage_return != CarriageReturn::kKeep &&
        std::memchr(text.data(), '\r', text.size()) != nullptr) {
      if (options_.carriage_return == CarriageReturn::kError) {
        throw InputError(
            "a carriage return (\\r) inside the line, which other tools take for a line end; take it "
            "out, or have it read as a space (--carriage-return replace)");
      }
      replaced.assign(text);
      std::replace(replaced.begin(), replaced.end(), '\r', ' ');
      text = replaced;
    }
    if (segmenter_.rules().unit() == Unit::kByte) {
      words(text, dropout, random, out);
    } else {
      // Spaces at the ends of a line stay as they are, as in subword-nmt; \r counts as one there.
      std::size_t first = 0;
      while (first < text.size() && (text[first] == ' ' || text[first] == '\r')) ++first;
      std::size_t last = text.size();
      while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\r')) --last;
      out->append(text.substr(0, first));
      words(text.substr(first, last - first), dropout, random, out);
      out->append(text.substr(last));
    }
    out->append(end);
  }

 private:
  // Characters as units: a run of spaces between words becomes one. Bytes: every space starts a word,
  // and so does the line, so that nothing is lost; a word is the space and what follows.
  void words(std::string_view text, double dropout, Random* random, std::string* out) {
    const bool bytes = segmenter_.rules().unit() == Unit::kByte;
    padded_.assign(bytes && !text.empty() ? 1 : 0, ' ');
    padded_.append(text);
    const std::size_t size = padded_.size();
    padded_.append(kPadding, '\0');
    const char* const data = padded_.data();
    keys_.clear();
    for (std::size_t begin = 0; begin < size;) {
      const std::size_t from = begin + bytes;
      const void* space = std::memchr(data + from, ' ', size - from);
      const std::size_t end =
          space == nullptr ? size
                           : static_cast<std::size_t>(static_cast<const char*>(space) - data);
      if (end > begin) keys_.push_back(WordTable::key_of(data + begin, end - begin));
      begin = end + !bytes;
    }
    for (const WordTable::Key& key : keys_) known_.prefetch_slot(key);
    for (const WordTable::Key& key : keys_) known_.prefetch_entry(key);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (i > 0) out->push_back(' ');
      word(keys_[i], dropout, random, out);
    }
  }

  void word(const WordTable::Key& key, double dropout, Random* random, std::string* out) {
    const std::string_view word(key.word, key.size);
    // What dropout made is not remembered, and nothing that is remembered is used under dropout.
    if (dropout > 0.0 || word.size() > kLongestCachedWord) {
      print(word, dropout, random, out);
      return;
    }
    if (known_.size() >= kCachedWords || printed_.size() >= kCachedBytes) {
      known_ = WordTable();
      printed_.clear();
    }
    const std::size_t known = known_.size();
    const std::size_t index = known_.find_or_add(key);
    if (index == known) {
      const std::size_t begin = printed_.size();
      try {
        print(word, dropout, random, &printed_);
      } catch (...) {
        known_ = WordTable();
        printed_.clear();
        throw;
      }
      known_.add_count(index, static_cast<Count>(begin << 32 | (printed_.size() - begin)));
    }
    const auto place = static_cast<std::uint64_t>(known_.count(index));
    out->append(printed_, place >> 32, place & kNone);
  }

  template <class Use>
  void for_each_part(std::string_view word, Use use) {
    if (glossary_) {
      if (const auto parts = glossary_(word)) {
        for (std::size_t i = 0; i < parts->size(); ++i) {
          use((*parts)[i].text, (*parts)[i].is_term, i + 1 == parts->size());
        }
        return;
      }
    }
    use(word, false, true);
  }

  void print(std::string_view word, double dropout, Random* random, std::string* out) {
    const std::size_t malformed = find_malformed(word);
    if (malformed != word.npos) throw InputError(describe_malformed(word[malformed]));
    for_each_part(word, [&](std::string_view part, bool is_term, bool last_part) {
      if (is_term) {
        token(std::string(part), last_part, out);
        if (!last_part) out->push_back(' ');
        return;
      }
      const std::vector<Piece>& pieces = segmenter_.segment(part, dropout, random, &scratch_);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool last = i + 1 == pieces.size();
        if (pieces[i].unknown) {
          out->append("<unk>");
          if (!(last && last_part)) out->append(segmenter_.options().separator);
        } else if (segmenter_.rules().unit() == Unit::kByte) {
          // Never in need of escapes: no stand-in is a space, and control symbols were undone.
          segmenter_.append_text(part, pieces[i], out);
        } else {
          token(segmenter_.text(part, pieces[i]), last && last_part, out);
        }
        if (!(last && last_part)) out->push_back(' ');
      }
    });
  }

  std::string escape(std::string token) const {
    return options_.escape ? escape_token(token) : token;
  }

  void token(std::string text, bool final, std::string* out) const {
    const std::string& separator = segmenter_.options().separator;
    if (!final) {
      out->append(escape(text + separator));
      return;
    }
    std::string printed = escape(std::move(text));
    if (options_.escape && ends_with(printed, separator)) {
      // Decoding would glue the next word to it.
      const std::size_t at = last_character(printed);
      const char32_t last = decode(std::string_view(printed).substr(at));
      printed.resize(at);
      append_escaped(last, &printed);
    }
    out->append(printed);
  }

  const Segmenter& segmenter_;
  const TextOptions& options_;
  const Glossary& glossary_;
  SegmenterScratch scratch_;
  WordTable known_;       // the count of a word is the place and size of what is printed for it
  std::string printed_;
  std::string padded_;  // a line
  std::vector<WordTable::Key> keys_;  // of the words of a line
};

TextSegmenter::TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary)
    : segmenter_(std::move(segmenter)), options_(options), glossary_(std::move(glossary)) {}
TextSegmenter::~TextSegmenter() = default;

std::unique_ptr<TextSegmenter::Worker> TextSegmenter::take_worker() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return std::make_unique<Worker>(&segmenter_, &options_, &glossary_);
  std::unique_ptr<Worker> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void TextSegmenter::give_back(std::unique_ptr<Worker> worker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(worker));
}

std::vector<std::string> TextSegmenter::pieces(std::string_view word, double dropout,
                                               std::uint64_t seed) {
  std::unique_ptr<Worker> worker = take_worker();
  Random random(seed, 0);
  std::vector<std::string> found = worker->pieces(word, dropout, &random);
  give_back(std::move(worker));
  return found;
}

// Gives ranges of lines to threads; the range decides nothing about the result.
void TextSegmenter::run(std::size_t lines, std::uint32_t threads, const Interrupt& interrupt,
                        const std::function<void(Worker*, std::size_t, std::size_t)>& work) {
  const std::size_t shares =
      std::clamp<std::size_t>(lines / kLinesAtOnce, 1, std::max<std::uint32_t>(threads, 1));
  std::vector<std::exception_ptr> failures(shares);
  std::atomic<bool> stop{false};
  const auto run_share = [&](std::size_t share) {
    try {
      std::unique_ptr<Worker> worker = take_worker();
      const std::size_t end = lines * (share + 1) / shares;
      for (std::size_t at = lines * share / shares; at < end && !stop;) {
        if (share == 0) poll(interrupt);
        const std::size_t next = std::min(at + kLinesAtOnce, end);
        work(worker.get(), at, next);
        at = next;
      }
      give_back(std::move(worker));
    } catch (...) {
      failures[share] = std::current_exception();
      // An earlier share may still find an earlier error; only Ctrl-C stops all at once.
      if (share == 0) stop = true;
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t share = 1; share < shares; ++share) workers.emplace_back(run_share, share);
  run_share(0);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Errors name the line, random numbers depend on it.
void TextSegmenter::segment_line(Worker* worker, std::string_view line, std::size_t index,
                                 const LineRequest& request, std::string* out) const {
  const std::uint64_t number = request.first_line + index;
  try {
    if (line.find('\n') != line.npos) throw InputError("a newline inside the line");
    Random random(request.seed, number);
    worker->line(line, request.dropout, &random, out);
  } catch (const InputError& error) {
    throw InputError("line " + std::to_string(number + 1) + ": " + error.what());
  }
}

std::unique_ptr<LineTexts> TextSegmenter::segment_lines(const std::vector<std::string_view>& lines,
                                                        const LineRequest& request,
                                                        const Interrupt& interrupt) {
  auto segmented = std::make_unique<LineTexts>(lines.size());
  run(lines.size(), request.threads, interrupt, [&](Worker* worker, std::size_t at, std::size_t end) {
    const std::size_t first = at;
    std::string out;
    std::vector<std::size_t> ends;
    for (; at < end; ++at) {
      std::string_view line = lines[at];
      const bool newline = !line.empty() && line.back() == '\n';
      if (newline) line.remove_suffix(1);
      segment_line(worker, line, at, request, &out);
      if (newline) out.push_back('\n');
      ends.push_back(out.size());
    }
    segmented->set(first, std::move(out), ends);
  });
  return segmented;
}

std::string TextSegmenter::segment_text(std::string_view text, const LineRequest& request,
                                        const Interrupt& interrupt) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::string>> printed;  // first line, segmented lines
  run(lines.size(), request.threads, interrupt, [&](Worker* worker, std::size_t at, std::size_t end) {
    const std::size_t first = at;
    std::string out;
    for (; at < end; ++at) {
      std::string_view line = lines[at];
      const bool newline = line.back() == '\n';
      if (newline) line.remove_suffix(1);
      segment_line(worker, line, at, request, &out);
      if (newline) out.push_back('\n');
    }
    const std::lock_guard<std::mutex> lock(mutex);
    printed.emplace_back(first, std::move(out));
  });
  std::sort(printed.begin(), printed.end());
  std::string all;
  std::size_t size = 0;
  for (const auto& [first, block] : printed) size += block.size();
  all.reserve(size);
  for (const auto& [first, block] : printed) all += block;
  return all;
}

}  // namespace subword
