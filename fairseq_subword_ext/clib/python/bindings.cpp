// The extension module: registers the classes and translates the core's exceptions into Python's.
#include "python/bindings.h"

#include <exception>
#include <string>
#include <system_error>

#include "text/types.h"

namespace py = pybind11;

namespace {

// Messages quote input text, which may not be UTF-8 or may be cut inside a character.
py::object text_of(const std::exception& error) {
  const std::string what = error.what();
  PyObject* text =
      PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(text);
}

void translate(std::exception_ptr pending) {
  try {
    if (pending) std::rethrow_exception(pending);
  } catch (const subword::LineError& error) {
    const py::object type = py::module_::import("fairseq_subword_ext.textio.errors").attr("LineError");
    PyErr_SetObject(type.ptr(), type(text_of(error), error.line()).ptr());
  } catch (const subword::InputError& error) {
    PyErr_SetObject(PyExc_ValueError, text_of(error).ptr());
  } catch (const std::system_error& error) {
    const py::tuple arguments = py::make_tuple(error.code().value(), error.code().message());
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "The compiled core of fairseq_subword_ext; use the classes in .subword instead.";
  py::register_exception_translator(&translate);
  subword::bind_learning(&module);
  subword::bind_segmenting(&module);
  subword::bind_byte_text(&module);
}
