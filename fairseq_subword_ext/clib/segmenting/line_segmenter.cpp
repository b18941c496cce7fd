#include "segmenting/line_segmenter.h"

#include <algorithm>
#include <cstring>

#include "text/wide_text.h"
#include "text/text.h"
#include "segmenting/token_escape.h"

namespace subword {

LineSegmenter::LineSegmenter(const Segmenter* segmenter, const TextOptions* options,
                             const Glossary* glossary, Output output, const PieceIds* ids,
                             const PieceTexts* texts, SharedWordCache* caches)
    : segmenter_(*segmenter),
      options_(*options),
      glossary_(*glossary),
      output_(output),
      ids_(output == Output::kIds ? ids : nullptr),
      texts_(texts),
      caches_(*caches),
      cache_(caches->get()) {
  // No token of a word needs an escape if the word has none of these bytes: the first byte of a Unicode
  // space, of U+241B or of a control symbol, and the last byte of the separator.
  for (int byte = 0; byte < 256; ++byte) {
    const bool plain = byte > 0x20 && byte != 0xC2 && (byte < 0xE1 || byte > 0xE3) && byte != '<';
    byte_kinds_[byte] = plain ? kPlain : kSpecial;
  }
  byte_kinds_['m'] = kLetterM;
  const std::string& separator = segmenter_.options().separator;
  if (!separator.empty()) byte_kinds_[static_cast<unsigned char>(separator.back())] = kSpecial;
  // Letters, digits and brackets in the separator could complete a control symbol.
  const auto harmless = [](unsigned char byte) {
    return byte >= 0x80 || byte == '@' || byte == '_' || (byte > ' ' && byte < '0');
  };
  if (!std::all_of(separator.begin(), separator.end(), harmless)) byte_kinds_.fill(kSpecial);
}

namespace {

void check_utf8(std::string_view word) {
  const std::size_t malformed = find_malformed(word);
  if (malformed != word.npos) throw InputError(describe_malformed(word[malformed]));
}

}  // namespace

bool LineSegmenter::is_plain(std::string_view word) const {
  if (!options_.escape) return true;
  bool special = false;
  bool letter_m = false;
  for (const unsigned char byte : word) {
    special |= byte_kinds_[byte] == kSpecial;
    letter_m |= byte_kinds_[byte] == kLetterM;
  }
  return !special && !(letter_m && word.find("madeupword") != word.npos);
}

std::vector<std::string> LineSegmenter::pieces(std::string_view word, double dropout, Random* random) {
  std::vector<std::string> found;
  if (segmenter_.rules().unit() == Unit::kByte) {
    text_.clear();
    text_.push_back(' ');
    text_.append(word);
    word = text_.view();
  }
  for_each_part(word, [&](std::string_view part, bool is_term, bool) {
    if (is_term) {
      found.emplace_back(part);
      return;
    }
    for (const Piece& piece : segmenter_.segment(part, dropout, random, &scratch_)) {
      found.emplace_back(piece.unknown ? kUnknownToken : segmenter_.spelling(part, piece));
    }
  });
  return found;
}

void LineSegmenter::start(std::size_t lines, std::size_t bytes) {
  lines_.clear();
  replaced_.clear();
  keys_.clear();
  next_ = 0;
  // Room for everything, so that words do not move before all are printed: keys_ points to them.
  text_.clear();
  text_.room(bytes + lines * (2 + WordKey::kPadding));
}

void LineSegmenter::take(std::string_view line) {
  Line& taken = lines_.emplace_back();
  if (options_.carriage_return != CarriageReturn::kKeep) {
    taken.ends_in_carriage_return = !line.empty() && line.back() == '\r';
    if (taken.ends_in_carriage_return) line.remove_suffix(1);
    if (line.find('\r') != line.npos) {
      taken.is_refused = options_.carriage_return == CarriageReturn::kError;
      std::string& replaced = replaced_.emplace_back(line);
      std::replace(replaced.begin(), replaced.end(), '\r', ' ');
      line = replaced;
    }
  }
  if (segmenter_.rules().unit() == Unit::kChar) {
    // Spaces at both ends of a line are kept, as in subword-nmt; \r counts as a space there.
    const std::size_t first = std::min(line.find_first_not_of(" \r"), line.size());
    const std::size_t last = std::max(line.find_last_not_of(" \r") + 1, first);
    taken.before = line.substr(0, first);
    taken.after = line.substr(last);
    line = line.substr(first, last - first);
  }
  taken.first_word = keys_.size();
  if (!line.empty()) find_words(line);
  taken.end_word = keys_.size();
}

// With characters as units, a run of spaces between words counts as one. With bytes as units, a word is a
// space and what follows it, so that nothing is lost; the start of the line counts as a space.
void LineSegmenter::find_words(std::string_view text) {
  const bool bytes = segmenter_.rules().unit() == Unit::kByte;
  const char* at = text_.data() + text_.size();
  if (bytes) text_.push_back(' ');
  text_.append(text);
  char* const end = text_.data() + text_.size();
  std::memset(end, ' ', 1 + WordKey::kPadding);
  text_.advance(1 + WordKey::kPadding);
  while (at < end) {
    WordKey& key = keys_.emplace_back();
    if (bytes) {
      read_word(at + 1, &key);
      key = word_key(at, key.size + 1);
      at += key.size;
    } else {
      read_word(at, &key);
      at += key.size + 1;
      if (key.size == 0) keys_.pop_back();
    }
  }
}

// Looking up words mostly waits for memory. Prefetching all of them overlaps the waits.
void LineSegmenter::look_up() {
  if (cache_->is_full(keys_.size())) cache_ = caches_.replace(cache_);
  for (const WordKey& key : keys_) cache_->prefetch_slot(key);
  for (const WordKey& key : keys_) cache_->prefetch_entry(key);
}

void LineSegmenter::print_next(double dropout, Random* random, TextBuffer* out) {
  if (next_ == 0) look_up();
  const Line& line = lines_[next_++];
  if (line.is_refused) throw InputError(kLoneCarriageReturn);
  constexpr std::size_t kStep = WordCache::kPadding;
  // The size of the space after each word, in bytes.
  const std::size_t space = output_ == Output::kIds ? 0 : output_ == Output::kWide ? 2 : 1;
  if (output_ == Output::kUtf8) out->append(line.before);
  for (std::size_t i = line.first_word; i < line.end_word; ++i) {
    const WordKey& key = keys_[i];
    // Under dropout the cache is neither read nor filled, since the result is random.
    std::string_view printed = dropout > 0.0 ? std::string_view() : cache_->find(key);
    if (printed.data() == nullptr) printed = print_new(key, dropout, random);
    // Most words are short, so copying blocks of 16 bytes past their end is faster than exact copies.
    char* const to = out->room(printed.size() + kStep + 2);
    for (std::size_t at = 0; at < printed.size(); at += kStep) {
      std::memcpy(to + at, printed.data() + at, kStep);
    }
    to[printed.size()] = ' ';
    to[printed.size() + 1] = '\0';
    out->advance(printed.size() + space);
  }
  if (line.end_word > line.first_word) out->drop(space);
  if (output_ == Output::kUtf8) out->append(line.after);
  if (line.ends_in_carriage_return) print_separator('\r', out);
}

std::string_view LineSegmenter::print_new(const WordKey& key, double dropout, Random* random) {
  printed_.clear();
  if (texts_ != nullptr) {
    print_bytes({key.word, key.size}, dropout, random);
  } else if (output_ == Output::kWide) {
    spelled_.clear();
    print({key.word, key.size}, dropout, random, &spelled_);
    const std::size_t characters = shape_of(spelled_.view()).characters;
    widen(spelled_.view(), 2, printed_.room(2 * characters), characters);
    printed_.advance(2 * characters);
  } else {
    print({key.word, key.size}, dropout, random, &printed_);
  }
  if (dropout <= 0.0) cache_->add(key, printed_.view());
  printed_.room(WordCache::kPadding);  // the caller reads past the end
  return printed_.view();
}

// Prints a word of byte text, in which nothing needs an escape: no stand-in is a space, and merges into control
// symbols were undone.
void LineSegmenter::print_bytes(std::string_view word, double dropout, Random* random) {
  check_utf8(word);
  for (const Piece& piece : segmenter_.segment(word, dropout, random, &scratch_)) {
    const std::string_view text = texts_->find(word, piece);
    constexpr std::size_t kStep = PieceTexts::kPadding;
    char* const to = printed_.room(text.size() + kStep);
    for (std::size_t at = 0; at < text.size(); at += kStep) std::memcpy(to + at, text.data() + at, kStep);
    printed_.advance(text.size());
  }
  printed_.drop(output_ == Output::kWide ? 2 : 1);
}

void LineSegmenter::print(std::string_view word, double dropout, Random* random, TextBuffer* out) {
  const bool bytes = segmenter_.rules().unit() == Unit::kByte;
  if (bytes || glossary_) {  // otherwise base_symbols() checks every character
    check_utf8(word);
  }
  for_each_part(word, [&](std::string_view part, bool is_term, bool last_part) {
    if (is_term) {
      TextBuffer* const text = ids_ == nullptr ? out : &spelled_;
      spelled_.clear();
      print_token(std::string(part), last_part, text);
      if (ids_ != nullptr) {
        ids_->table().append(spelled_.view(), out);
      } else if (!last_part) {
        out->push_back(' ');
      }
      return;
    }
    const std::vector<Piece>& pieces = segmenter_.segment(part, dropout, random, &scratch_);
    if (ids_ != nullptr) {
      print_ids(part, pieces, last_part, out);
    } else if (!bytes && is_plain(part)) {
      print_plain(part, pieces, last_part, out);
    } else {
      for (const Piece& piece : pieces) {
        const bool last = last_part && &piece == &pieces.back();
        print_piece(part, piece, last, out);
        if (!last) out->push_back(' ');
      }
    }
  });
}

void LineSegmenter::print_piece(std::string_view part, const Piece& piece, bool last,
                                TextBuffer* out) const {
  const bool bytes = segmenter_.rules().unit() == Unit::kByte;
  if (piece.unknown) {
    out->append(kUnknownToken);
    if (!last && !bytes) out->append(segmenter_.options().separator);
  } else if (bytes) {
    // Needs no escapes; see print_bytes().
    out->append(segmenter_.spelling(part, piece));
  } else {
    print_token(std::string(segmenter_.spelling(part, piece)), last, out);
  }
}

void LineSegmenter::print_ids(std::string_view part, const std::vector<Piece>& pieces, bool last_part,
                              TextBuffer* out) {
  const bool plain = segmenter_.rules().unit() == Unit::kByte || is_plain(part);
  for (const Piece& piece : pieces) {
    const bool last = last_part && &piece == &pieces.back();
    const std::int32_t id = plain ? ids_->find(part, piece, last) : PieceIds::kNoId;
    if (id != PieceIds::kNoId) {
      append_id(id, out);
    } else {
      spelled_.clear();
      print_piece(part, piece, last, &spelled_);
      ids_->table().append(spelled_.view(), out);
    }
  }
}

// Prints the pieces of a part that needs no escapes.
void LineSegmenter::print_plain(std::string_view part, const std::vector<Piece>& pieces, bool last_part,
                                TextBuffer* out) const {
  const std::string& separator = segmenter_.options().separator;
  for (const Piece& piece : pieces) {
    out->append(piece.unknown ? kUnknownToken : part.substr(piece.begin, piece.end - piece.begin));
    if (last_part && &piece == &pieces.back()) break;
    out->append(separator);
    out->push_back(' ');
  }
}

void LineSegmenter::print_token(const std::string& text, bool final, TextBuffer* out) const {
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
