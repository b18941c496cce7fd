// Python bindings for TextSegmenter, IdSegmenter and functions on whole texts.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "python/bindings.h"
#include "segmenting/char_level.h"
#include "python/names.h"
#include "python/python_lines.h"
#include "segmenting/restoring.h"
#include "text/text.h"
#include "segmenting/text_segmenter.h"

namespace py = pybind11;

namespace subword {

namespace {

std::string_view view_of(const py::handle& string) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (data == nullptr) throw py::error_already_set();
  return {data, static_cast<std::size_t>(size)};
}

MergeList merge_list(const py::list& merges) {
  MergeList views;
  views.reserve(merges.size());
  for (const py::handle merge : merges) {
    const auto pair = py::reinterpret_borrow<py::sequence>(merge);
    if (pair.size() != 2) throw py::value_error("a merge must be a pair of symbols");
    views.emplace_back(view_of(py::object(pair[0])), view_of(py::object(pair[1])));
  }
  return views;
}

std::unique_ptr<TextSegmenter> make_segmenter(
    const py::list& merges, const std::string& version, const std::string& separator,
    std::optional<std::unordered_set<std::string>> vocabulary, const std::string& unknown,
    std::optional<std::unordered_set<std::string>> alphabet, bool like_subword_nmt, bool escape,
    const std::string& carriage_return, Glossary glossary) {
  SegmenterOptions options;
  options.separator = separator;
  options.filter_vocabulary = vocabulary.has_value();
  if (vocabulary) options.vocabulary = std::move(*vocabulary);
  options.unknown = unknown_named(unknown);
  if (alphabet) options.alphabet = std::move(*alphabet);
  options.like_subword_nmt = like_subword_nmt;
  const TextOptions text{escape, carriage_return_named(carriage_return)};
  MergeRules rules(merge_list(merges), unit_of_version(version), marker_of_version(version));
  return std::make_unique<TextSegmenter>(Segmenter(std::move(rules), std::move(options)), text,
                                         std::move(glossary));
}

// `pieces` holds tuples (spelling, score, is_unused).
std::unique_ptr<TextSegmenter> make_scored_segmenter(const py::list& pieces,
                                                     const std::string& carriage_return) {
  std::vector<ScoredPiece> scored;
  scored.reserve(pieces.size());
  for (const py::handle entry : pieces) {
    const auto piece = py::reinterpret_borrow<py::tuple>(entry);
    scored.push_back({view_of(piece[0]), piece[1].cast<float>(), piece[2].cast<bool>()});
  }
  const TextOptions text{true, carriage_return_named(carriage_return)};
  return std::make_unique<TextSegmenter>(Segmenter(MergeRules(scored), {}), text, Glossary());
}

py::list segment_lines(TextSegmenter* segmenter, const py::list& lines, double dropout,
                       std::uint64_t seed, std::uint64_t first_line, std::uint32_t threads) {
  const py::tuple held(lines);  // a copy, since Python may change the list meanwhile
  const std::vector<WideLine> wide = wide_lines(held);
  const Output output = segmenter->unit() == Unit::kByte ? Output::kWide : Output::kUtf8;
  StringList strings(wide.size());
  const auto take = [&](std::size_t first, TextBuffer* text, const std::vector<std::size_t>& ends) {
    if (output == Output::kWide) {
      strings.take_byte_text(first, text->view(), ends);
    } else {
      strings.take_utf8(first, text->view(), ends);
    }
  };
  {
    const py::gil_scoped_release released;
    segmenter->segment_lines(wide, {dropout, seed, first_line, threads}, output, take, check_signals);
  }
  return strings.to_list();
}

IdTable id_table(const py::dict& indices, std::int32_t unknown) {
  SymbolIndices symbols;
  symbols.reserve(indices.size());
  for (const auto& [symbol, index] : indices) symbols.emplace_back(view_of(symbol), index.cast<std::int32_t>());
  return IdTable(symbols, unknown);
}

std::unique_ptr<IdSegmenter> make_id_segmenter(const TextSegmenter& segmenter, const py::dict& indices,
                                               std::int32_t unknown, std::optional<std::int32_t> end) {
  return std::make_unique<IdSegmenter>(segmenter, id_table(indices, unknown), end);
}

// An array of a buffer's 32-bit numbers, which are not copied.
py::array_t<std::int32_t> to_array(TextBuffer numbers) {
  auto* const kept = new TextBuffer(std::move(numbers));
  const py::capsule owner(kept, [](void* buffer) { delete static_cast<TextBuffer*>(buffer); });
  return py::array_t<std::int32_t>(static_cast<py::ssize_t>(kept->size() / sizeof(std::int32_t)),
                                   reinterpret_cast<const std::int32_t*>(kept->data()), owner);
}

py::tuple to_arrays(LineIds part) {
  py::array_t<std::int64_t> lengths(static_cast<py::ssize_t>(part.lengths.size()), part.lengths.data());
  return py::make_tuple(to_array(std::move(part.ids)), std::move(lengths));
}

// Returns the arrays (indices, line lengths).
py::tuple to_arrays(std::vector<LineIds> parts) {
  if (parts.size() == 1) return to_arrays(std::move(parts[0]));
  LineIds all;
  std::size_t bytes = 0;
  for (const LineIds& part : parts) bytes += part.ids.size();
  all.ids.room(bytes);
  for (const LineIds& part : parts) {
    all.ids.append(part.ids.view());
    all.lengths.insert(all.lengths.end(), part.lengths.begin(), part.lengths.end());
  }
  return to_arrays(std::move(all));
}

py::tuple encode_lines(IdSegmenter* segmenter, const py::list& lines, double dropout, std::uint64_t seed,
                       std::uint64_t first_line, std::uint32_t threads) {
  const py::tuple held(lines);
  const std::vector<WideLine> wide = wide_lines(held);
  std::vector<LineIds> parts;
  {
    const py::gil_scoped_release released;
    parts = segmenter->encode_lines(wide, {dropout, seed, first_line, threads}, check_signals);
  }
  return to_arrays(std::move(parts));
}

// The buffer's owner must stay alive and unchanged while the view is in use.
std::string_view view_of_buffer(const py::buffer_info& buffer) {
  return {static_cast<const char*>(buffer.ptr), static_cast<std::size_t>(buffer.size * buffer.itemsize)};
}

TextBuffer segment_text(TextSegmenter* segmenter, const py::buffer& text, double dropout,
                        std::uint64_t seed, std::uint64_t first_line) {
  const py::buffer_info held = text.request();
  const py::gil_scoped_release released;
  return segmenter->segment_text(view_of_buffer(held), {dropout, seed, first_line, 1}, check_signals);
}

py::tuple encode_text(IdSegmenter* segmenter, const py::buffer& text, double dropout, std::uint64_t seed,
                      std::uint64_t first_line) {
  const py::buffer_info held = text.request();
  LineIds encoded;
  {
    const py::gil_scoped_release released;
    encoded = segmenter->encode_text(view_of_buffer(held), {dropout, seed, first_line, 1}, check_signals);
  }
  return to_arrays(std::move(encoded));
}

py::tuple encode_tokens(const IdTable& table, const py::buffer& text, std::optional<std::int32_t> end) {
  const py::buffer_info held = text.request();
  LineIds encoded;
  {
    const py::gil_scoped_release released;
    encoded = table.encode_tokens(view_of_buffer(held), end, check_signals);
  }
  return to_arrays(std::move(encoded));
}

// How often each index occurs, from 0 to the largest one. NumPy's bincount first makes 64 bits of each.
py::array_t<std::int64_t> count_ids(const py::array_t<std::int32_t, py::array::c_style>& ids) {
  const std::int32_t* const begin = ids.data();
  const std::int32_t* const end = begin + ids.size();
  std::vector<std::int64_t> counts;
  {
    const py::gil_scoped_release released;
    const auto [least, largest] = std::minmax_element(begin, end);
    if (begin < end && *least < 0) throw InputError("an index is negative");
    counts.resize(begin < end ? static_cast<std::size_t>(*largest) + 1 : 0);
    for (const std::int32_t* id = begin; id < end; ++id) ++counts[static_cast<std::size_t>(*id)];
  }
  return py::array_t<std::int64_t>(static_cast<py::ssize_t>(counts.size()), counts.data());
}

// The numbers of all ids. NumPy's take first makes 64 bits of each id.
template <typename Id, typename Number>
py::array_t<Number> renumber(const py::array_t<Id, py::array::c_style>& ids,
                             const py::array_t<Number, py::array::c_style>& numbers) {
  py::array_t<Number> renumbered(ids.size());
  const Id* const id = ids.data();
  const Number* const number = numbers.data();
  Number* const to = renumbered.mutable_data();
  const auto size = static_cast<std::size_t>(ids.size());
  const auto known = static_cast<std::size_t>(numbers.size());
  const py::gil_scoped_release released;
  for (std::size_t i = 0; i < size; ++i) {
    if (static_cast<std::uint32_t>(id[i]) >= known) throw InputError("an index has no number");
    to[i] = number[id[i]];
  }
  return renumbered;
}

TextBuffer characters(const py::buffer& text, const std::string& carriage_return, std::uint64_t first_line) {
  const py::buffer_info held = text.request();
  const CarriageReturn treatment = carriage_return_named(carriage_return);
  const py::gil_scoped_release released;
  return characters_of_text(view_of_buffer(held), treatment, first_line, check_signals);
}

// Returns (text, dropped_bytes, unknown_symbols).
py::tuple restore(const py::buffer& text, const std::string& kind, const std::string& separator,
                  const std::string& carriage_return, std::uint64_t first_line) {
  const py::buffer_info held = text.request();
  const Segmented segmented = segmented_named(kind);
  const CarriageReturn treatment = carriage_return_named(carriage_return);
  Restored restored;
  {
    const py::gil_scoped_release released;
    restored = restore_text(view_of_buffer(held), segmented, separator, treatment, first_line, check_signals);
  }
  return py::make_tuple(std::move(restored.text), restored.dropped_bytes, restored.unknown_symbols);
}

// A last line without a newline counts too.
std::size_t count_lines(const py::buffer& text) {
  const py::buffer_info held = text.request();
  const std::string_view view = view_of_buffer(held);
  const py::gil_scoped_release released;
  return count_newlines(view) + (!view.empty() && view.back() != '\n');
}

}  // namespace

void bind_segmenting(py::module_* module) {
  // Text that Python can read, or write to a file, without copying it.
  py::class_<TextBuffer>(*module, "Text", py::buffer_protocol())
      .def_buffer([](TextBuffer& text) {
        return py::buffer_info(text.data(), 1, py::format_descriptor<unsigned char>::format(),
                               static_cast<py::ssize_t>(text.size()), true);
      })
      .def("__len__", &TextBuffer::size);
  module->def("characters_of_text", &characters);
  module->def("restore_text", &restore);
  module->def("count_ids", &count_ids);
  const auto exactly = py::arg().noconvert();
  module->def("renumber", &renumber<std::uint16_t, std::uint16_t>, exactly, exactly);
  module->def("renumber", &renumber<std::uint16_t, std::uint32_t>, exactly, exactly);
  module->def("renumber", &renumber<std::int32_t, std::uint16_t>, exactly, exactly);
  module->def("renumber", &renumber<std::int32_t, std::uint32_t>, exactly, exactly);
  py::class_<IdTable>(*module, "IdTable")
      .def(py::init(&id_table))
      .def("encode_tokens", &encode_tokens);
  py::class_<TextSegmenter>(*module, "TextSegmenter")
      .def(py::init(&make_segmenter))
      .def_static("of_scored_pieces", &make_scored_segmenter)
      .def("pieces", &TextSegmenter::pieces)
      .def("segment_lines", &segment_lines)
      .def("segment_text", &segment_text)
      .def("id_segmenter", &make_id_segmenter)
      .def_static("count_lines", &count_lines);
  py::class_<IdSegmenter>(*module, "IdSegmenter")
      .def("encode_lines", &encode_lines)
      .def("encode_text", &encode_text);
}

}  // namespace subword
