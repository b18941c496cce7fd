// The one file that knows Python: it converts arguments, results and exceptions, and nothing else.

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <system_error>

#include "bindings_text.h"
#include "learner.h"
#include "names.h"
#include "text_segmenter.h"
#include "word_counter.h"

namespace py = pybind11;
using subword::Learner;
using subword::TextSegmenter;
using subword::WordCounter;
using Released = py::call_guard<py::gil_scoped_release>;
using py::arg;

namespace {

// Runs in long calls without the GIL, on the thread that Python called.
void check_signals() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// A Python object that may be released where the GIL is not held.
std::shared_ptr<py::object> hold(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

py::object to_python(subword::WideScore value) {
  const py::int_ high(static_cast<std::int64_t>(value >> 64));
  return (high << py::int_(64)) | py::int_(static_cast<std::uint64_t>(value));
}

py::dict facts(const WordCounter& counter) {
  const subword::TextFacts& facts = counter.facts();
  return py::dict(arg("types") = counter.words().size(), arg("tokens") = facts.tokens,
                  arg("lines") = facts.lines,
                  arg("carriage_return_ends") = facts.carriage_return_ends,
                  arg("lone_carriage_returns") = facts.lone_carriage_returns);
}

std::shared_ptr<subword::CustomMeasure> custom_measure(const py::object& measure) {
  auto custom = std::make_shared<subword::CustomMeasure>();
  custom->reads = measure.attr("reads").cast<std::set<std::string>>();
  custom->falls_with_n = measure.attr("falls_with_n").cast<bool>();
  custom->score = [score = hold(measure.attr("score_batch"))](const subword::StatisticsBatch& batch) {
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
           subword::Count min_frequency, const std::string& tie_break, bool dlg_types, bool trace,
           std::function<void(std::size_t)> progress) {
  subword::LearnOptions options;
  if (py::isinstance<py::str>(measure)) {
    options.measure = measure.cast<std::string>();
  } else {
    options.custom = custom_measure(measure);
  }
  options.merges = merges;
  options.min_frequency = min_frequency;
  options.tie_break = subword::tie_break_named(tie_break);
  options.description_length_of_types = dlg_types;
  options.trace = trace;
  options.progress = std::move(progress);
  const py::gil_scoped_release released;
  learner->learn(options);
}

py::list trace(const Learner& learner) {
  py::list all;
  for (const subword::MergeTrace& step : learner.trace()) {
    const subword::PairStatistics& s = step.statistics;
    all.append(py::dict(arg("occ") = s.occ, arg("types") = s.types, arg("wf") = s.wf,
                        arg("L") = s.L, arg("R") = s.R, arg("c_a") = s.c_a, arg("c_b") = s.c_b,
                        arg("n") = s.n, arg("m") = s.m, arg("score") = to_python(step.score),
                        arg("custom_score") = step.custom_score,
                        arg("symbols_after") = step.symbols_after));
  }
  return all;
}

std::unique_ptr<TextSegmenter> make_segmenter(
    const std::vector<std::pair<std::string, std::string>>& merges, const std::string& version,
    const std::string& separator, std::optional<std::unordered_set<std::string>> vocabulary,
    const std::string& unknown, std::optional<std::unordered_set<std::string>> alphabet,
    bool like_subword_nmt, bool escape, const std::string& carriage_return,
    subword::Glossary glossary) {
  subword::SegmenterOptions options;
  options.separator = separator;
  options.filter_vocabulary = vocabulary.has_value();
  if (vocabulary) options.vocabulary = std::move(*vocabulary);
  options.unknown = subword::unknown_named(unknown);
  if (alphabet) options.alphabet = std::move(*alphabet);
  options.like_subword_nmt = like_subword_nmt;
  const subword::TextOptions text{escape, subword::carriage_return_named(carriage_return)};
  subword::MergeRules rules(merges, subword::unit_of_version(version),
                            subword::marker_of_version(version));
  return std::make_unique<TextSegmenter>(
      subword::Segmenter(std::move(rules), std::move(options)), text, std::move(glossary));
}

py::list segment_lines(TextSegmenter* segmenter, const py::list& lines, double dropout,
                       std::uint64_t seed, std::uint64_t first_line, std::uint32_t threads) {
  const py::list held(lines[py::slice(0, lines.size(), 1)]);  // Python may change the list meanwhile
  std::vector<std::string_view> views;
  for (const py::handle line : held) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(line.ptr(), &size);
    if (data == nullptr) throw py::error_already_set();
    views.emplace_back(data, static_cast<std::size_t>(size));
  }
  std::unique_ptr<subword::LineTexts> segmented;
  {
    const py::gil_scoped_release released;
    segmented = segmenter->segment_lines(views, {dropout, seed, first_line, threads}, check_signals);
  }
  return subword::to_python(*segmented, threads);
}

py::bytes segment_text(TextSegmenter* segmenter, const py::bytes& text, double dropout,
                       std::uint64_t seed, std::uint64_t first_line, std::uint32_t threads) {
  const std::string_view view = text;
  std::string segmented;
  {
    const py::gil_scoped_release released;
    segmented = segmenter->segment_text(view, {dropout, seed, first_line, threads}, check_signals);
  }
  return py::bytes(segmented);
}

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
  py::class_<WordCounter>(module, "WordCounter")
      .def(py::init<bool>(), arg("split_at_carriage_return"))
      .def("add_file", [](WordCounter& self, const std::string& path, std::uint32_t threads) {
            self.add_file(path, threads, check_signals);
          }, Released())
      .def("feed", &WordCounter::feed, Released())
      .def("finish", &WordCounter::finish, Released())
      .def("add_dictionary", &WordCounter::add_dictionary, Released())
      .def("add", &WordCounter::add)
      .def("items", &WordCounter::items)
      .def("facts", &facts);
  py::class_<Learner>(module, "Learner")
      .def(py::init([](const WordCounter& counter, const std::string& version) {
            return std::make_unique<Learner>(counter.words(), subword::unit_of_version(version),
                                             subword::marker_of_version(version), check_signals);
          }), Released())
      .def("learn", &learn)
      .def("merges", &Learner::spelled_merges)
      .def("trace", &trace)
      .def("alphabet", &Learner::spelled_alphabet);
  py::class_<TextSegmenter>(module, "TextSegmenter")
      .def(py::init(&make_segmenter))
      .def("pieces", &TextSegmenter::pieces)
      .def("segment_lines", &segment_lines)
      .def("segment_text", &segment_text);
  module.def("decode_byte_texts", &subword::decode_byte_texts);
}
