// Declarations shared by the bindings*.cpp files, one per group of classes. Only this folder knows Python: it
// converts arguments, results and exceptions, and does nothing else.
#pragma once

#include <pybind11/pybind11.h>

namespace subword {

// Lets Ctrl-C stop a long call. Called without the GIL, on the thread that Python called.
inline void check_signals() {
  const pybind11::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

void bind_learning(pybind11::module_* module);    // bindings_learning.cpp
void bind_segmenting(pybind11::module_* module);  // bindings_segmenting.cpp
void bind_byte_text(pybind11::module_* module);   // bindings_byte_text.cpp

}  // namespace subword
