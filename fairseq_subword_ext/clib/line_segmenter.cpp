#include "line_segmenter.h"

#include <algorithm>
#include <cstring>

#include "text.h"
#include "token_escape.h"

namespace subword {

namespace {

constexpr std::size_t kLongestCachedWord = 256;
constexpr std::size_t kCachedWords = std::size_t{1} << 19;
constexpr std::size_t kCachedBytes = std::size_t{1} << 25;
constexpr std::size_t kPadding = 16;  // WordTable reads that far

}  // namespace

LineSegmenter::LineSegmenter(const Segmenter* segmenter, const TextOptions* options,
                             const Glossary* glossary)
    : segmenter_(*segmenter), options_(*options), glossary_(*glossary) {
  // A word without the first bytes of Unicode spaces, of U+241B and of control symbols, and without the
  // separator's last byte, has no token that needs an escape.
  for (int byte = 0; byte < 256; ++byte) {
    plain_bytes_[byte] = byte > 0x20 && byte != 0xC2 && (byte < 0xE1 || byte > 0xE3) && byte != '<';
  }
  const std::string& separator = segmenter_.options().separator;
  if (!separator.empty()) plain_bytes_[static_cast<unsigned char>(separator.back())] = false;
  // Letters, digits and brackets in the separator could complete a control symbol.
  const auto harmless = [](unsigned char byte) {
    return byte >= 0x80 || byte == '@' || byte == '_' || (byte > ' ' && byte < '0');
  };
  if (!std::all_of(separator.begin(), separator.end(), harmless)) plain_bytes_.fill(false);
}

bool LineSegmenter::is_plain(std::string_view word) const {
  if (!options_.escape) return true;
  const auto plain = [this](unsigned char byte) { return plain_bytes_[byte]; };
  return std::all_of(word.begin(), word.end(), plain) && word.find("madeupword") == word.npos;
}

std::vector<std::string> LineSegmenter::pieces(std::string_view word, double dropout, Random* random) {
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

void LineSegmenter::line(std::string_view line, double dropout, Random* random, std::string* out) {
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

// Characters as units: a run of spaces between words becomes one. Bytes: every space starts a word, and
// so does the line, so that nothing is lost; a word is the space and what follows.
void LineSegmenter::words(std::string_view text, double dropout, Random* random, std::string* out) {
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

void LineSegmenter::word(const WordTable::Key& key, double dropout, Random* random, std::string* out) {
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

void LineSegmenter::print(std::string_view word, double dropout, Random* random, std::string* out) {
  const std::size_t malformed = find_malformed(word);
  if (malformed != word.npos) throw InputError(describe_malformed(word[malformed]));
  for_each_part(word, [&](std::string_view part, bool is_term, bool last_part) {
    if (is_term) {
      print_token(std::string(part), last_part, out);
      if (!last_part) out->push_back(' ');
      return;
    }
    const std::vector<Piece>& pieces = segmenter_.segment(part, dropout, random, &scratch_);
    const bool bytes = segmenter_.rules().unit() == Unit::kByte;
    const bool plain = !bytes && is_plain(part);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool last = i + 1 == pieces.size();
      if (pieces[i].unknown) {
        out->append("<unk>");
        if (!(last && last_part)) out->append(segmenter_.options().separator);
      } else if (plain) {
        out->append(part.substr(pieces[i].begin, pieces[i].end - pieces[i].begin));
        if (!(last && last_part)) out->append(segmenter_.options().separator);
      } else if (bytes) {
        // Never in need of escapes: no stand-in is a space, and control symbols were undone.
        segmenter_.append_text(part, pieces[i], out);
      } else {
        print_token(segmenter_.text(part, pieces[i]), last && last_part, out);
      }
      if (!(last && last_part)) out->push_back(' ');
    }
  });
}

void LineSegmenter::print_token(const std::string& text, bool final, std::string* out) const {
  const std::string& separator = segmenter_.options().separator;
  if (!options_.escape) {
    out->append(text);
    if (!final) out->append(separator);
  } else if (final) {
    out->append(escape_last_token(text, separator));
  } else {
    out->append(escape_token(text + separator));
  }
}

}  // namespace subword
