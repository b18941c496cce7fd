#include "text_segmenter.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "text.h"

namespace subword {

namespace {

constexpr std::size_t kLinesAtOnce = 512;
constexpr std::size_t kBytesAtOnce = 2048;  // what is looked up should fit into the processor's cache

std::string_view without_newline(std::string_view line) {
  const bool newline = !line.empty() && line.back() == '\n';
  return line.substr(0, line.size() - newline);
}

}  // namespace

TextSegmenter::TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary)
    : segmenter_(std::move(segmenter)), options_(options), glossary_(std::move(glossary)) {}

std::unique_ptr<LineSegmenter> TextSegmenter::take_worker() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return std::make_unique<LineSegmenter>(&segmenter_, &options_, &glossary_);
  std::unique_ptr<LineSegmenter> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void TextSegmenter::give_back(std::unique_ptr<LineSegmenter> worker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(worker));
}

std::vector<std::string> TextSegmenter::pieces(std::string_view word, double dropout,
                                               std::uint64_t seed) {
  std::unique_ptr<LineSegmenter> worker = take_worker();
  Random random(seed, 0);
  std::vector<std::string> found = worker->pieces(word, dropout, &random);
  give_back(std::move(worker));
  return found;
}

// Gives ranges of lines to threads; the range decides nothing about the result.
void TextSegmenter::run(std::size_t lines, std::uint32_t threads, const Interrupt& interrupt,
                        const std::function<void(LineSegmenter*, std::size_t, std::size_t)>& work) {
  const std::size_t shares =
      std::clamp<std::size_t>(lines / kLinesAtOnce, 1, std::max<std::uint32_t>(threads, 1));
  std::vector<std::exception_ptr> failures(shares);
  std::atomic<bool> stop{false};
  const auto run_share = [&](std::size_t share) {
    try {
      std::unique_ptr<LineSegmenter> worker = take_worker();
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

// Segments lines, many at once, and calls done() after each. Errors name the line, random numbers depend
// on it. A line keeps its \n, where it has one.
template <class NextLine, class Done>
void TextSegmenter::segment(const NextLine& next_line, const LineRequest& request, LineSegmenter* worker,
                            TextBuffer* out, const Done& done) const {
  std::vector<std::string_view> lines;
  std::uint64_t number = request.first_line;
  for (bool more = true; more;) {
    lines.clear();
    std::size_t bytes = 0;
    std::string_view line;
    while (bytes < kBytesAtOnce && (more = next_line(&line))) {
      lines.push_back(line);
      bytes += line.size();
    }
    worker->start(lines.size(), bytes);
    for (const std::string_view line : lines) worker->take(without_newline(line));
    for (const std::string_view line : lines) {
      try {
        if (without_newline(line).find('\n') != line.npos) throw InputError("a newline inside the line");
        Random random(request.seed, number);
        worker->print_next(request.dropout, &random, out);
      } catch (const InputError& error) {
        const std::size_t malformed = find_malformed(line);
        throw LineError(static_cast<Count>(number + 1),
                        malformed == line.npos ? error.what() : describe_malformed(line, malformed));
      }
      if (without_newline(line).size() < line.size()) out->push_back('\n');
      done();
      ++number;
    }
  }
}

std::unique_ptr<LineTexts> TextSegmenter::segment_lines(const std::vector<std::string_view>& lines,
                                                        const LineRequest& request,
                                                        const Interrupt& interrupt) {
  auto segmented = std::make_unique<LineTexts>(lines.size());
  run(lines.size(), request.threads, interrupt, [&](LineSegmenter* worker, std::size_t at, std::size_t end) {
    TextBuffer out;
    std::vector<std::size_t> ends;
    LineRequest share = request;
    share.first_line += at;
    std::size_t next = at;
    const auto next_line = [&](std::string_view* line) {
      if (next == end) return false;
      *line = lines[next++];
      return true;
    };
    segment(next_line, share, worker, &out, [&] { ends.push_back(out.size()); });
    segmented->set(at, std::move(out), ends);
  });
  return segmented;
}

TextBuffer TextSegmenter::segment_text(std::string_view text, const LineRequest& request,
                                       const Interrupt& interrupt) {
  std::unique_ptr<LineSegmenter> worker = take_worker();
  TextBuffer out;
  out.room(text.size() + text.size() / 2);
  const auto next_line = [&](std::string_view* line) {
    if (text.empty()) return false;
    *line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line->size());
    return true;
  };
  std::size_t lines = 0;
  segment(next_line, request, worker.get(), &out, [&] {
    if (++lines % kLinesAtOnce == 0) poll(interrupt);
  });
  give_back(std::move(worker));
  return out;
}

}  // namespace subword
