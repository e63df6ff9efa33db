#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "asm/assembler.h"

// Inputs of about a megabyte that would take forever if any step were quadratic.

namespace moescope::assembler {
namespace {

constexpr double kMostCpuSeconds = 10;

std::string Times(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, line(i), "\n");
  return text;
}

std::string Same(int count, const std::string& line) {
  return Times(count, [&line](int) { return line; });
}

struct Hostile {
  const char* name;
  std::string text;
};

std::vector<Hostile> Inputs() {
  const auto macro = [](int i) { return absl::StrCat(".macro MACRO", i, "\n.endm"); };
  const auto symbol = [](int i) { return absl::StrCat(".equ SYMBOL", i, ", ", i); };
  std::string parameters;
  std::string uses;
  std::string arguments;
  for (int i = 0; i < 20'000; ++i) {
    absl::StrAppend(&parameters, i == 0 ? "" : ", ", "p", i);
    absl::StrAppend(&uses, "\\p", i, " ");
    absl::StrAppend(&arguments, i == 0 ? "" : ", ", i);
  }
  return {
      {"unknown names beside many macros",
       Times(20'000, macro) + Times(50'000, [](int i) { return absl::StrCat("MACRO_", i); })},
      {"undefined symbols beside many symbols",
       Times(30'000, symbol) +
           Times(50'000, [](int i) { return absl::StrCat("S_LUI_INT gp1, SYMBOX", i); })},
      {"many parameters", absl::StrCat(".macro M ", parameters, "\n; ", uses, "\n.endm\nM ",
                                       arguments, "\nC_BREAK\n")},
      {"unknown parameters", absl::StrCat(".macro M a\n", uses, "\n.endm\nC_BREAK\n")},
      {"open loops", Same(50'000, "C_LOOP_START gp1, 2") + "C_LOOP_START gp2, 2\n" +
                         Same(50'000, "S_ADD_INT gp1, gp2, gp1")},
      {"loops that reopen",
       Same(40'000, "C_LOOP_START gp1, 2") + Same(20'000, "C_LOOP_START gp2, 2\nC_LOOP_END gp2")},
      {"malformed markers", Same(60'000, "; @stage=gather pair=x")},
      {"unknown stages", Times(60'000, [](int i) { return absl::StrCat("; @stage=s", i); })},
      {"nested regions", Same(60'000, "; @stage_push=gather")},
      {"nested repetitions", Same(80'000, ".rept 2") + Same(80'000, ".endr")},
      {"nested macros", Same(80'000, ".macro M") + Same(80'000, ".endm")},
      {"open blocks", Same(100'000, ".rept 2")},
      {"missing includes",
       Times(50'000, [](int i) { return absl::StrCat(".include \"", i, "\""); })},
      {"one long expression", absl::StrCat("S_LUI_INT gp1, 1", std::string(1'000'000, '-'), "1")},
      {"one long sum", "S_LUI_INT gp1, 0" + Times(1,
                                                  [](int) {
                                                    std::string sum;
                                                    for (int i = 0; i < 250'000; ++i) sum += " + 0";
                                                    return sum;
                                                  })},
      {"one long list of operands", "S_LUI_INT gp1" + std::string(1'000'000, ',')},
      {"one long name", std::string(1'000'000, 'x')},
      {"one long number", "S_LUI_INT gp1, " + std::string(1'000'000, '9')},
      {"one long comment", "C_BREAK ;" + std::string(1'000'000, '@')},
      {"every line an error", Same(250'000, "#")},
      {"every line a warning", Times(40'000, [](int) { return "S_LUI_INT gp1, 0x3FFFFF"; })},
  };
}

TEST(HostileInputTest, TimeGrowsWithTheInputOnly) {
  for (const Hostile& hostile : Inputs()) {
    for (const std::size_t max_errors : {20u, 0u}) {
      AssembleOptions options;
      options.max_errors = max_errors;
      options.read_file = [](const std::string&) { return absl::NotFoundError("no such file"); };
      const std::clock_t begin = std::clock();
      const absl::StatusOr<Assembly> assembly = Assemble(hostile.text, "a.asm", options);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      EXPECT_LT(seconds, kMostCpuSeconds) << hostile.name;
      if (seconds > 0.5) std::printf("%s: %.2f s\n", hostile.name, seconds);
      EXPECT_TRUE(assembly.ok() || !DiagnosticsOf(assembly.status()).empty()) << hostile.name;
    }
  }
}

}  // namespace
}  // namespace moescope::assembler
