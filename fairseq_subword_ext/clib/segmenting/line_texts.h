// Many lines of text in few allocations, filled in by several threads.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "text/text_buffer.h"

namespace subword {

class LineTexts {
 public:
  explicit LineTexts(std::size_t lines) : lines_(lines) {}

  // Stores the text of the lines from `first` on; ends[i] is where the i-th of them ends in the text.
  void set(std::size_t first, TextBuffer text, const std::vector<std::size_t>& ends) {
    std::string_view kept;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.push_back(std::move(text));
      kept = blocks_.back().view();
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      lines_[first + i] = kept.substr(begin, ends[i] - begin);
      begin = ends[i];
    }
  }

  std::size_t size() const { return lines_.size(); }
  std::string_view operator[](std::size_t line) const { return lines_[line]; }

 private:
  std::vector<std::string_view> lines_;
  std::deque<TextBuffer> blocks_;  // a deque never moves its elements
  std::mutex mutex_;
};

}  // namespace subword
