// What the fuzzing targets share. A target reads one input and calls the core with it; it aborts if a
// guarantee does not hold. An InputError is a valid answer to any input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/types.h"

namespace fuzz {

// The bytes of an input: choices first, one byte each, then texts separated by NUL. Choices are readable in
// the seeds: the digit 0 is the first one.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  std::size_t choice(std::size_t of) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front() - '0');
    rest_.remove_prefix(1);
    return byte % of;
  }

  std::string text() {
    const std::size_t end = std::min(rest_.find('\0'), rest_.size());
    const std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return taken;
  }

  // All that is left, NUL bytes included.
  std::string rest() { return std::string(std::exchange(rest_, {})); }

 private:
  std::string_view rest_;
};

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The words of a text, without regard to the number of spaces between them.
inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view word : split(line, ' ')) {
      if (!word.empty()) found.push_back(word);
    }
    found.push_back("\n");
  }
  return found;
}

using Target = void (*)(Input);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

struct Register {
  Register(const char* name, Target target) { targets()[name] = target; }
};

inline void run(Target target, const std::uint8_t* data, std::size_t size) {
  try {
    target(Input({reinterpret_cast<const char*>(data), size}));
  } catch (const subword::InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos, "errors are one line");
  }
}

}  // namespace fuzz
