#include "segmenting/text_segmenter.h"

#include <algorithm>
#include <map>

#include "text/parallel.h"
#include "text/text.h"

namespace subword {

namespace {

constexpr std::size_t kLinesAtOnce = 512;
constexpr std::size_t kBytesAtOnce = 2048;  // what a batch looks up should fit in the CPU cache

std::string_view without_newline(std::string_view line) {
  const bool newline = !line.empty() && line.back() == '\n';
  return line.substr(0, line.size() - newline);
}

}  // namespace

TextSegmenter::Worker::Worker(TextSegmenter* owner, Output output) : owner_(owner), output_(output) {
  const std::lock_guard<std::mutex> lock(owner->mutex_);
  std::vector<std::unique_ptr<LineSegmenter>>& idle = owner->idle_[output];
  if (idle.empty()) {
    std::unique_ptr<const PieceTexts>& texts = owner->texts_[output];
    if (texts == nullptr && output != Output::kIds && owner->unit() == Unit::kByte && !owner->glossary_) {
      texts = std::make_unique<const PieceTexts>(*owner->segmenter_, output == Output::kWide ? 2 : 1);
    }
    segmenter_ = std::make_unique<LineSegmenter>(owner->segmenter_.get(), &owner->options_,
                                                 &owner->glossary_, output, owner->ids_.get(), texts.get(),
                                                 &owner->caches_[output]);
  } else {
    segmenter_ = std::move(idle.back());
    idle.pop_back();
  }
}

TextSegmenter::Worker::~Worker() {
  const std::lock_guard<std::mutex> lock(owner_->mutex_);
  owner_->idle_[output_].push_back(std::move(segmenter_));
}

TextSegmenter::TextSegmenter(Segmenter segmenter, TextOptions options, Glossary glossary)
    : TextSegmenter(std::make_shared<const Segmenter>(std::move(segmenter)), options, std::move(glossary),
                    nullptr, std::nullopt) {}

TextSegmenter::TextSegmenter(std::shared_ptr<const Segmenter> segmenter, TextOptions options,
                             Glossary glossary, std::unique_ptr<const PieceIds> ids,
                             std::optional<std::int32_t> end)
    : segmenter_(std::move(segmenter)),
      options_(options),
      glossary_(std::move(glossary)),
      ids_(std::move(ids)),
      end_(end) {}

std::vector<std::string> TextSegmenter::pieces(std::string_view word, double dropout,
                                               std::uint64_t seed) {
  const Worker worker(this, Output::kUtf8);
  Random random(seed, 0);
  return worker->pieces(word, dropout, &random);
}

// Segments lines in batches and calls done() after each line. The line number goes into error messages and
// into the random seed. A line keeps its \n if it has one.
template <class NextLine, class Done>
void TextSegmenter::segment(const NextLine& next_line, const LineRequest& request, const Worker& worker,
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
      const std::string_view text = without_newline(line);
      try {
        if (text.find('\n') != text.npos) throw InputError("a newline inside the line");
        Random random(request.seed, number);
        worker->print_next(request.dropout, &random, out);
      } catch (const InputError& error) {
        const std::size_t malformed = find_malformed(line);
        throw LineError(static_cast<Count>(number + 1),
                        malformed == line.npos ? error.what() : describe_malformed(line, malformed));
      }
      if (end_) append_id(*end_, out);
      if (text.size() < line.size()) worker->print_separator('\n', out);
      done();
      ++number;
    }
  }
}

void TextSegmenter::segment_lines(const std::vector<WideLine>& lines, const LineRequest& request,
                                  Output output, const TakeLines& take, const Interrupt& interrupt) {
  struct Buffers {
    TextBuffer narrowed, out;
    std::vector<std::size_t> ends;
  };
  in_shares(lines.size(), request.threads, interrupt, [&] {
    return [&, worker = std::make_unique<Worker>(this, output),
            buffers = std::make_unique<Buffers>()](std::size_t begin, std::size_t end) {
      auto& [narrowed, out, ends] = *buffers;
      narrowed.clear();
      out.clear();
      ends.clear();
      std::size_t room = 0;
      for (std::size_t i = begin; i < end; ++i) room += narrow_room(lines[i]);
      narrowed.room(room);  // all at once, so that lines do not move
      LineRequest share = request;
      share.first_line += begin;
      std::size_t next = begin;
      const auto next_line = [&](std::string_view* line) {
        if (next == end) return false;
        const std::size_t surrogate = narrow(lines[next], &narrowed, line);
        if (surrogate != std::string_view::npos) {
          throw LineError(static_cast<Count>(request.first_line + next + 1), describe_surrogate(lines[next], surrogate));
        }
        ++next;
        return true;
      };
      segment(next_line, share, *worker, &out, [&] { ends.push_back(out.size()); });
      take(begin, &out, ends);
    };
  });
}

template <class Done>
void TextSegmenter::segment_text(std::string_view text, const LineRequest& request, Output output,
                                 const Interrupt& interrupt, TextBuffer* out, const Done& done) {
  const Worker worker(this, output);
  const auto next_line = [&](std::string_view* line) {
    if (text.empty()) return false;
    *line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line->size());
    return true;
  };
  std::size_t lines = 0;
  segment(next_line, request, worker, out, [&] {
    if (++lines % kLinesAtOnce == 0) poll(interrupt);
    done();
  });
}

TextBuffer TextSegmenter::segment_text(std::string_view text, const LineRequest& request,
                                       const Interrupt& interrupt) {
  TextBuffer out;
  out.room(text.size() + text.size() / 2);
  segment_text(text, request, Output::kUtf8, interrupt, &out, [] {});
  return out;
}

IdSegmenter::IdSegmenter(const TextSegmenter& segmenter, IdTable table, std::optional<std::int32_t> end)
    : segmenter_(segmenter.segmenter_, segmenter.options_, segmenter.glossary_,
                 std::make_unique<const PieceIds>(*segmenter.segmenter_, std::move(table)), end) {}

std::vector<LineIds> IdSegmenter::encode_lines(const std::vector<WideLine>& lines,
                                               const LineRequest& request, const Interrupt& interrupt) {
  std::map<std::size_t, LineIds> parts;  // by first line
  std::mutex mutex;
  const auto take = [&](std::size_t first, TextBuffer* ids, const std::vector<std::size_t>& ends) {
    LineIds part{std::move(*ids), {}};
    part.lengths.reserve(ends.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      part.lengths.push_back((end - begin) / sizeof(std::int32_t));
      begin = end;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    parts.emplace(first, std::move(part));
  };
  segmenter_.segment_lines(lines, request, Output::kIds, take, interrupt);
  std::vector<LineIds> in_order;
  for (auto& [first, part] : parts) in_order.push_back(std::move(part));
  return in_order;
}

LineIds IdSegmenter::encode_text(std::string_view text, const LineRequest& request,
                                 const Interrupt& interrupt) {
  LineIds encoded;
  encoded.ids.room(text.size());
  std::size_t begin = 0;
  segmenter_.segment_text(text, request, Output::kIds, interrupt, &encoded.ids, [&] {
    encoded.lengths.push_back((encoded.ids.size() - begin) / sizeof(std::int32_t));
    begin = encoded.ids.size();
  });
  return encoded;
}

}  // namespace subword
