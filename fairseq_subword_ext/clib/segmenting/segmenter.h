// Applies a merge table to one word: merges greedily by rank, with optional BPE-dropout, then undoes merges
// that made a piece outside the vocabulary or one that Fairseq would misread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "segmenting/longest_match.h"
#include "segmenting/merge_rules.h"
#include "segmenting/random.h"
#include "text/types.h"

namespace subword {

// What to do with a character outside the alphabet: print it, report it, or print <unk> instead.
enum class Unknown { kKeep, kError, kUnk };

struct SegmenterOptions {
  std::string separator = "@@";
  bool filter_vocabulary = false;
  std::unordered_set<std::string> vocabulary;  // tokens as printed, separator included
  Unknown unknown = Unknown::kKeep;
  std::unordered_set<std::string> alphabet;  // base symbols; required unless `unknown` is kKeep
  // Allow pieces spelled <s> </s> <pad> <unk> madeupword0000, and undo merges the way subword-nmt does.
  bool like_subword_nmt = false;
};

// One piece of a word: a range of its bytes, and its symbol. With bytes as units, the word includes the space
// in front, and pieces are spelled in byte text.
struct Piece {
  std::uint32_t begin, end;
  SymbolId symbol;
  bool unknown;  // print it as <unk>
};

// Scratch memory, one per thread.
struct SegmenterScratch {
  struct Link {
    SymbolId symbol;
    std::uint32_t begin, end;
    std::uint32_t before, after;  // neighbours in the word
    std::uint32_t version;        // changes when the symbol does
  };
  struct Step {
    std::uint32_t rank, at, version_left, version_right;
  };
  std::vector<SymbolId> symbols;
  std::vector<std::uint32_t> starts;
  std::vector<Link> links;
  std::vector<Step> heap, dropped, made;
  std::unordered_map<SymbolId, std::pair<SymbolId, SymbolId>> considered;
  std::vector<Piece> pieces;
  MatchScratch match;
};

class Segmenter {
 public:
  Segmenter(MergeRules rules, SegmenterOptions options);

  // The pieces of a word, valid until the next call with this scratch memory. `word` must be non-empty and
  // without U+0020; with bytes as units, it starts with byte 32 instead. Each merge is dropped with
  // probability `dropout`, drawn anew each time it is considered.
  const std::vector<Piece>& segment(std::string_view word, double dropout, Random* random,
                                    SegmenterScratch* scratch) const;

  // The spelling of a piece, without marker and separator.
  std::string_view spelling(std::string_view word, const Piece& piece) const;

  const MergeRules& rules() const { return rules_; }
  const SegmenterOptions& options() const { return options_; }

 private:
  void merge(double dropout, Random* random, SegmenterScratch* scratch) const;
  void merge_short(SegmenterScratch* scratch) const;
  void merge_short_with_dropout(double dropout, Random* random, SegmenterScratch* scratch) const;
  void merge_by_score(SegmenterScratch* scratch) const;
  void replace_unused(std::string_view word, SegmenterScratch* scratch) const;
  static void read_links(SegmenterScratch* scratch);
  void merge_long(double dropout, Random* random, SegmenterScratch* scratch) const;
  void check_alphabet(std::string_view word, std::vector<Piece>* pieces) const;
  bool may_emit(std::string_view word, const Piece& piece, bool final, bool check_vocabulary) const;
  std::pair<SymbolId, SymbolId> parts(std::string_view word, const Piece& piece, bool final) const;
  void undo(std::string_view word, const Piece& piece, bool check_vocabulary, std::vector<Piece>* out) const;
  void filter(std::string_view word, bool check_vocabulary, std::vector<Piece>* pieces) const;
  std::string base_spelling(std::string_view word, const Piece& piece) const;

  MergeRules rules_;
  LongestMatch match_;
  SegmenterOptions options_;
  std::vector<std::string> byte_symbols_;
  std::vector<char> control_;  // by symbol: merged, and spelled like a control symbol
};

// Printed for a piece that is unknown.
inline constexpr std::string_view kUnknownToken = "<unk>";

// Whether Fairseq reads the token as one of its own symbols.
bool is_control(std::string_view token);

}  // namespace subword
