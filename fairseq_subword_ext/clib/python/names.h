// Maps the option names used by Python to the core's enumerations.
#pragma once

#include <string>

#include "learning/learner.h"
#include "segmenting/restoring.h"
#include "segmenting/text_segmenter.h"

namespace subword {

// Each function throws InputError for an unknown name.
Unit unit_of_version(const std::string& version);      // 0.1, 0.2, byte-1
Marker marker_of_version(const std::string& version);
TieBreak tie_break_named(const std::string& name);     // greatest, least, first
Unknown unknown_named(const std::string& name);        // keep, error, unk
Segmented segmented_named(const std::string& name);    // bytes, pieces, unescaped, characters
Borders borders_named(const std::string& name);        // none, sentencepiece, character
CarriageReturn carriage_return_named(const std::string& name);  // error, replace, keep

}  // namespace subword
