// The extension module: its classes, and how the core's exceptions become Python's.
#include "bindings.h"

#include <exception>
#include <string>
#include <system_error>

#include "types.h"

namespace py = pybind11;

namespace {

// What a message quotes of a text may not be UTF-8, or be cut inside a character.
py::object text_of(const std::string& message) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
}

// A ValueError; one of a line has the attributes `line`, counted from 1, and `reason`.
void raise(const subword::InputError& error) {
  const py::object type = py::reinterpret_borrow<py::object>(PyExc_ValueError);
  const py::object raised = type(text_of(error.what()));
  if (error.line() != 0) {
    raised.attr("line") = error.line();
    raised.attr("reason") = text_of(error.reason());
  }
  PyErr_SetObject(PyExc_ValueError, raised.ptr());
}

void translate(std::exception_ptr pending) {
  try {
    if (pending) std::rethrow_exception(pending);
  } catch (const subword::InputError& error) {
    raise(error);
  } catch (const std::system_error& error) {
    const py::tuple facts = py::make_tuple(error.code().value(), error.code().message());
    PyErr_SetObject(PyExc_OSError, facts.ptr());
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
