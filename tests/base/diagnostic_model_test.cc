// Random findings through every form they are written in, each read back by a reader of the test's
// own.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/diagnostic.h"
#include "base/diagnostic_json.h"
#include "base/json.h"

namespace moescope {
namespace {

class RandomFindings {
 public:
  explicit RandomFindings(std::uint32_t seed) : random_(seed) {}

  std::vector<Diagnostic> Next() {
    std::vector<Diagnostic> findings(1 + Below(4));
    for (Diagnostic& d : findings) {
      d.severity = static_cast<Severity>(Below(3));
      if (Below(4) != 0) d.id = absl::StrCat("AS", 100 + Below(900));
      d.message = Text(1 + Below(30));
      d.location = Place();
      if (Below(2) == 0) d.source_line = Text(Below(20), /*one_line=*/true);
      for (std::size_t notes = Below(3); notes > 0; --notes) {
        d.notes.push_back({Text(1 + Below(12)), Place()});
      }
    }
    return findings;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  SourceLocation Place() {
    SourceLocation place;
    if (Below(5) != 0) place.file = Text(1 + Below(8), /*one_line=*/true);
    if (Below(4) == 0) return place;
    place.line = static_cast<std::uint32_t>(Below(2000));
    if (place.line > 0 && Below(3) != 0) place.column = static_cast<std::uint32_t>(1 + Below(30));
    if (place.column > 0 && Below(2) == 0) place.length = static_cast<std::uint32_t>(Below(9));
    return place;
  }

  std::string Text(std::size_t length, bool one_line = false) {
    constexpr const char* kPieces[] = {"a", "Z",  "0",  ":",  ",", "%",        "%0A",          "::",
                                       "=", "\"", "\\", "\t", " ", "\xC3\xA4", "\xE2\x86\x92", "\n",
                                       "\r"};
    std::string text;
    for (; length > 0; --length) text += kPieces[Below(std::size(kPieces) - (one_line ? 2 : 0))];
    return text;
  }

  std::mt19937 random_;
};

TEST(DiagnosticModelTest, AStatusCarriesEveryFieldOfAnyFinding) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::vector<Diagnostic> findings = RandomFindings(seed).Next();
    const absl::Status status = ToStatus(findings);
    EXPECT_EQ(DiagnosticsOf(status), findings) << seed;
    // What wraps a status keeps its payload.
    absl::Status copy = status;
    EXPECT_EQ(DiagnosticsOf(copy), findings);
    EXPECT_EQ(copy.code(), absl::StatusCode::kInvalidArgument);
  }
}

// Code points of UTF-8 text.
std::vector<std::string> CodePoints(std::string_view text) {
  std::vector<std::string> points;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80 && !points.empty()) {
      points.back() += c;
    } else {
      points.emplace_back(1, c);
    }
  }
  return points;
}

// The text form, written out from its description.
std::string ModelText(const Diagnostic& d) {
  const auto place = [](const SourceLocation& at) {
    std::string text = at.file;
    if (at.line != 0) text += ":" + std::to_string(at.line);
    if (at.line != 0 && at.column != 0) text += ":" + std::to_string(at.column);
    return text.empty() ? "" : text + ": ";
  };
  constexpr const char* kNames[] = {"note", "warning", "error"};
  std::string text = place(d.location) + kNames[static_cast<int>(d.severity)] + ": " + d.message;
  if (!d.id.empty()) text += " [" + d.id + "]";
  text += "\n";
  if (!d.source_line.empty() && d.location.column != 0) {
    std::string number = std::to_string(d.location.line);
    while (number.size() < 5) number = " " + number;
    std::string carets;
    const std::vector<std::string> points = CodePoints(d.source_line);
    for (std::size_t i = 0; i + 1 < d.location.column && i < points.size(); ++i) {
      carets += points[i] == "\t" ? "\t" : " ";
    }
    carets += "^";
    for (std::uint32_t i = 1; i < d.location.length; ++i) carets += "~";
    text += number + " | " + d.source_line + "\n" + std::string(number.size(), ' ') + " | " +
            carets + "\n";
  }
  for (const DiagnosticNote& note : d.notes) {
    text += place(note.location) + "note: " + note.message + "\n";
  }
  return text;
}

TEST(DiagnosticModelTest, TheTextForm) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    for (const Diagnostic& d : RandomFindings(seed).Next()) {
      ASSERT_EQ(RenderText(d), ModelText(d)) << "seed " << seed;
    }
  }
}

SourceLocation PlaceOf(const Json& json) {
  SourceLocation at;
  at.file = json.value("file", "");
  at.line = json.value("line", 0u);
  at.column = json.value("column", 0u);
  at.length = json.value("length", 0u);
  return at;
}

TEST(DiagnosticModelTest, TheJsonFormHoldsEverything) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::vector<Diagnostic> findings = RandomFindings(seed).Next();
    const absl::StatusOr<Json> json = ParseJson(DiagnosticsJson(findings), "d.json", "MF001");
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ((*json)["schema"], "moescope.diagnostics");
    std::vector<Diagnostic> read;
    for (const Json& entry : (*json)["diagnostics"]) {
      Diagnostic& d = read.emplace_back();
      const std::string severity = entry["severity"];
      d.severity = severity == "error"     ? Severity::kError
                   : severity == "warning" ? Severity::kWarning
                                           : Severity::kNote;
      d.id = entry.value("id", "");
      d.message = entry["message"];
      d.source_line = entry.value("source_line", "");
      d.location = PlaceOf(entry);
      for (const Json& note : entry["notes"]) {
        d.notes.push_back({note["message"], PlaceOf(note)});
      }
    }
    EXPECT_EQ(read, findings) << seed;
  }
}

// A reader of workflow commands as GitHub describes them: properties end at "::", values are
// unescaped last.
std::string Unescaped(std::string text, bool property) {
  const std::vector<std::pair<std::string, std::string>> codes =
      property ? std::vector<std::pair<std::string, std::string>>{{"%2C", ","},
                                                                  {"%3A", ":"},
                                                                  {"%0A", "\n"},
                                                                  {"%0D", "\r"},
                                                                  {"%25", "%"}}
               : std::vector<std::pair<std::string, std::string>>{
                     {"%0A", "\n"}, {"%0D", "\r"}, {"%25", "%"}};
  for (const auto& [code, plain] : codes) {
    for (std::size_t at = 0; (at = text.find(code, at)) != std::string::npos; at += plain.size()) {
      text.replace(at, code.size(), plain);
    }
  }
  return text;
}

TEST(DiagnosticModelTest, TheGithubFormIsOneCommandPerFinding) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::vector<Diagnostic> findings = RandomFindings(seed).Next();
    std::vector<std::string> lines = absl::StrSplit(DiagnosticsGithub(findings), '\n');
    ASSERT_EQ(lines.back(), "");
    lines.pop_back();
    ASSERT_EQ(lines.size(), findings.size()) << seed;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Diagnostic& d = findings[i];
      ASSERT_TRUE(lines[i].starts_with("::"));
      const std::size_t end = lines[i].find("::", 2);
      ASSERT_NE(end, std::string::npos);
      const std::string head = lines[i].substr(2, end - 2);
      const std::string command = head.substr(0, head.find(' '));
      constexpr const char* kCommands[] = {"notice", "warning", "error"};
      EXPECT_EQ(command, kCommands[static_cast<int>(d.severity)]);
      std::map<std::string, std::string> properties;
      if (head.size() > command.size()) {
        for (const auto piece : absl::StrSplit(head.substr(command.size() + 1), ',')) {
          const std::string text(piece);
          const std::size_t equals = text.find('=');
          properties[text.substr(0, equals)] = Unescaped(text.substr(equals + 1), true);
        }
      }
      EXPECT_EQ(properties["file"], d.location.file);
      EXPECT_EQ(properties["title"], d.id);
      EXPECT_EQ(properties["line"], d.location.line == 0 ? "" : std::to_string(d.location.line));
      if (d.location.length > 0) {
        EXPECT_EQ(properties["endColumn"], std::to_string(d.location.column + d.location.length));
      }
      const std::string message = Unescaped(lines[i].substr(end + 2), false);
      EXPECT_TRUE(message.starts_with(d.message)) << message;
      for (const DiagnosticNote& note : d.notes) {
        EXPECT_NE(message.find("note: " + note.message), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace moescope
