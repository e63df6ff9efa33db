#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace moescope::stages {

// One line of assembly text, cut into statement and comment. All views point into the text.
struct SourceLine {
  std::uint32_t number = 0;    // from 1
  std::size_t offset = 0;      // of the line's first byte in the text; behind a byte-order mark
  std::string_view whole;      // with its line end
  std::string_view text;       // without it
  std::string_view statement;  // without blanks around it; empty when there is none
  bool has_comment = false;
  bool is_semicolon = false;      // the comment starts with ';', not with "//"
  std::size_t comment_start = 0;  // of the comment character(s) in `text`
  std::string_view comment;       // behind the comment character(s)

  bool HasOnlyComment() const { return has_comment && statement.empty(); }
  // The first word of the statement: a mnemonic, a directive, a macro's name.
  std::string_view FirstWord() const;
  bool IsDirective() const { return statement.starts_with('.'); }
};

// Reads a text line by line. Comments begin as isa.md 3.1 says; a ';' inside the quoted path of
// .include begins none.
class SourceReader {
 public:
  explicit SourceReader(std::string_view text);
  // False at the end.
  bool Next(SourceLine& line);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
};

// Compares words as the assembler does: ASCII letters in any case.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace moescope::stages
