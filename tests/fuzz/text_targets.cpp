// Targets for UTF-8, byte text, and the restoring of segmented text.
#include <cstring>
#include <iterator>

#include "python/names.h"
#include "segmenting/byte_text.h"
#include "segmenting/char_level.h"
#include "segmenting/restoring.h"
#include "taken_lines.h"
#include "target.h"
#include "text/text.h"
#include "text/wide_text.h"

namespace fuzz {

namespace {

using subword::CarriageReturn;

// Finds malformed UTF-8, and converts the rest to Python's layouts and back.
void utf8(Input input) {
  const std::string text = input.rest();
  std::size_t well_formed = 0, characters = 0;
  for (std::size_t size; (size = subword::character_size(text.data() + well_formed, text.size() - well_formed)) > 0;
       ++characters) {
    well_formed += size;
  }
  const bool whole = well_formed == text.size();
  require(subword::find_malformed(text) == (whole ? std::string::npos : well_formed),
          "the first malformed byte is found");
  if (!whole) subword::describe_malformed(text, well_formed);
  const std::string_view good = std::string_view(text).substr(0, well_formed);
  require(subword::count_characters(good) == characters, "characters are counted");
  const subword::TextShape shape = subword::shape_of(good);
  require(shape.characters == characters, "the shape has as many characters");
  for (const std::size_t width : {1, 2, 4}) {
    if (shape.largest >> (8 * width - 1) >> 1 != 0) continue;
    const auto wide = std::make_unique<unsigned char[]>(characters * width);
    require(subword::widen(good, width, wide.get(), characters), "well-formed text is widened");
    const subword::WideLine line{wide.get(), width, characters};
    subword::TextBuffer out;
    out.room(subword::narrow_room(line));
    std::string_view narrowed;
    require(subword::narrow(line, &out, &narrowed) == std::string_view::npos && narrowed == good,
            "narrowing undoes widening");
  }
  const auto room = std::make_unique<std::uint32_t[]>(subword::shape_of(text).characters);
  const std::size_t all = subword::shape_of(text).characters;
  require(subword::widen(text, 4, room.get(), all) == whole || all < characters, "malformed text is refused");
}

// Decodes lines of code points, as Python passes them.
void byte_text(Input input) {
  const std::size_t width = std::size_t{1} << input.choice(3);
  const std::string bytes = input.rest();
  std::vector<std::vector<unsigned char>> held;
  std::vector<subword::WideLine> lines;
  for (const std::string_view part : split(bytes, '\n')) {
    const std::size_t symbols = part.size() / width;
    std::vector<unsigned char>& line = held.emplace_back(symbols * width);
    if (symbols > 0) std::memcpy(line.data(), part.data(), symbols * width);
  }
  for (const std::vector<unsigned char>& line : held) lines.push_back({line.data(), width, line.size() / width});
  TakenLines one(lines.size()), two(lines.size());
  subword::byte_text_to_bytes(lines, 1, one.take());
  subword::byte_text_to_bytes(lines, 2, two.take());
  require(one.lines() == two.lines(), "threads change nothing");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    require(one.lines()[i].size() <= lines[i].size, "a symbol is at most one byte");
  }
}

void restore(Input input) {
  const auto kind = static_cast<subword::Segmented>(input.choice(4));
  const auto carriage_return = static_cast<CarriageReturn>(input.choice(3));
  const std::string separator = input.text();
  if (separator.empty()) return;
  const std::string text = input.rest();
  const subword::Restored restored = subword::restore_text(text, kind, separator, carriage_return, 0);
  require(subword::count_newlines(restored.text.view()) == subword::count_newlines(text), "lines are kept");
  require(kind != subword::Segmented::kByteText || subword::find_malformed(restored.text.view()) == std::string::npos,
          "restored byte text is UTF-8");
}

void characters(Input input) {
  const auto carriage_return = static_cast<CarriageReturn>(input.choice(3));
  const std::string text = input.rest();
  const subword::TextBuffer split_text = subword::characters_of_text(text, carriage_return, 0);
  const subword::Restored restored = subword::restore_text(split_text.view(), subword::Segmented::kCharacters, "@@",
                                                           CarriageReturn::kKeep, 0);
  if (carriage_return == CarriageReturn::kError) require(restored.text.view() == text, "nothing is lost");
}

const Register kAll[] = {{"utf8", utf8}, {"byte_text", byte_text}, {"restore", restore}, {"characters", characters}};

}  // namespace

}  // namespace fuzz
