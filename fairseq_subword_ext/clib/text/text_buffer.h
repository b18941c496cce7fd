// A text buffer that grows at its end. Unlike std::string, it does not clear new memory before it is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace subword {

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(TextBuffer&& other) noexcept { *this = std::move(other); }
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  // Makes room for `size` more bytes and returns where they go; advance() commits those that were written.
  char* room(std::size_t size) {
    if (capacity_ - size_ < size) grow(size);
    return data_.get() + size_;
  }
  void advance(std::size_t size) { size_ += size; }

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void push_back(char byte) {
    *room(1) = byte;
    ++size_;
  }

  void pop_back() { --size_; }
  void drop(std::size_t size) { size_ -= size; }

  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  void grow(std::size_t size) {
    const std::size_t capacity = std::max(size_ + size, capacity_ * 2);
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Takes the result for some consecutive lines, from line `first` on: a text that it may keep or change, and the
// offset in it where each line ends. Called by several threads at once.
using TakeLines =
    std::function<void(std::size_t first, TextBuffer* text, const std::vector<std::size_t>& ends)>;

}  // namespace subword
