// Targets for counting words and learning merges.
#include <optional>

#include "counting/word_counter.h"
#include "learning/learner.h"
#include "python/names.h"
#include "target.h"

namespace fuzz {

namespace {

using Items = std::vector<std::pair<std::string, subword::Count>>;

Items items(const subword::WordCounter& counter) {
  Items all;
  for (const auto& [word, count] : counter.items()) all.emplace_back(word, count);
  return all;
}

// Counts a text fed in blocks of a size, and gives the line of its first error instead if there is one.
std::pair<Items, subword::Count> count(const std::string& text, std::size_t block, bool split_at_carriage_return) {
  subword::WordCounter counter(split_at_carriage_return);
  try {
    for (std::size_t at = 0; at < text.size(); at += block) counter.feed(std::string_view(text).substr(at, block));
    counter.finish();
  } catch (const subword::LineError& error) {
    return {{}, error.line()};
  }
  return {items(counter), 0};
}

void count_words(Input input) {
  const bool split_at_carriage_return = input.choice(2) == 1;
  const std::size_t block = 1 + input.choice(64);
  const std::string text = input.rest();
  require(count(text, block, split_at_carriage_return) ==
              count(text, std::max<std::size_t>(text.size(), 1), split_at_carriage_return),
          "blocks may be cut anywhere");
}

// A dictionary of words and counts, as learn-bpe and get-vocab read it.
void dictionary(Input input) {
  subword::WordCounter counter;
  counter.add_dictionary(input.rest());
  std::string written;
  for (const auto& [word, count] : counter.items()) {
    written.append(word).append(" ").append(std::to_string(count)).append("\n");
  }
  subword::WordCounter again;
  again.add_dictionary(written);
  require(items(counter) == items(again), "what is written is read");
}

void learn(Input input) {
  static const std::vector<std::string> kMeasures{"frequency",    "frq",         "av",           "dlg",
                                                  "frq-weighted", "av-weighted", "dlg-weighted", "dlg-average"};
  static const std::vector<std::string> kVersions{"0.1", "0.2", "byte-1"};
  subword::LearnOptions options;
  options.measure = kMeasures[input.choice(kMeasures.size())];
  const std::string version = kVersions[input.choice(kVersions.size())];
  options.tie_break = static_cast<subword::TieBreak>(input.choice(3));
  if (version == "byte-1") options.borders = static_cast<subword::Borders>(input.choice(3));
  options.min_frequency = static_cast<subword::Count>(input.choice(4));
  options.description_length_of_types = input.choice(2) == 1;
  options.trace = true;
  options.merges = 40;
  subword::WordCounter counter;
  if (input.choice(2) == 1) {
    counter.add_dictionary(input.rest());
  } else {
    counter.feed(input.rest());
    counter.finish();
  }
  subword::Learner learner(counter.words(), subword::unit_of_version(version), subword::marker_of_version(version));
  learner.learn(options);
  require(learner.trace().size() == learner.merges().size(), "every merge has its statistics");
  for (const subword::MergeTrace& step : learner.trace()) {
    require(step.statistics.occ >= options.min_frequency && step.statistics.m > 0 && step.symbols_after >= 0,
            "what is merged occurs");
  }
}

const Register kAll[] = {{"count_words", count_words}, {"dictionary", dictionary}, {"learn", learn}};

}  // namespace

}  // namespace fuzz
