// Converts lists of Python strings to and from lines, without going through Python's codecs.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "segmenting/line_texts.h"
#include "text/parallel.h"
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

// Makes strings from UTF-8, dropping bytes that form no character. Several threads fill the strings without
// the GIL, which is safe since nothing else refers to them yet. Python decodes malformed texts afterwards.
inline pybind11::list to_python(const LineTexts& texts, std::uint32_t threads) {
  pybind11::list all(texts.size());
  std::vector<PyObject*> made;
  made.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextShape shape = shape_of(texts[i]);
    PyObject* string = PyUnicode_New(static_cast<Py_ssize_t>(shape.characters), shape.largest);
    if (string == nullptr) throw pybind11::error_already_set();
    PyList_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(made.size()), string);
    made.push_back(string);
  }
  std::vector<char> broken(texts.size(), 0);
  {
    const pybind11::gil_scoped_release released;
    const auto fill = [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) {
        PyObject* string = made[begin];
        const std::string_view text = texts[begin];
        const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(string));
        // shape_of() skips continuation bytes, so a malformed text may have more bytes than its string.
        if (PyUnicode_IS_ASCII(string) && length == text.size()) {
          std::copy(text.begin(), text.end(), static_cast<char*>(PyUnicode_DATA(string)));
        } else {
          const auto width = static_cast<std::size_t>(PyUnicode_KIND(string));
          broken[begin] = !widen(text, width, PyUnicode_DATA(string), length);
        }
      }
    };
    in_shares(texts.size(), threads, {}, [&] { return fill; });
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!broken[i]) continue;
    const auto size = static_cast<Py_ssize_t>(texts[i].size());
    PyObject* string = PyUnicode_DecodeUTF8(texts[i].data(), size, "ignore");
    if (string == nullptr) throw pybind11::error_already_set();
    all[i] = pybind11::reinterpret_steal<pybind11::str>(string);
  }
  return all;
}

// Makes strings from byte text with 16 bits per character.
inline pybind11::list byte_texts_to_python(const LineTexts& texts, std::uint32_t threads) {
  constexpr std::uint16_t kSpaceSymbol = 0x2581;
  pybind11::list all(texts.size());
  std::vector<PyObject*> made;
  made.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    const auto size = static_cast<Py_ssize_t>(text.size() / 2);
    std::uint16_t first = 0;
    if (size > 0) std::memcpy(&first, text.data(), sizeof first);
    // Python strings must use the narrowest width that fits. A line that starts with U+2581, as nearly all
    // do, is known to need two bytes per character; for other lines, Python finds the width.
    PyObject* string = first == kSpaceSymbol
                           ? PyUnicode_New(size, kSpaceSymbol)
                           : PyUnicode_FromKindAndData(PyUnicode_2BYTE_KIND, text.data(), size);
    if (string == nullptr) throw pybind11::error_already_set();
    PyList_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(made.size()), string);
    made.push_back(first == kSpaceSymbol ? string : nullptr);
  }
  const auto fill = [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) {
      if (made[begin] == nullptr) continue;
      std::memcpy(PyUnicode_DATA(made[begin]), texts[begin].data(), texts[begin].size());
    }
  };
  const pybind11::gil_scoped_release released;
  in_shares(texts.size(), threads, {}, [&] { return fill; });
  return all;
}

}  // namespace subword
