// One below, at and one above each limit of each operand of each instruction, with the exact text
// and the exact place of what is said about the ones beyond.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "asm/assembler.h"
#include "tests/asm/manual_forms.h"

namespace moescope::assembler {
namespace {

using test::Generator;
using test::kSpecs;
using test::Piece;
using test::PiecesOf;
using test::ShiftOf;
using test::Spec;

// An operand and what it gives: a field value, or an error.
struct Edge {
  std::string text;
  std::uint32_t value = 0;
  const char* id = "";  // empty: legal
  std::string message = {};
};

std::string Last(const char* prefix, unsigned last) {
  return absl::StrCat("(", prefix, "0..", prefix, last, ")");
}

std::vector<Edge> Registers(const char* prefix, unsigned last) {
  std::vector<Edge> edges = {{absl::StrCat(prefix, 0), 0},
                             {absl::StrCat(prefix, 1), 1},
                             {absl::StrCat(prefix, last - 1), last - 1},
                             {absl::StrCat(prefix, last), last}};
  for (const std::string& beyond : {absl::StrCat(prefix, last + 1), absl::StrCat(prefix, 99),
                                    absl::StrCat(prefix, "4294967296")}) {
    edges.push_back({beyond, 0, "AS007",
                     absl::StrCat("register ", beyond, " does not exist ", Last(prefix, last))});
  }
  return edges;
}

std::vector<Edge> Immediates(unsigned bits, bool is_count) {
  const std::uint32_t end = 1u << bits;
  const std::uint32_t first = is_count ? 1 : 0;
  const std::string range = absl::StrCat(" (range ", first, "..", end - 1, ")");
  const std::string what = is_count ? "loop count " : "immediate ";
  std::vector<Edge> edges;
  for (const std::uint32_t value : {first, first + 1, end / 2 - 1, end / 2, end - 2, end - 1}) {
    edges.push_back({absl::StrCat(value), value});
    edges.push_back({absl::StrCat("0x", absl::Hex(value)), value});
  }
  for (const std::string& beyond :
       {absl::StrCat(end), absl::StrCat(end + 1), std::string("4294967295"),
        std::string("4294967296"), std::string("9223372036854775807")}) {
    edges.push_back({beyond, 0, "AS008",
                     absl::StrCat(what, beyond, " does not fit in ", bits, " bits", range)});
  }
  for (const std::string& below :
       {std::string("-1"), absl::StrCat("-", end), std::string("-9223372036854775807")}) {
    edges.push_back({below, 0, "AS009", absl::StrCat(what, below, " is negative", range)});
  }
  if (is_count) {
    edges.push_back({"0", 0, "AS010", "loop count 0 is reserved; a loop runs at least once"});
  }
  return edges;
}

std::vector<Edge> Values(const char* name, const std::vector<std::uint32_t>& legal) {
  std::vector<Edge> edges;
  for (const std::uint32_t value : legal) edges.push_back({absl::StrCat(value), value});
  for (std::int64_t value = -1; value <= 17; ++value) {
    bool is_legal = false;
    for (const std::uint32_t v : legal) is_legal = is_legal || v == value;
    if (is_legal) continue;
    edges.push_back(
        {absl::StrCat(value), 0, "AS010",
         absl::StrCat(name, " ", value, " is reserved; legal: ", absl::StrJoin(legal, ", "))});
  }
  return edges;
}

std::vector<Edge> EdgesOf(const Spec& spec, const Piece& piece) {
  const std::string& kind = piece.kind;
  if (kind == "gp") return Registers("gp", 15);
  if (kind == "f") return Registers("f", 7);
  if (kind == "a") return Registers("a", 7);
  if (kind == "gpor0") {
    std::vector<Edge> edges = Registers("gp", 15);
    edges.push_back({"0", 0});
    return edges;
  }
  if (kind == "loop") {
    std::vector<Edge> edges = Registers("gp", 15);
    edges[0] = {"gp0", 0, "AS010", "gp0 cannot count a loop; use gp1..gp15"};
    return edges;
  }
  if (kind == "imm18") return Immediates(18, false);
  if (kind == "imm22") return Immediates(22, false);
  if (kind == "count") return Immediates(22, true);
  if (kind == "mask") {
    std::vector<Edge> edges = {{"0", 0}, {"1", 1}, {"14", 14}, {"15", 15}};
    for (const char* beyond : {"16", "17", "-1", "4294967296"}) {
      edges.push_back(
          {beyond, 0, "AS008", absl::StrCat("mask ", beyond, " is out of range (0..15)")});
    }
    return edges;
  }
  if (kind == "policy") return Values("policy", {0, 1, 15});
  if (kind == "bit") {
    const bool is_hbm = std::string_view(spec.mnemonic).starts_with("H_");
    return Values(!is_hbm ? "order" : piece.field == 'c' ? "rstride" : "precision", {0, 1});
  }
  std::vector<Edge> edges = {{"0", 0}, {"0x0", 0}, {"1 - 1", 0}};
  const bool takes_register = kind == "zero";
  if (takes_register) edges.push_back({"gp0", 0});
  for (const char* other : {"1", "-1", "gp1", "f0", "a0"}) {
    edges.push_back(
        {other, 0, "AS006",
         absl::StrCat("placeholder must be 0", takes_register ? " or gp0" : "", ", not ", other)});
  }
  return edges;
}

struct Line {
  std::string text;
  std::uint32_t column = 0;  // of the operand under test
};

// A line of the form with `edge` as operand `at`, and everything else legal.
Line LineWith(const Spec& spec, std::size_t at, const Edge& edge, Generator& generate,
              std::uint32_t& word) {
  Line line{absl::StrCat(spec.mnemonic, " "), 0};
  word = spec.opcode;
  const std::vector<Piece> pieces = PiecesOf(spec);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) line.text += ", ";
    const test::Written written =
        i == at ? test::Written{edge.text, edge.value} : generate.Legal(pieces[i].kind);
    if (i == at) line.column = static_cast<std::uint32_t>(line.text.size() + 1);
    line.text += written.text;
    if (pieces[i].field != 0) word |= written.value << ShiftOf(pieces[i].field);
  }
  return line;
}

TEST(BoundariesTest, LegalValuesGiveTheirWord) {
  Generator generate(11);
  int lines = 0;
  for (const Spec& spec : kSpecs) {
    const std::vector<Piece> pieces = PiecesOf(spec);
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      for (const Edge& edge : EdgesOf(spec, pieces[at])) {
        if (*edge.id != '\0') continue;
        std::uint32_t word = 0;
        const Line line = LineWith(spec, at, edge, generate, word);
        const absl::StatusOr<Assembly> assembly = Assemble(line.text, "a.asm");
        ASSERT_TRUE(assembly.ok()) << assembly.status();
        ASSERT_EQ(assembly->program.words, std::vector<std::uint32_t>{word}) << line.text;
        ++lines;
      }
    }
  }
  EXPECT_GT(lines, 700);
}

TEST(BoundariesTest, ValuesBeyondAreNamedWithTheirRangeAtTheirPlace) {
  Generator generate(12);
  int lines = 0;
  for (const Spec& spec : kSpecs) {
    const std::vector<Piece> pieces = PiecesOf(spec);
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      for (const Edge& edge : EdgesOf(spec, pieces[at])) {
        if (*edge.id == '\0') continue;
        std::uint32_t word = 0;
        const Line line = LineWith(spec, at, edge, generate, word);
        const absl::StatusOr<Assembly> assembly = Assemble(line.text, "a.asm");
        ASSERT_FALSE(assembly.ok()) << line.text;
        const std::vector<Diagnostic> findings = DiagnosticsOf(assembly.status());
        ASSERT_EQ(findings.size(), 1u) << line.text;
        const Diagnostic& finding = findings[0];
        EXPECT_EQ(finding.id, edge.id) << line.text;
        EXPECT_EQ(finding.message, edge.message) << line.text;
        EXPECT_EQ(finding.location.line, 1u);
        EXPECT_EQ(finding.location.column, line.column) << line.text;
        EXPECT_EQ(finding.location.length, edge.text.size()) << line.text;
        EXPECT_EQ(finding.source_line, line.text);
        ++lines;
      }
    }
  }
  EXPECT_GT(lines, 700);
}

// Raw words take all 2^32 values and nothing beyond.
TEST(BoundariesTest, RawWords) {
  for (const char* legal :
       {"0", "1", "4294967294", "4294967295", "0xFFFFFFFF", "0b1", "~0 & 0xF"}) {
    EXPECT_TRUE(Assemble(absl::StrCat(".word ", legal), "a.asm").ok()) << legal;
  }
  for (const char* beyond : {"4294967296", "-1", "0x100000000", "1 << 32"}) {
    const absl::StatusOr<Assembly> assembly = Assemble(absl::StrCat(".word ", beyond), "a.asm");
    ASSERT_FALSE(assembly.ok()) << beyond;
    EXPECT_EQ(DiagnosticsOf(assembly.status())[0].id, "AS008") << beyond;
  }
}

// ---- Limits of expansion ------------------------------------------------------------------------

std::string IdOf(const std::string& text, const AssembleOptions& options) {
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", options);
  return assembly.ok() ? "" : DiagnosticsOf(assembly.status())[0].id;
}

TEST(BoundariesTest, NestingDepth) {
  for (std::size_t depth = 1; depth <= 6; ++depth) {
    AssembleOptions options;
    options.limits.depth = depth;
    for (const std::size_t nested : {depth - 1, depth, depth + 1}) {
      std::string text;
      for (std::size_t i = 0; i < nested; ++i) text += ".rept 1\n";
      text += "C_BREAK\n";
      for (std::size_t i = 0; i < nested; ++i) text += ".endr\n";
      EXPECT_EQ(IdOf(text, options), nested > depth ? "AS014" : "") << nested << " of " << depth;
    }
  }
}

TEST(BoundariesTest, TheDefaultDepthIs64) {
  for (const int nested : {63, 64, 65}) {
    std::string text;
    for (int i = 0; i < nested; ++i) {
      absl::StrAppend(&text, ".macro M", i, "\n",
                      i == 0 ? std::string("C_BREAK") : absl::StrCat("M", i - 1), "\n.endm\n");
    }
    absl::StrAppend(&text, "M", nested - 1, "\n");
    EXPECT_EQ(IdOf(text, {}), nested > 64 ? "AS014" : "") << nested;
  }
}

TEST(BoundariesTest, LinesOfRepetitions) {
  for (const std::size_t lines : {1u, 2u, 10u, 1000u}) {
    AssembleOptions options;
    options.limits.lines = lines;
    for (const std::size_t count : {lines - 1, lines, lines + 1}) {
      const std::string text = absl::StrCat("C_BREAK\n.rept ", count, "\nS_EXP_FP f1, f2\n.endr\n");
      EXPECT_EQ(IdOf(text, options).empty(), count <= lines) << count << " of " << lines;
    }
  }
}

TEST(BoundariesTest, ErrorsThatAreReported) {
  for (const std::size_t errors : {1u, 2u, 5u, 19u, 20u, 21u}) {
    for (const std::size_t most : {0u, 1u, 2u, 5u, 20u}) {
      std::string text;
      for (std::size_t i = 0; i < errors; ++i) text += "FROBNICATE\n";
      AssembleOptions options;
      options.max_errors = most;
      const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm", options);
      std::size_t reported = 0;
      std::string rest;
      for (const Diagnostic& finding : DiagnosticsOf(assembly.status())) {
        if (finding.id == "AS001") {
          ++reported;
          EXPECT_EQ(finding.location.line, reported);
        } else {
          rest = finding.message;
        }
      }
      const bool all = most == 0 || errors <= most;
      EXPECT_EQ(reported, all ? errors : most);
      EXPECT_EQ(rest.empty(), all) << rest;
      if (!all) {
        EXPECT_NE(rest.find(absl::StrCat(errors - most)), std::string::npos) << rest;
      }
    }
  }
}

}  // namespace
}  // namespace moescope::assembler
