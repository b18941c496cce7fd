#include "text_segmenter.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace subword {

namespace {

constexpr std::size_t kLinesAtOnce = 512;

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

// Errors name the line, random numbers depend on it.
void TextSegmenter::segment_line(LineSegmenter* worker, std::string_view line, std::size_t index,
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
  run(lines.size(), request.threads, interrupt, [&](LineSegmenter* worker, std::size_t at, std::size_t end) {
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
  run(lines.size(), request.threads, interrupt, [&](LineSegmenter* worker, std::size_t at, std::size_t end) {
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
