// What the files bindings*.cpp share. They alone know Python: they convert arguments, results and
// exceptions, and nothing else; one file for each group of classes.
#pragma once

#include <pybind11/pybind11.h>

namespace subword {

// Runs in long calls without Python's lock, on the thread that Python called.
inline void check_signals() {
  const pybind11::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

void bind_learning(pybind11::module_* module);    // bindings_learning.cpp
void bind_segmenting(pybind11::module_* module);  // bindings_segmenting.cpp
void bind_byte_text(pybind11::module_* module);   // bindings_byte_text.cpp

}  // namespace subword
