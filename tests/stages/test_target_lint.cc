#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/stages/emitter_lint.h"

namespace moescope::test {

namespace {

std::vector<std::string> WordsOf(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A call of the tests, by ctest or by our script.
bool RunsTests(const std::string& line) {
  return line.find("ctest") != std::string::npos || line.find("scripts/test") != std::string::npos;
}

// Whether some line of the scripts runs the tests with this label.
bool IsLabelRun(const std::string& label, const std::vector<SourceFile>& ci) {
  for (const SourceFile& script : ci) {
    std::istringstream lines(script.text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string::npos || line[begin] == '#' || !RunsTests(line)) continue;
      bool runs = true;
      const std::vector<std::string> words = WordsOf(line);
      for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const bool names_it = words[i + 1].find(label) != std::string::npos;
        if (words[i] == "-L" && !names_it) runs = false;
        if (words[i] == "-LE" && names_it) runs = false;
      }
      if (runs) return true;
    }
  }
  return false;
}

// The labels of the moescope_test lines of a CMakeLists.txt.
std::set<std::string> LabelsOf(const std::string& text) {
  std::set<std::string> labels;
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ')', ' ');
  bool in_labels = false;
  for (const std::string& word : WordsOf(spaced)) {
    if (word == "LABELS") {
      in_labels = true;
    } else if (word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ(") != std::string::npos) {
      in_labels = false;
    } else if (in_labels && word.find('$') == std::string::npos) {
      labels.insert(word);
    }
  }
  return labels;
}

// Writes out "foreach(v a b) ... ${v} ... endforeach()"; one inside another is left alone.
std::string WithoutForeach(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin = text.find("foreach("); begin != std::string::npos;
       begin = text.find("\nforeach(", at)) {
    const std::size_t head_end = text.find(')', begin);
    const std::size_t end = text.find("endforeach()", begin);
    if (head_end == std::string::npos || end == std::string::npos) break;
    out += text.substr(at, begin - at);
    const std::size_t head = text.find('(', begin) + 1;
    const std::vector<std::string> words = WordsOf(text.substr(head, head_end - head));
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::string body = text.substr(head_end + 1, end - head_end - 1);
      const std::string variable = "${" + words[0] + "}";
      for (std::size_t v = body.find(variable); v != std::string::npos; v = body.find(variable)) {
        body.replace(v, variable.size(), words[i]);
      }
      out += body;
    }
    at = end + std::string("endforeach()").size();
  }
  return out + text.substr(at);
}

// Whether a CMakeLists.txt has a test of that source, in its own folder or below.
bool NamesTest(const SourceFile& lists, const std::filesystem::path& test) {
  const std::string folder = std::filesystem::path(lists.path).parent_path().string() + "/";
  const std::string path = test.string();
  if (!path.starts_with(folder)) return false;
  const std::string call = "moescope_test(" + path.substr(folder.size());
  return WithoutForeach(lists.text).find(call) != std::string::npos;
}

}  // namespace

std::vector<EmitterFinding> LintTestTargets(const std::vector<SourceFile>& files,
                                            const std::vector<SourceFile>& ci) {
  std::vector<EmitterFinding> findings;
  for (const SourceFile& file : files) {
    const std::filesystem::path path(file.path);
    if (path.filename() == "CMakeLists.txt") {
      for (const std::string& label : LabelsOf(file.text)) {
        if (IsLabelRun(label, ci)) continue;
        findings.push_back({"EM006", file.path, 0, "no CI step runs the label '" + label + "'"});
      }
      continue;
    }
    const bool is_target = std::any_of(files.begin(), files.end(), [&](const SourceFile& other) {
      return std::filesystem::path(other.path).filename() == "CMakeLists.txt" &&
             NamesTest(other, path);
    });
    if (!is_target) findings.push_back({"EM006", file.path, 0, "is in no test target"});
  }
  return findings;
}

}  // namespace moescope::test
