// Converts lists of Python strings to and from lines, without going through Python's codecs.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "text/wide_text.h"

namespace subword {

// The strings as lines, without copying them. They stay valid as long as the tuple.
inline std::vector<WideLine> wide_lines(const pybind11::tuple& lines) {
  std::vector<WideLine> wide;
  wide.reserve(lines.size());
  for (const pybind11::handle line : lines) {
    if (!PyUnicode_Check(line.ptr())) throw pybind11::type_error("every line must be a str");
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(line.ptr()) != 0) throw pybind11::error_already_set();
#endif
    wide.push_back({PyUnicode_DATA(line.ptr()), static_cast<std::size_t>(PyUnicode_KIND(line.ptr())),
                    static_cast<std::size_t>(PyUnicode_GET_LENGTH(line.ptr())),
                    PyUnicode_IS_ASCII(line.ptr()) != 0});
  }
  return wide;
}

// Makes strings of the lines that the core's threads hand over. Only creating them takes the GIL; each thread
// fills its own, which is safe since nothing else refers to them yet.
class StringList {
 public:
  explicit StringList(std::size_t lines) : strings_(lines, nullptr) {}
  ~StringList() {
    for (PyObject* string : strings_) Py_XDECREF(string);
  }
  StringList(const StringList&) = delete;
  StringList& operator=(const StringList&) = delete;

  // Takes lines in UTF-8, and drops bytes that form no character.
  void take_utf8(std::size_t first, std::string_view text, const std::vector<std::size_t>& ends) {
    std::vector<TextShape> shapes;
    shapes.reserve(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) shapes.push_back(shape_of(line(text, ends, i)));
    make(first, ends.size(), [&](std::size_t i) {
      return PyUnicode_New(static_cast<Py_ssize_t>(shapes[i].characters), shapes[i].largest);
    });
    std::vector<std::size_t> malformed;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (!fill(line(text, ends, i), shapes[i], strings_[first + i])) malformed.push_back(i);
    }
    if (malformed.empty()) return;
    const pybind11::gil_scoped_acquire acquired;
    for (const std::size_t i : malformed) {
      const std::string_view bytes = line(text, ends, i);
      Py_DECREF(strings_[first + i]);
      strings_[first + i] =
          checked(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "ignore"));
    }
  }

  // Takes lines of byte text with 16 bits per character.
  void take_byte_text(std::size_t first, std::string_view text, const std::vector<std::size_t>& ends) {
    constexpr std::uint16_t kSpaceSymbol = 0x2581;
    // Python strings must use the narrowest width that fits. A line that starts with U+2581, as nearly all
    // do, is known to need two bytes per character; for other lines, Python finds the width.
    const auto is_wide = [](std::string_view line) {
      std::uint16_t start = 0;
      if (!line.empty()) std::memcpy(&start, line.data(), sizeof start);
      return start == kSpaceSymbol;
    };
    make(first, ends.size(), [&](std::size_t i) {
      const std::string_view symbols = line(text, ends, i);
      const auto size = static_cast<Py_ssize_t>(symbols.size() / 2);
      return is_wide(symbols) ? PyUnicode_New(size, kSpaceSymbol)
                              : PyUnicode_FromKindAndData(PyUnicode_2BYTE_KIND, symbols.data(), size);
    });
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::string_view symbols = line(text, ends, i);
      if (is_wide(symbols)) std::memcpy(PyUnicode_DATA(strings_[first + i]), symbols.data(), symbols.size());
    }
  }

  // All strings, once every line has been taken. Needs the GIL.
  pybind11::list to_list() {
    pybind11::list all(strings_.size());
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      PyList_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), std::exchange(strings_[i], nullptr));
    }
    return all;
  }

 private:
  static std::string_view line(std::string_view text, const std::vector<std::size_t>& ends, std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return text.substr(begin, ends[i] - begin);
  }

  static PyObject* checked(PyObject* string) {
    if (string == nullptr) throw pybind11::error_already_set();
    return string;
  }

  template <class Make>
  void make(std::size_t first, std::size_t lines, const Make& make_string) {
    const pybind11::gil_scoped_acquire acquired;
    for (std::size_t i = 0; i < lines; ++i) strings_[first + i] = checked(make_string(i));
  }

  // Returns false if the text is malformed.
  static bool fill(std::string_view text, const TextShape& shape, PyObject* string) {
    void* const data = PyUnicode_DATA(string);
    // shape_of() skips continuation bytes, so a malformed text may have more bytes than its string.
    if (PyUnicode_IS_ASCII(string) && shape.characters == text.size()) {
      std::copy(text.begin(), text.end(), static_cast<char*>(data));
      return true;
    }
    return widen(text, static_cast<std::size_t>(PyUnicode_KIND(string)), data, shape.characters);
  }

  std::vector<PyObject*> strings_;  // null until made
};

}  // namespace subword
