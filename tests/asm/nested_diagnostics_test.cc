// Every error of the assembler where it stands in the input, in a macro, in a repetition, in an
// included file, and in all of them at once: the same text, the place of the line itself, and one
// note per use on the way there, innermost first.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"

namespace moescope::assembler {
namespace {

struct Wrong {
  const char* id;
  const char* line;
  std::uint32_t column;
  std::uint32_t length;
  const char* message;
};

// One line each. AS002 to AS013 and AS016 are errors of lines; AS014, AS015 and AS017 are of files.
constexpr Wrong kLines[] = {
    {"AS001", "V_ADD_VX gp1, gp2, gp3", 1, 8,
     "unknown mnemonic 'V_ADD_VX'; did you mean 'V_ADD_VV' or 'V_ADD_VF'?"},
    {"AS001", "  again: C_BREAK", 3, 6,
     "labels do not exist ('again:'); write a loop with C_LOOP_START and C_LOOP_END"},
    {"AS002", "V_PS_V gp1, gp2", 1, 6, "'V_PS_V' is a known name but no instruction of ISA 1.1"},
    {"AS003", ".worm 5", 1, 5, "unknown directive '.worm'; did you mean '.word'?"},
    {"AS004", "S_ADD_INT gp1, gp2", 1, 18, "S_ADD_INT takes 3 operands, not 2"},
    {"AS004", "C_SET_SCALE_REG gp1, 0", 1, 22, "C_SET_SCALE_REG takes 1 operand, not 2"},
    {"AS005", "S_EXP_FP gp1, f2", 10, 3, "operand 1 of S_EXP_FP must be an f register, not gp1"},
    {"AS005", "S_LUI_INT gp1, f2", 16, 2,
     "operand 2 of S_LUI_INT is the 22-bit immediate and cannot be register f2"},
    {"AS006", "M_MM 1, gp2, gp3", 6, 1, "placeholder must be 0 or gp0, not 1"},
    {"AS007", "S_EXP_FP f8, f2", 10, 2, "register f8 does not exist (f0..f7)"},
    {"AS008", "S_LUI_INT gp1, 4194304", 16, 7,
     "immediate 4194304 does not fit in 22 bits (range 0..4194303)"},
    {"AS009", "S_LD_INT gp1, gp2, -4", 20, 2, "immediate -4 is negative (range 0..262143)"},
    {"AS010", "V_TOPK gp1, gp2, gp3, 7", 23, 1, "policy 7 is reserved; legal: 0, 1, 15"},
    {"AS010", "C_LOOP_END gp0", 12, 3, "gp0 cannot count a loop; use gp1..gp15"},
    {"AS011", "S_LUI_INT gp1, ROWS + 1", 16, 4, "undefined symbol 'ROWS'"},
    {"AS013", "S_LUI_INT gp1, 4 / 0", 20, 1, "division by zero"},
    {"AS013", "S_LUI_INT gp1, (4", 16, 1, "'(' without its ')': found the end of the line"},
};

struct Way {
  const char* name;
  // Text of the input and of the file x.inc around a line.
  std::string (*input)(const std::string& line);
  std::string (*included)(const std::string& line);
  const char* file;  // where the line then stands
  std::uint32_t line;
  std::vector<std::string> notes;  // "file:line:column text"
};

std::string Nothing(const std::string&) { return "C_BREAK\n"; }

std::vector<Way> Ways() {
  return {
      {"alone", [](const std::string& line) { return line + "\n"; }, Nothing, "a.asm", 1, {}},
      {"behind others",
       [](const std::string& line) { return "; a comment\n\nS_EXP_FP f1, f2\n" + line + "\n"; },
       Nothing,
       "a.asm",
       4,
       {}},
      {"in a macro",
       [](const std::string& line) {
         return ".macro M a\nS_EXP_FP f\\a, f2\n" + line + "\n.endm\nS_EXP_FP f1, f2\n  M 3\n";
       },
       Nothing,
       "a.asm",
       3,
       {"a.asm:6:3 in the expansion of macro 'M'"}},
      {"in a repetition",
       [](const std::string& line) { return ".rept 1\n" + line + "\n.endr\n"; },
       Nothing,
       "a.asm",
       2,
       {"a.asm:1:1 in the body of this '.rept'"}},
      {"in an included file",
       [](const std::string&) { return std::string("S_EXP_FP f1, f2\n  .include \"x.inc\"\n"); },
       [](const std::string& line) { return "; first\n" + line + "\n"; },
       "x.inc",
       2,
       {"a.asm:2:3 included from here"}},
      {"in a macro of an included file",
       [](const std::string&) { return std::string(".include \"x.inc\"\nM\n"); },
       [](const std::string& line) { return ".macro M\n" + line + "\n.endm\n"; },
       "x.inc",
       2,
       {"a.asm:2:1 in the expansion of macro 'M'"}},
      {"in a macro in a repetition in a macro in an included file",
       [](const std::string&) { return std::string("C_BREAK\n.include \"x.inc\"\n"); },
       [](const std::string& line) {
         return ".macro INNER\n" + line +
                "\n.endm\n.macro OUTER\n.rept 1\n INNER\n.endr\n.endm\nOUTER\n";
       },
       "x.inc",
       2,
       {"x.inc:6:2 in the expansion of macro 'INNER'", "x.inc:5:1 in the body of this '.rept'",
        "x.inc:9:1 in the expansion of macro 'OUTER'", "a.asm:2:1 included from here"}},
  };
}

AssembleOptions Reading(const std::map<std::string, std::string>& files) {
  AssembleOptions options;
  options.read_file = [files](const std::string& path) -> absl::StatusOr<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return absl::NotFoundError("no such file");
    return found->second;
  };
  return options;
}

std::vector<std::string> PlacedNotes(const Diagnostic& finding) {
  std::vector<std::string> notes;
  for (const DiagnosticNote& note : finding.notes) {
    notes.push_back(ToString(note.location) + " " + note.message);
  }
  return notes;
}

TEST(NestedDiagnosticsTest, EveryLineErrorOnEveryWay) {
  for (const Way& way : Ways()) {
    for (const Wrong& wrong : kLines) {
      SCOPED_TRACE(absl::StrCat(wrong.line, ", ", way.name));
      const absl::StatusOr<Assembly> assembly =
          Assemble(way.input(wrong.line), "a.asm", Reading({{"x.inc", way.included(wrong.line)}}));
      ASSERT_FALSE(assembly.ok());
      const std::vector<Diagnostic> findings = DiagnosticsOf(assembly.status());
      const Diagnostic& finding = findings.front();
      EXPECT_EQ(finding.id, wrong.id);
      EXPECT_EQ(finding.message, wrong.message);
      EXPECT_EQ(finding.severity, Severity::kError);
      EXPECT_EQ(finding.location, (SourceLocation{way.file, way.line, wrong.column, wrong.length}));
      EXPECT_EQ(finding.source_line, wrong.line);
      EXPECT_EQ(PlacedNotes(finding), way.notes);
      EXPECT_EQ(findings.size(), 1u);
    }
  }
}

// The same error in each pass of a repetition and in each use of a macro is one error per use.
TEST(NestedDiagnosticsTest, EachUseIsReportedWithItsOwnPlace) {
  const absl::StatusOr<Assembly> assembly =
      Assemble(".macro M reg\nS_EXP_FP \\reg, f2\n.endm\nM f9\nM f1\nM f10\n", "a.asm");
  const std::vector<Diagnostic> findings = DiagnosticsOf(assembly.status());
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message, "register f9 does not exist (f0..f7)");
  EXPECT_EQ(PlacedNotes(findings[0]),
            std::vector<std::string>{"a.asm:4:1 in the expansion of macro 'M'"});
  EXPECT_EQ(findings[1].message, "register f10 does not exist (f0..f7)");
  EXPECT_EQ(PlacedNotes(findings[1]),
            std::vector<std::string>{"a.asm:6:1 in the expansion of macro 'M'"});
  // The replaced parameter is what is marked.
  EXPECT_EQ(findings[0].source_line, "S_EXP_FP \\reg, f2");
  EXPECT_EQ(findings[0].location.column, 10u);
  EXPECT_EQ(findings[0].location.length, 4u);
}

// Markers are lines like others: their errors carry the same places.
TEST(NestedDiagnosticsTest, MarkerErrors) {
  struct Marker {
    const char* id;
    const char* line;
  };
  constexpr Marker kMarkers[] = {{"MS001", "; @stage=gathr"},
                                 {"MS002", "; @stage=gather pair=x"},
                                 {"MS005", "; @stage=gather pair=1 pair=2"},
                                 {"MS002", "; @stage"}};
  for (const Way& way : Ways()) {
    for (const Marker& marker : kMarkers) {
      SCOPED_TRACE(absl::StrCat(marker.line, ", ", way.name));
      const absl::StatusOr<Assembly> assembly = Assemble(
          way.input(marker.line), "a.asm", Reading({{"x.inc", way.included(marker.line)}}));
      ASSERT_FALSE(assembly.ok());
      // Where the marker is all there is, that is said too.
      Diagnostic finding;
      for (const Diagnostic& each : DiagnosticsOf(assembly.status())) {
        if (each.id != "AS017") finding = each;
      }
      EXPECT_EQ(finding.id, marker.id) << finding.message;
      EXPECT_EQ(finding.location.file, way.file);
      EXPECT_EQ(finding.location.line, way.line);
      EXPECT_EQ(finding.source_line, marker.line);
      EXPECT_EQ(PlacedNotes(finding), way.notes);
    }
  }
}

// Warnings go the same way as errors.
TEST(NestedDiagnosticsTest, WarningsOnEveryWay) {
  struct Warning {
    const char* id;
    const char* line;
  };
  constexpr Warning kWarnings[] = {{"AS101", "S_ADDI_INT gp0, gp1, 3"},
                                   {"AS107", "S_LUI_INT gp1, 0x100000"},
                                   {"AS108", "V_EXP_V gp1, gp2, 2"}};
  for (const Way& way : Ways()) {
    if (way.notes.size() == 4) continue;  // it stands behind a C_BREAK, where nothing is checked
    for (const Warning& warning : kWarnings) {
      SCOPED_TRACE(absl::StrCat(warning.line, ", ", way.name));
      const absl::StatusOr<Assembly> assembly = Assemble(
          way.input(warning.line), "a.asm", Reading({{"x.inc", way.included(warning.line)}}));
      ASSERT_TRUE(assembly.ok()) << assembly.status();
      ASSERT_EQ(assembly->findings.size(), 1u);
      const Diagnostic& finding = assembly->findings.front();
      EXPECT_EQ(finding.id, warning.id);
      EXPECT_EQ(finding.severity, Severity::kWarning);
      EXPECT_EQ(finding.location.file, way.file);
      EXPECT_EQ(finding.location.line, way.line);
      EXPECT_EQ(PlacedNotes(finding), way.notes);
    }
  }
}

// Every level of every warning, set by its rule and by --werror.
TEST(NestedDiagnosticsTest, LevelsOfWarnings) {
  const std::map<std::string, std::string> triggers = {
      {"AS101", "S_LD_FP f0, gp1, 0\n"},
      {"AS102", "; @stage=gather\n; @stage_end\nS_EXP_FP f1, f2\n"},
      {"AS103", "C_BREAK\nS_EXP_FP f1, f2\n"},
      {"AS104", "C_LOOP_END gp1\n"},
      {"AS105", "C_LOOP_START gp1, 2\nS_LUI_INT gp1, 1\nC_LOOP_END gp1\n"},
      {"AS106", "C_LOOP_START gp1, 2\nS_ADDI_INT gp2, gp1, 1\nC_LOOP_END gp1\n"},
      {"AS107", "S_LUI_INT gp1, 0x3FFFFF\n"},
      {"AS108", "V_RECI_V gp1, gp2, 15\n"}};
  for (const std::string_view rule : AssemblerRules()) {
    const std::string& text = triggers.at(std::string(rule));
    for (const char* level : {"", "off", "note", "warning", "error"}) {
      for (const bool werror : {false, true}) {
        SCOPED_TRACE(absl::StrCat(std::string(rule), " ", level, werror ? " werror" : ""));
        AssembleOptions options;
        if (*level != '\0') {
          ASSERT_TRUE(
              options.rules.Set(absl::StrCat(std::string(rule), "=", level), AssemblerRules())
                  .ok());
        }
        options.rules.SetWarningsAreErrors(werror);
        const std::string name = *level == '\0' ? "warning" : level;
        const bool is_error = name == "error" || (name == "warning" && werror);
        const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", options);
        EXPECT_EQ(assembly.ok(), !is_error);
        const std::vector<Diagnostic> findings =
            assembly.ok() ? assembly->findings : DiagnosticsOf(assembly.status());
        if (name == "off") {
          EXPECT_TRUE(findings.empty());
          continue;
        }
        ASSERT_EQ(findings.size(), 1u);
        EXPECT_EQ(findings[0].id, rule);
        EXPECT_EQ(SeverityName(findings[0].severity), is_error ? "error" : name);
      }
    }
  }
}

// ---- Errors of files and blocks -----------------------------------------------------------------

struct BadFile {
  const char* name;
  const char* input;
  const char* included;
  const char* id;
  const char* place;
  const char* message;
};

constexpr BadFile kFiles[] = {
    {"missing", ".include \"y.inc\"\nC_BREAK\n", "", "AS014", "a.asm:1:10",
     "cannot find 'y.inc'; looked for 'y.inc'"},
    {"itself", ".include \"a.asm\"\nC_BREAK\n", "", "AS014", "a.asm:1:10",
     "'a.asm' includes itself"},
    {"each other", "C_BREAK\n.include \"x.inc\"\n", ".include \"a.asm\"\n", "AS014", "x.inc:1:10",
     "'a.asm' includes itself"},
    {"open macro", "C_BREAK\n.macro M\nC_BREAK\n", "", "AS015", "a.asm:2:1",
     "'.macro' without its '.endm'"},
    {"open repetition", "C_BREAK\n .rept 2\nC_BREAK\n", "", "AS015", "a.asm:2:2",
     "'.rept' without its '.endr'"},
    {"end alone", "C_BREAK\n.endr\n", "", "AS015", "a.asm:2:1", "'.endr' without its '.rept'"},
    {"end of another file", ".rept 2\n.include \"x.inc\"\n", "C_BREAK\n.endr\n", "AS015",
     "a.asm:1:1", "'.rept' without its '.endr'"},
    {"nothing", "; only a comment\n", "", "AS017", "a.asm", "no instruction in the input"},
    {"nothing included", ".include \"x.inc\"\n", "; empty\n", "AS017", "a.asm",
     "no instruction in the input"},
};

TEST(NestedDiagnosticsTest, FilesAndBlocks) {
  for (const BadFile& bad : kFiles) {
    SCOPED_TRACE(bad.name);
    const absl::StatusOr<Assembly> assembly =
        Assemble(bad.input, "a.asm", Reading({{"x.inc", bad.included}, {"a.asm", bad.input}}));
    ASSERT_FALSE(assembly.ok());
    const Diagnostic finding = DiagnosticsOf(assembly.status()).front();
    EXPECT_EQ(finding.id, bad.id);
    EXPECT_EQ(ToString(finding.location), bad.place);
    EXPECT_EQ(finding.message, bad.message);
  }
}

}  // namespace
}  // namespace moescope::assembler
