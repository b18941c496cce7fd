// Byte text for Python.
#include "bindings.h"
#include "byte_text.h"
#include "python_lines.h"

namespace py = pybind11;

namespace subword {

namespace {

// Decodes lines of byte text; see subword/utf8.py.
py::list decode_byte_texts(const py::list& lines, std::uint32_t threads) {
  const py::tuple held(lines);  // Python may change the list meanwhile
  std::vector<WideLine> wide;
  wide.reserve(held.size());
  for (const py::handle line : held) {
    if (!PyUnicode_Check(line.ptr())) throw py::type_error("a line is no str");
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(line.ptr()) != 0) throw py::error_already_set();
#endif
    wide.push_back({PyUnicode_DATA(line.ptr()), static_cast<std::size_t>(PyUnicode_KIND(line.ptr())),
                    static_cast<std::size_t>(PyUnicode_GET_LENGTH(line.ptr()))});
  }
  std::unique_ptr<LineTexts> texts;
  {
    const py::gil_scoped_release released;
    texts = byte_text_to_bytes(wide, threads);
  }
  return to_python(*texts, threads);
}

}  // namespace

void bind_byte_text(py::module_* module) { module->def("decode_byte_texts", &decode_byte_texts); }

}  // namespace subword
