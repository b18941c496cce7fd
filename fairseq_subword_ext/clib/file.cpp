#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace subword {

File::File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat facts;
  if (::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) size_ = facts.st_size;
}

File::~File() { ::close(descriptor_); }

std::size_t File::read(char* buffer, std::size_t size, std::int64_t offset) const {
  for (;;) {
    const ssize_t got = offset < 0 ? ::read(descriptor_, buffer, size)
                                   : ::pread(descriptor_, buffer, size, offset);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot read");
  }
}

std::int64_t File::next_line_start(std::int64_t offset) const {
  if (offset <= 0) return 0;
  std::vector<char> block(1 << 16);
  for (std::int64_t at = offset - 1;;) {
    const std::size_t got = read(block.data(), block.size(), at);
    if (got == 0) return at;
    if (const void* found = std::memchr(block.data(), '\n', got)) {
      return at + (static_cast<const char*>(found) - block.data()) + 1;
    }
    at += static_cast<std::int64_t>(got);
  }
}

}  // namespace subword
