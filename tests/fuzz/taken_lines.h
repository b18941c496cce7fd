// What the core's threads hand over when they segment or decode lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/text_buffer.h"

// The lines that the core's threads hand over, in order.
class TakenLines {
 public:
  explicit TakenLines(std::size_t lines) : lines_(lines) {}
  subword::TakeLines take() {
    return [this](std::size_t first, subword::TextBuffer* text, const std::vector<std::size_t>& ends) {
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        lines_[first++] = text->view().substr(begin, end - begin);
        begin = end;
      }
    };
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};
