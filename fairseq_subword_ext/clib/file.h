// Reading files in blocks, from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace subword {

class File {
 public:
  // Throws std::system_error where the file cannot be opened.
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Known for regular files only, else -1: pipes have to be read in order.
  std::int64_t size() const { return size_; }

  // Reads up to `size` bytes, at an offset or, where that is negative, in order; 0 at the end. Throws
  // std::system_error.
  std::size_t read(char* buffer, std::size_t size, std::int64_t offset) const;

  // Where the first line starts that starts at `offset` or later.
  std::int64_t next_line_start(std::int64_t offset) const;

 private:
  int descriptor_;
  std::int64_t size_ = -1;
};

}  // namespace subword
