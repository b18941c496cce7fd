// The one file that knows Python: it converts arguments, results and exceptions, and nothing else.

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "learner.h"
#include "text_segmenter.h"
#include "word_counter.h"

namespace py = pybind11;

namespace {

using namespace pybind11::literals;  // NOLINT: "name"_a has no other spelling

using subword::Count;
using Released = py::call_guard<py::gil_scoped_release>;

// Runs in long calls without the GIL, on the thread that Python called.
void check_signals() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

template <class Value>
Value choose(const std::string& name, const char* what,
             const std::vector<std::pair<const char*, Value>>& choices) {
  for (const auto& [choice, value] : choices) {
    if (name == choice) return value;
  }
  throw subword::InputError(std::string(what) + " '" + name + "' is not known");
}

subword::Unit unit_of(const std::string& version) {
  return version == "byte-1" ? subword::Unit::kByte : subword::Unit::kChar;
}

subword::Marker marker_of(const std::string& version) {
  return choose<subword::Marker>(version, "version", {{"0.1", subword::Marker::kOwnSymbol},
                                                      {"0.2", subword::Marker::kJoined},
                                                      {"byte-1", subword::Marker::kNone}});
}

py::object to_python(subword::WideScore value) {
  const auto low = static_cast<std::uint64_t>(value);
  return (py::int_(static_cast<std::int64_t>(value >> 64)) << py::int_(64)) | py::int_(low);
}

py::list items(const subword::WordCounter& counter) {
  const subword::WordTable& words = counter.words();
  py::list all(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.word(i);
    all[i] = py::make_tuple(py::str(word.data(), word.size()), words.count(i));
  }
  return all;
}

py::dict facts(const subword::WordCounter& counter) {
  const subword::TextFacts& facts = counter.facts();
  return py::dict("types"_a = counter.words().size(), "tokens"_a = facts.tokens,
                  "lines"_a = facts.lines, "carriage_return_ends"_a = facts.carriage_return_ends,
                  "lone_carriage_returns"_a = facts.lone_carriage_returns);
}

py::array_t<double> to_array(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::shared_ptr<subword::CustomMeasure> custom_measure(const py::object& measure) {
  const auto reads = measure.attr("reads").cast<std::set<std::string>>();
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](auto name) { return reads.count(name); });
  };
  auto custom = std::make_shared<subword::CustomMeasure>();
  custom->reads_types = any({"types", "wf"});
  custom->reads_varieties = any({"L", "R"});
  custom->reads_symbol_counts = any({"c"});
  custom->reads_total = any({"n"});
  custom->reads_replacements = any({"m"});
  custom->falls_with_total = measure.attr("falls_with_n").cast<bool>();
  // Called and destroyed where the GIL is not held.
  auto score = std::shared_ptr<py::object>(new py::object(measure.attr("score_batch")), [](auto* o) {
    const py::gil_scoped_acquire gil;
    delete o;
  });
  custom->score = [score](const subword::StatisticsBatch& batch) {
    const py::gil_scoped_acquire gil;
    const py::dict arrays("occ"_a = to_array(batch.occ), "types"_a = to_array(batch.types),
                          "wf"_a = to_array(batch.wf), "L"_a = to_array(batch.L),
                          "R"_a = to_array(batch.R), "c_a"_a = to_array(batch.c_a),
                          "c_b"_a = to_array(batch.c_b), "n"_a = batch.n,
                          "m"_a = to_array(batch.m));
    return (*score)(arrays).cast<std::vector<double>>();
  };
  return custom;
}

void learn(subword::Learner* learner, const py::object& measure, std::size_t merges,
           Count min_frequency, const std::string& tie_break, bool dlg_types, bool trace,
           std::function<void(std::size_t)> progress) {
  subword::LearnOptions options;
  if (py::isinstance<py::str>(measure)) {
    options.measure = measure.cast<std::string>();
  } else {
    options.custom = custom_measure(measure);
  }
  options.merges = merges;
  options.min_frequency = min_frequency;
  options.tie_break = choose<subword::TieBreak>(tie_break, "tie-break", {
      {"greatest", subword::TieBreak::kGreatest},
      {"least", subword::TieBreak::kLeast},
      {"first", subword::TieBreak::kFirst}});
  options.description_length_of_types = dlg_types;
  options.trace = trace;
  options.progress = std::move(progress);
  const py::gil_scoped_release released;
  learner->learn(options);
}

py::list merges(const subword::Learner& learner) {
  py::list all;
  for (const subword::Merge& merge : learner.merges()) {
    all.append(py::make_tuple(learner.symbols().spelling(merge.left),
                              learner.symbols().spelling(merge.right)));
  }
  return all;
}

py::list trace(const subword::Learner& learner) {
  py::list all;
  for (const subword::MergeTrace& step : learner.trace()) {
    const subword::PairStatistics& s = step.statistics;
    all.append(py::dict("occ"_a = s.occ, "types"_a = s.types, "wf"_a = s.wf, "L"_a = s.L,
                        "R"_a = s.R, "c_a"_a = s.c_a, "c_b"_a = s.c_b, "n"_a = s.n, "m"_a = s.m,
                        "score"_a = to_python(step.score), "custom_score"_a = step.custom_score,
                        "symbols_after"_a = step.symbols_after));
  }
  return all;
}

py::dict alphabet(const subword::Learner& learner) {
  py::dict counts;
  for (const auto& [symbol, count] : learner.alphabet()) {
    counts[py::str(learner.symbols().spelling(symbol))] = count;
  }
  return counts;
}

subword::Glossary glossary_of(py::object function) {
  if (function.is_none()) return {};
  auto held = std::shared_ptr<py::object>(new py::object(std::move(function)), [](auto* o) {
    const py::gil_scoped_acquire gil;
    delete o;
  });
  return [held](std::string_view word) -> std::optional<std::vector<subword::GlossaryPart>> {
    const py::gil_scoped_acquire gil;
    const py::object parts = (*held)(py::str(word.data(), word.size()));
    if (parts.is_none()) return std::nullopt;
    std::vector<subword::GlossaryPart> all;
    for (const auto& [text, is_term] : parts.cast<std::vector<std::pair<std::string, bool>>>()) {
      all.push_back({text, is_term});
    }
    return all;
  };
}

std::unique_ptr<subword::TextSegmenter> make_segmenter(
    const std::vector<std::pair<std::string, std::string>>& merges, const std::string& version,
    const std::string& separator, std::optional<std::unordered_set<std::string>> vocabulary,
    const std::string& unknown, std::optional<std::unordered_set<std::string>> alphabet,
    bool allow_control, bool escape, const std::string& carriage_return, py::object glossary) {
  subword::SegmenterOptions options;
  options.separator = separator;
  options.filter_vocabulary = vocabulary.has_value();
  if (vocabulary) options.vocabulary = std::move(*vocabulary);
  options.unknown = choose<subword::Unknown>(unknown, "unknown", {
      {"keep", subword::Unknown::kKeep},
      {"error", subword::Unknown::kError},
      {"unk", subword::Unknown::kUnk}});
  if (alphabet) options.alphabet = std::move(*alphabet);
  options.allow_control = allow_control;
  subword::TextOptions text;
  text.escape = escape;
  text.carriage_return = choose<subword::CarriageReturn>(carriage_return, "carriage-return", {
      {"error", subword::CarriageReturn::kError},
      {"replace", subword::CarriageReturn::kReplace},
      {"keep", subword::CarriageReturn::kKeep}});
  return std::make_unique<subword::TextSegmenter>(
      subword::Segmenter({merges, unit_of(version), marker_of(version)}, std::move(options)), text,
      glossary_of(std::move(glossary)));
}

py::list segment_lines(subword::TextSegmenter* segmenter, const py::list& lines, double dropout,
                       std::uint64_t seed, std::uint64_t first_line, std::uint32_t threads) {
  std::vector<std::string_view> views;
  std::vector<py::object> held;  // the strings' own UTF-8 stays as long as they do
  for (const py::handle line : lines) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(line.ptr(), &size);
    if (data == nullptr) throw py::error_already_set();
    views.emplace_back(data, static_cast<std::size_t>(size));
    held.push_back(py::reinterpret_borrow<py::object>(line));
  }
  std::vector<std::string> segmented;
  {
    const py::gil_scoped_release released;
    segmented = segmenter->segment_lines(views, {dropout, seed, first_line, threads}, check_signals);
  }
  py::list all(segmented.size());
  for (std::size_t i = 0; i < segmented.size(); ++i) {
    all[i] = py::str(segmented[i]);
    std::string().swap(segmented[i]);
  }
  return all;
}

py::bytes segment_text(subword::TextSegmenter* segmenter, const py::bytes& text, double dropout,
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
    const py::object value = py::module_::import("builtins").attr("OSError")(
        error.code().value(), error.code().message(), error.what());
    PyErr_SetObject(PyExc_OSError, value.ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "The compiled core of fairseq_subword_ext; use the classes in .subword instead.";
  py::register_exception_translator(&translate);

  using subword::WordCounter;
  py::class_<WordCounter>(module, "WordCounter")
      .def(py::init<bool>(), "split_at_carriage_return"_a)
      .def("add_file", [](WordCounter& self, const std::string& path, std::uint32_t threads) {
            self.add_file(path, threads, check_signals);
          }, Released())
      .def("feed", &WordCounter::feed, Released())
      .def("finish", &WordCounter::finish, Released())
      .def("add_dictionary", &WordCounter::add_dictionary, Released())
      .def("add", &WordCounter::add)
      .def("items", &items)
      .def("facts", &facts);

  using subword::Learner;
  py::class_<Learner>(module, "Learner")
      .def(py::init([](const WordCounter& counter, const std::string& version) {
            const subword::Unit unit = unit_of(version);
            const subword::Marker marker = marker_of(version);
            return std::make_unique<Learner>(counter.words(), unit, marker, check_signals);
          }), Released())
      .def("learn", &learn)
      .def("merges", &merges)
      .def("trace", &trace)
      .def("alphabet", &alphabet);

  using subword::TextSegmenter;
  py::class_<TextSegmenter>(module, "TextSegmenter")
      .def(py::init(&make_segmenter))
      .def("pieces", &TextSegmenter::pieces)
      .def("segment_lines", &segment_lines)
      .def("segment_text", &segment_text);
}
