// The one file that knows Python: it turns arguments and exceptions, and nothing else.

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, module) {
  module.doc() = "The compiled core of fairseq_subword_ext.";
}
