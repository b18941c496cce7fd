// Writes what Fairseq would misread in a token as escapes. The table, and how they are undone, is in
// fairseq_subword_ext/subword/escaping.py.
#pragma once

#include <string>

namespace subword {

// Whether Fairseq, which uses Python's, splits text at this character, apart from U+0020.
bool is_unicode_space(char32_t c);

// Whether a character is escaped wherever it stands: the Unicode spaces and U+241B.
bool is_escaped(char32_t c);

// Whether a character that starts with this byte of UTF-8 may be one of those, or U+2581.
bool may_begin_escaped(unsigned char byte);

void append_escaped(char32_t c, std::string* out);

// A token with its Unicode spaces, its U+241B and, where it is spelled like a control symbol, its first
// character escaped.
std::string escape_token(const std::string& token);

// The same for a word's last token, which must not end in the separator either: decoding would glue the
// next word to it.
std::string escape_last_token(const std::string& token, const std::string& separator);

}  // namespace subword
