#include "python/names.h"

#include <utility>
#include <vector>

namespace subword {

namespace {

template <class Value>
Value choose(const std::string& name, const std::string& what,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::string known;
  for (const auto& [choice, value] : choices) {
    if (name == choice) return value;
    known += (known.empty() ? "" : ", ") + choice;
  }
  throw InputError(what + " must be one of " + known + ", not '" + name + "'");
}

}  // namespace

Unit unit_of_version(const std::string& version) {
  return marker_of_version(version) == Marker::kNone ? Unit::kByte : Unit::kChar;
}

Marker marker_of_version(const std::string& version) {
  return choose<Marker>(
      version, "version",
      {{"0.1", Marker::kOwnSymbol}, {"0.2", Marker::kJoined}, {"byte-1", Marker::kNone}});
}

TieBreak tie_break_named(const std::string& name) {
  return choose<TieBreak>(name, "tie_break",
                          {{"greatest", TieBreak::kGreatest},
                           {"least", TieBreak::kLeast},
                           {"first", TieBreak::kFirst}});
}

Borders borders_named(const std::string& name) {
  return choose<Borders>(name, "borders",
                         {{"none", Borders::kNone},
                          {"sentencepiece", Borders::kSentencePiece},
                          {"character", Borders::kCharacter}});
}

Unknown unknown_named(const std::string& name) {
  return choose<Unknown>(
      name, "unknown",
      {{"keep", Unknown::kKeep}, {"error", Unknown::kError}, {"unk", Unknown::kUnk}});
}

Segmented segmented_named(const std::string& name) {
  return choose<Segmented>(name, "segmented text",
                           {{"bytes", Segmented::kByteText},
                            {"pieces", Segmented::kPieces},
                            {"unescaped", Segmented::kUnescapedPieces},
                            {"characters", Segmented::kCharacters}});
}

CarriageReturn carriage_return_named(const std::string& name) {
  return choose<CarriageReturn>(name, "carriage_return",
                                {{"error", CarriageReturn::kError},
                                 {"replace", CarriageReturn::kReplace},
                                 {"keep", CarriageReturn::kKeep}});
}

}  // namespace subword
