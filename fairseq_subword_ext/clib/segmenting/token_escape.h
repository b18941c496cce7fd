// Escapes what Fairseq would misread in a token. fairseq_subword_ext/subword/escaping.py has the table and
// undoes the escapes.
#pragma once

#include <string>

namespace subword {

// Whether Fairseq, which splits text at what Python calls whitespace, splits it at this character. Does not
// include U+0020.
bool is_unicode_space(char32_t c);

// Whether a character is escaped wherever it occurs: a Unicode space or U+241B.
bool is_escaped(char32_t c);

// Whether a character whose UTF-8 starts with this byte may be one of those, or U+2581.
bool may_begin_escaped(unsigned char byte);

// Appends the escape of a character.
void append_escaped(char32_t c, std::string* out);

// Escapes the Unicode spaces and U+241B in a token and, if it is spelled like a control symbol, its first
// character.
std::string escape_token(const std::string& token);

// Escapes a word's last token, which also must not end in the separator: decoding would glue the next word
// to it.
std::string escape_last_token(const std::string& token, const std::string& separator);

}  // namespace subword
