// The extension module: its classes, and how the core's exceptions become Python's.
#include "bindings.h"

#include <exception>
#include <system_error>

#include "types.h"

namespace py = pybind11;

namespace {

void translate(std::exception_ptr pending) {
  try {
    if (pending) std::rethrow_exception(pending);
  } catch (const subword::InputError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
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
