// The one-way order of the folders and the places of third-party headers, read off every #include
// of the tree; the table below is the rule, docs/decisions/0001-layout.md says why. And that no
// kernel was made by copying another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "tests/support/project_folders.h"

namespace moescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the files below a folder may include from the project. An entry ending in '/' is a folder,
// any other entry one header. The first row whose folder is a prefix of the path decides.
struct FolderRule {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

const std::vector<FolderRule>& FolderRules() {
  static const auto& rules = *new std::vector<FolderRule>{
      {"base/", {"base/"}},
      {"isa/", {"base/", "isa/"}},
      {"asm/", {"base/", "isa/", "stages/", "asm/"}},
      {"stages/", {"base/", "isa/", "stages/"}},
      {"emulator/", {"base/", "isa/", "emulator/"}},
      {"profiler/", {"base/", "isa/", "stages/", "emulator/event.h", "profiler/"}},
      {"moe/", {"base/", "isa/", "asm/", "stages/", "emulator/machine.h", "moe/"}},
      {"cuda/", {"base/", "moe/", "cuda/"}},
      {"cli/session/",
       {"base/", "isa/", "asm/", "stages/", "emulator/", "profiler/", "moe/", "cuda/",
        "cli/session/"}},
      {"cli/",
       {"base/", "isa/", "asm/", "stages/", "emulator/", "profiler/", "moe/", "cuda/", "cli/"}},
      {"examples/",
       {"base/", "isa/", "asm/", "stages/", "emulator/", "profiler/", "moe/", "cuda/", "cli/",
        "examples/"}},
      {"bench/",
       {"base/", "isa/", "asm/", "stages/", "emulator/", "profiler/", "moe/", "cuda/", "cli/",
        "bench/", "tests/support/"}},
      {"tests/",
       {"base/", "isa/", "asm/", "stages/", "emulator/", "profiler/", "moe/", "cuda/", "cli/",
        "tests/"}},
  };
  return rules;
}

// Top-level folders of the project: a quoted include that starts with one of them is ours.
bool IsOurs(std::string_view header) {
  for (const FolderRule& rule : FolderRules()) {
    const std::string_view top = rule.folder.substr(0, rule.folder.find('/') + 1);
    if (absl::StartsWith(Absl(header), Absl(top))) return true;
  }
  return false;
}

// A library whose headers may appear only in some files. Tests may use all of them.
struct LibraryRule {
  std::string_view prefix;  // of the included header
  std::string_view name;
  std::string_view place;  // for the message
  bool (*allowed)(std::string_view path);
};

bool HasStemSuffix(std::string_view path, std::string_view suffix) {
  return absl::EndsWith(Absl(path), absl::StrCat(Absl(suffix), ".h")) ||
         absl::EndsWith(Absl(path), absl::StrCat(Absl(suffix), ".cc"));
}
bool InFolder(std::string_view path, std::string_view folder) {
  return absl::StartsWith(Absl(path), Absl(folder));
}

constexpr LibraryRule kLibraryRules[] = {
    {"nlohmann/", "nlohmann_json", "*_json.{h,cc} and base/json.h",
     [](std::string_view path) { return path == "base/json.h" || HasStemSuffix(path, "_json"); }},
    {"toml++/", "toml++", "*_toml.{h,cc}",
     [](std::string_view path) { return HasStemSuffix(path, "_toml"); }},
    {"boost/", "Boost", "cli/ without cli/session/",
     [](std::string_view path) {
       return InFolder(path, "cli/") && !InFolder(path, "cli/session/");
     }},
    {"Eigen/", "Eigen", "moe/reference/*.cc",
     [](std::string_view path) {
       return InFolder(path, "moe/reference/") && absl::EndsWith(Absl(path), ".cc");
     }},
    {"cuda", "CUDA", "files of cuda/ other than its .h",
     [](std::string_view path) {
       return InFolder(path, "cuda/") && !absl::EndsWith(Absl(path), ".h");
     }},
    {"benchmark/", "Google Benchmark", "bench/",
     [](std::string_view path) { return InFolder(path, "bench/"); }},
    {"gtest/", "GoogleTest", "tests/ and cuda/*_test.*",
     [](std::string_view path) { return absl::StrContains(Absl(path), "_test."); }},
};

// The header named by an #include line, with its opening character ('"' or '<') in front; empty
// when the line is none.
std::string IncludedHeader(std::string_view line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos || line.substr(at, 7) != "include") return "";
  const std::size_t open = line.find_first_of("\"<", at + 7);
  if (open == std::string_view::npos) return "";
  const std::size_t close = line.find(line[open] == '"' ? '"' : '>', open + 1);
  if (close == std::string_view::npos) return "";
  return std::string(line.substr(open, close - open));
}

const FolderRule* RuleFor(std::string_view path) {
  for (const FolderRule& rule : FolderRules()) {
    if (InFolder(path, rule.folder)) return &rule;
  }
  return nullptr;
}

bool MayInclude(const FolderRule& rule, std::string_view header) {
  return std::any_of(rule.may_include.begin(), rule.may_include.end(), [&](std::string_view entry) {
    return entry.back() == '/' ? InFolder(header, entry) : header == entry;
  });
}

// What is wrong with one include of a file; empty when nothing is.
std::string Violation(std::string_view path, std::string_view include) {
  const std::string_view header = include.substr(1);
  if (absl::StrContains(Absl(header), "..")) return "include paths start at the repository root";
  const FolderRule* rule = RuleFor(path);
  if (rule == nullptr) return "the file lies in no folder of the layout";
  if (IsOurs(header) && !MayInclude(*rule, header)) {
    return absl::StrCat(Absl(rule->folder), " may not include this");
  }
  if (IsOurs(header) || InFolder(path, "tests/")) return "";
  for (const LibraryRule& library : kLibraryRules) {
    if (InFolder(header, library.prefix) && !library.allowed(path)) {
      return absl::StrCat(Absl(library.name), " belongs in ", Absl(library.place));
    }
  }
  return "";
}

// "path:line: "header": rule" for every include of `text` that breaks a rule.
std::vector<std::string> Violations(const std::string& path, const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string include = IncludedHeader(line);
    if (include.empty()) continue;
    const std::string violation = Violation(path, include);
    if (violation.empty()) continue;
    found.push_back(absl::StrCat(path, ":", number, ": ", include.substr(1), ": ", violation));
  }
  return found;
}

std::vector<std::string> SourceFiles() {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const auto& top : fs::directory_iterator(test::SourceFolder())) {
    const std::string name = top.path().filename().string();
    if (!top.is_directory() || name == "build" || name.front() == '.') continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cc" || extension == ".cu" || extension == ".cuh") {
        paths.push_back(fs::relative(entry.path(), test::SourceFolder()).string());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string ReadSource(const std::string& path) {
  std::ifstream file(absl::StrCat(test::SourceFolder(), "/", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(LayeringTest, TheTreeKeepsTheOrder) {
  const std::vector<std::string> paths = SourceFiles();
  ASSERT_GT(paths.size(), 20u) << "the tree was not found at " << test::SourceFolder();
  std::size_t includes = 0;
  for (const std::string& path : paths) {
    const std::string text = ReadSource(path);
    EXPECT_THAT(Violations(path, text), IsEmpty());
    includes += text.find("#include") != std::string::npos;
  }
  EXPECT_GT(includes, 15u) << "the includes were not read";
}

struct Seeded {
  const char* path;
  const char* line;
  const char* violation;  // empty: allowed
};

constexpr Seeded kSeeded[] = {
    {"base/file.cc", "#include \"isa/program.h\"", "base/ may not include this"},
    {"isa/program.cc", "#include \"base/status.h\"", ""},
    {"isa/program.cc", "#include \"asm/builder.h\"", "isa/ may not include this"},
    {"isa/instructions/vector.h", "#include \"stages/stage.h\"", "isa/ may not include this"},
    {"asm/assembler.cc", "#include \"stages/stage_table.h\"", ""},
    {"asm/assembler.cc", "#include \"emulator/event.h\"", "asm/ may not include this"},
    {"stages/lint.cc", "#include \"asm/assembler.h\"", "stages/ may not include this"},
    {"emulator/executor.cc", "#include \"asm/disassembler.h\"", "emulator/ may not include this"},
    {"emulator/executor.cc", "  #  include \"stages/stage.h\"", "emulator/ may not include this"},
    {"profiler/profile.cc", "#include \"emulator/event.h\"", ""},
    {"profiler/profile.cc", "#include \"emulator/machine.h\"", "profiler/ may not include this"},
    {"moe/layer.cc", "#include \"emulator/machine.h\"", ""},
    {"moe/layer.cc", "#include \"emulator/event.h\"", "moe/ may not include this"},
    {"moe/layer.cc", "#include \"profiler/profile.h\"", "moe/ may not include this"},
    {"cuda/layer.cu", "#include \"moe/layer.h\"", ""},
    {"cuda/layer.cu", "#include \"isa/program.h\"", "cuda/ may not include this"},
    {"cli/session/run.cc", "#include \"emulator/executor.h\"", ""},
    {"cli/session/run.cc", "#include \"cli/option.h\"", "cli/session/ may not include this"},
    {"cli/run.cc", "#include \"cli/session/run.h\"", ""},
    {"cli/run.cc", "#include \"tests/support/x.h\"", "cli/ may not include this"},
    {"util/x.cc", "#include <vector>", "the file lies in no folder of the layout"},
    {"asm/x.cc", "#include \"../isa/x.h\"", "include paths start at the repository root"},
    {"isa/program.cc", "#include <nlohmann/json.hpp>",
     "nlohmann_json belongs in *_json.{h,cc} and base/json.h"},
    {"isa/program_json.cc", "#include <nlohmann/json.hpp>", ""},
    {"base/json.h", "#include \"nlohmann/json.hpp\"", ""},
    {"emulator/machine.cc", "#include <toml++/toml.h>", "toml++ belongs in *_toml.{h,cc}"},
    {"emulator/machine_toml.cc", "#include <toml++/toml.h>", ""},
    {"cli/session/run.cc", "#include <boost/program_options.hpp>",
     "Boost belongs in cli/ without cli/session/"},
    {"cli/arguments.cc", "#include <boost/program_options.hpp>", ""},
    {"asm/lexer.cc", "#include <boost/program_options.hpp>",
     "Boost belongs in cli/ without cli/session/"},
    {"moe/reference/layer.cc", "#include <Eigen/Core>", ""},
    {"moe/reference/layer.h", "#include <Eigen/Core>", "Eigen belongs in moe/reference/*.cc"},
    {"emulator/executor.cc", "#include <Eigen/Core>", "Eigen belongs in moe/reference/*.cc"},
    {"cuda/layer.h", "#include <cuda_runtime.h>",
     "CUDA belongs in files of cuda/ other than its .h"},
    {"cuda/layer.cu", "#include <cuda_runtime.h>", ""},
    {"isa/mx.cc", "#include <cuda_fp8.h>", "CUDA belongs in files of cuda/ other than its .h"},
    {"isa/mx.cc", "#include <gtest/gtest.h>", "GoogleTest belongs in tests/ and cuda/*_test.*"},
    {"asm/x.cc", "#include <benchmark/benchmark.h>", "Google Benchmark belongs in bench/"},
    {"tests/isa/mx_test.cc", "#include <cuda_fp8.h>", ""},
    {"tests/isa/mx_test.cc", "#include \"cli/session/run.h\"", ""},
    {"asm/x.cc", "// see \"emulator/event.h\"", ""},
};

TEST(LayeringTest, SeededIncludesAreJudged) {
  for (const Seeded& seeded : kSeeded) {
    SCOPED_TRACE(absl::StrCat(seeded.path, ": ", seeded.line));
    const std::string text = absl::StrCat("// one\n", seeded.line, "\n");
    const std::vector<std::string> found = Violations(seeded.path, text);
    if (*seeded.violation == '\0') {
      EXPECT_THAT(found, IsEmpty());
    } else {
      const std::string header = IncludedHeader(seeded.line).substr(1);
      EXPECT_THAT(found,
                  ElementsAre(absl::StrCat(seeded.path, ":2: ", header, ": ", seeded.violation)));
    }
  }
}

// ---- kernels (cuda.md, Q8): no second copy of one ----

// Names of the templates at namespace scope, in their order; specialisations included.
std::vector<std::string> TemplateNames(std::string_view text) {
  std::vector<std::string> names;
  const std::string all = absl::StrCat("\n", Absl(text));
  for (std::size_t at = all.find("\ntemplate <"); at != std::string::npos;
       at = all.find("\ntemplate <", at + 1)) {
    int depth = 0;
    std::size_t end = all.find('<', at);
    do {
      if (end == std::string::npos) return names;
      depth += all[end] == '<' ? 1 : -1;
      end = all.find_first_of("<>", end + 1);
    } while (depth > 0);
    // The declared name is the first one that an argument list, a body or a value follows.
    static const std::regex declared(R"((\w+)(<[^<>]*>)?\s*[({=;])");
    const std::size_t close = all.rfind('>', end == std::string::npos ? end : end - 1);
    for (std::sregex_iterator i(all.begin() + static_cast<std::ptrdiff_t>(close), all.end(),
                                declared);
         i != std::sregex_iterator(); ++i) {
      const std::string name = (*i)[1];
      if (name.starts_with("__")) continue;  // __launch_bounds__(...)
      names.push_back(name);
      break;
    }
  }
  return names;
}

struct KernelSource {
  std::string path;
  std::string text;
};

// Kernel files that are too long, and templates of more than one header.
std::vector<std::string> CopiedKernels(const std::vector<KernelSource>& sources) {
  constexpr std::ptrdiff_t kLongest = 400;
  std::vector<std::string> found;
  std::map<std::string, std::string> header_of;
  for (const KernelSource& source : sources) {
    const std::ptrdiff_t lines = std::count(source.text.begin(), source.text.end(), '\n');
    if (source.path.ends_with(".cu") && lines > kLongest) {
      found.push_back(absl::StrCat(source.path, ": ", lines, " lines, at most ", kLongest));
    }
    if (!source.path.ends_with(".cuh")) continue;
    for (const std::string& name : TemplateNames(source.text)) {
      const auto [other, is_new] = header_of.emplace(name, source.path);
      if (is_new || other->second == source.path) continue;
      found.push_back(absl::StrCat(source.path, ": template ", name, " is in ", other->second));
    }
  }
  return found;
}

TEST(LayeringTest, NoKernelIsACopyOfAnother) {
  std::vector<KernelSource> sources;
  std::size_t templates = 0;
  for (const std::string& path : SourceFiles()) {
    if (!path.starts_with("cuda/kernels/") && !path.starts_with("cuda/device/")) continue;
    sources.push_back({path, ReadSource(path)});
    if (path.ends_with(".cuh")) templates += TemplateNames(sources.back().text).size();
  }
  EXPECT_GT(templates, 30u) << "the templates were not read";
  EXPECT_THAT(CopiedKernels(sources), IsEmpty());
}

TEST(LayeringTest, SeededKernelsAreJudged) {
  const std::string text =
      "template <typename T, std::array<int, 2> kA>\nstruct Ring {\n  template <int k>\n"
      "  void Inside();\n};\ntemplate <>\nstruct Mma<16> {};\n"
      "template <int kBlocks>\n__global__ void __launch_bounds__(256)\n    Kernel(int a) {}\n"
      "template <typename Traits>\nusing Sums = float[Traits::kTokens / 2];\n";
  EXPECT_THAT(TemplateNames(text), ElementsAre("Ring", "Mma", "Kernel", "Sums"));
  EXPECT_THAT(CopiedKernels({{"cuda/a.cuh", text}, {"cuda/b.cu", text}}), IsEmpty());
  EXPECT_THAT(CopiedKernels({{"cuda/a.cuh", text}, {"cuda/b.cuh", "template <int k>\nclass Mma;"}}),
              ElementsAre("cuda/b.cuh: template Mma is in cuda/a.cuh"));
  EXPECT_THAT(CopiedKernels({{"cuda/a.cu", std::string(400, '\n')}}), IsEmpty());
  EXPECT_THAT(CopiedKernels({{"cuda/a.cu", std::string(401, '\n')}}),
              ElementsAre("cuda/a.cu: 401 lines, at most 400"));
}

}  // namespace
}  // namespace moescope
