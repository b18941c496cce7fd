// Python bindings for WordCounter and Learner.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "python/bindings.h"
#include "learning/learner.h"
#include "python/names.h"
#include "counting/word_counter.h"

namespace py = pybind11;
using py::arg;
using Released = py::call_guard<py::gil_scoped_release>;

namespace subword {

namespace {

// Holds a Python object so that it can be released without holding the GIL.
std::shared_ptr<py::object> hold(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

py::object to_python(WideScore value) {
  const py::int_ high(static_cast<std::int64_t>(value >> 64));
  return (high << py::int_(64)) | py::int_(static_cast<std::uint64_t>(value));
}

py::dict totals(const WordCounter& counter) {
  const TextTotals& totals = counter.totals();
  return py::dict(arg("types") = counter.words().size(), arg("tokens") = totals.tokens,
                  arg("lines") = totals.lines,
                  arg("carriage_return_ends") = totals.carriage_return_ends,
                  arg("lone_carriage_returns") = totals.lone_carriage_returns);
}

std::shared_ptr<CustomMeasure> custom_measure(const py::object& measure) {
  auto custom = std::make_shared<CustomMeasure>();
  custom->reads = measure.attr("reads").cast<std::set<std::string>>();
  custom->falls_with_n = measure.attr("falls_with_n").cast<bool>();
  custom->score = [score = hold(measure.attr("score_batch"))](const StatisticsBatch& batch) {
    const py::gil_scoped_acquire gil;
    const auto array = [](const std::vector<double>& values) -> py::object {
      if (values.empty()) return py::none();
      return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
    };
    const py::dict arrays(arg("occ") = array(batch.occ), arg("types") = array(batch.types),
                          arg("wf") = array(batch.wf), arg("L") = array(batch.L),
                          arg("R") = array(batch.R), arg("c_a") = array(batch.c_a),
                          arg("c_b") = array(batch.c_b), arg("n") = batch.n,
                          arg("m") = array(batch.m), arg("same") = array(batch.same));
    return (*score)(arrays).cast<std::vector<double>>();
  };
  return custom;
}

void learn(Learner* learner, const py::object& measure, std::size_t merges,
           Count min_frequency, const std::string& tie_break, bool dlg_types,
           const std::string& borders, bool trace,
           std::function<void(std::size_t)> progress) {
  LearnOptions options;
  if (py::isinstance<py::str>(measure)) {
    options.measure = measure.cast<std::string>();
  } else {
    options.custom = custom_measure(measure);
  }
  options.merges = merges;
  options.min_frequency = min_frequency;
  options.tie_break = tie_break_named(tie_break);
  options.description_length_of_types = dlg_types;
  options.borders = borders_named(borders);
  options.trace = trace;
  options.progress = std::move(progress);
  const py::gil_scoped_release released;
  learner->learn(options);
}

py::list trace(const Learner& learner) {
  py::list all;
  for (const MergeTrace& step : learner.trace()) {
    const PairStatistics& s = step.statistics;
    all.append(py::dict(arg("occ") = s.occ, arg("types") = s.types, arg("wf") = s.wf,
                        arg("L") = s.L, arg("R") = s.R, arg("c_a") = s.c_a, arg("c_b") = s.c_b,
                        arg("n") = s.n, arg("m") = s.m, arg("score") = to_python(step.score),
                        arg("custom_score") = step.custom_score,
                        arg("symbols_after") = step.symbols_after));
  }
  return all;
}

}  // namespace

void bind_learning(py::module_* module) {
  py::class_<WordCounter>(*module, "WordCounter")
      .def(py::init<bool>(), arg("split_at_carriage_return"))
      .def("feed", &WordCounter::feed, Released())
      .def("finish", &WordCounter::finish, Released())
      .def("merge", &WordCounter::merge, Released())
      .def("add_dictionary", &WordCounter::add_dictionary, Released())
      .def("add", &WordCounter::add)
      .def("items", &WordCounter::items)
      .def("totals", &totals);
  py::class_<Learner>(*module, "Learner")
      .def(py::init([](WordCounter& counter, const std::string& version, bool last_use) {
            auto learner = std::make_unique<Learner>(counter.words(), unit_of_version(version),
                                                     marker_of_version(version), check_signals);
            if (last_use) counter.forget_words();
            return learner;
          }), Released())
      .def("learn", &learn)
      .def("merges", &Learner::spelled_merges)
      .def("replacements", &Learner::replacements)
      .def("trace", &trace)
      .def("alphabet", &Learner::spelled_alphabet);
}

}  // namespace subword
