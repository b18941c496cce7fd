// Python bindings for byte text.
#include "python/bindings.h"
#include "segmenting/byte_text.h"
#include "python/python_lines.h"

namespace py = pybind11;

namespace subword {

namespace {

// Decodes lines of byte text to strings; see subword/utf8.py.
py::list decode_byte_texts(const py::list& lines, std::uint32_t threads) {
  const py::tuple held(lines);  // a copy, since Python may change the list meanwhile
  const std::vector<WideLine> wide = wide_lines(held);
  StringList strings(wide.size());
  {
    const py::gil_scoped_release released;
    byte_text_to_bytes(wide, threads,
                       [&](std::size_t first, TextBuffer* text, const std::vector<std::size_t>& ends) {
                         strings.take_utf8(first, text->view(), ends);
                       });
  }
  return strings.to_list();
}

}  // namespace

void bind_byte_text(py::module_* module) { module->def("decode_byte_texts", &decode_byte_texts); }

}  // namespace subword
