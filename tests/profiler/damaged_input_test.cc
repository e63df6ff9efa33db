// Whatever bytes the readers get, they answer with a result or an error, never with a crash.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "profiler/csv.h"
#include "profiler/diff/diff.h"
#include "profiler/log/commit_log.h"
#include "profiler/log/log_diff.h"
#include "profiler/pc_table.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

// Changes, doubles, removes or exchanges a few pieces of a text.
std::string Damage(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t bound) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(bound, 1));
  };
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(20);
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
        break;
      }
      default:
        text.resize(at);
    }
  }
  return text;
}

void ForDamaged(const std::string& text, int rounds,
                const std::function<void(const std::string&)>& body) {
  std::mt19937 random(2024);
  for (int i = 0; i < rounds; ++i) body(Damage(text, random));
}

ByteSource Source(const std::string& text) {
  return [&text, at = std::size_t{0}](char* buffer,
                                      std::size_t size) mutable -> absl::StatusOr<std::size_t> {
    const std::size_t count = text.copy(buffer, size, std::min(at, text.size()));
    at += count;
    return count;
  };
}

TEST(DamagedInputTest, Profiles) {
  const std::string good = ProfileText(test::RichProfile());
  int readable = 0;
  ForDamaged(good, 400, [&](const std::string& text) {
    const absl::StatusOr<Verification> verification = VerifyProfile(text);
    if (text == good) return;
    EXPECT_TRUE(!verification.ok() || !verification->failures.empty());
    const absl::StatusOr<Profile> profile = ReadProfile(text);
    if (!profile.ok()) return;
    ++readable;
    for (const std::string_view format : kReportFormats) {
      ReportOptions options;
      options.format = format;
      (void)Report(*profile, options);
    }
    for (const char* table :
         {"stages", "reasons", "units", "opcodes", "pairs", "experts", "hot", "timeline"}) {
      (void)Report(*profile, {.format = "csv", .table = table});
    }
    DiffOptions options;
    options.allow = {"isa", "model", "machine", "clock", "incomplete"};
    const absl::StatusOr<Diff> diff = DiffProfiles({"a", good}, {"b", text}, options);
    if (!diff.ok()) return;
    (void)DiffText(*diff);
    (void)DiffMarkdown(*diff);
    (void)DiffJson(*diff);
  });
  EXPECT_GT(readable, 10);
}

TEST(DamagedInputTest, PublicStageProfiles) {
  const std::string good = *Report(test::RichProfile(), {.format = "stage_profile_v2"});
  const std::string profile = ProfileText(test::RichProfile());
  ForDamaged(good, 400, [&](const std::string& text) {
    DiffOptions options;
    for (const bool in_ns : {false, true}) {
      options.in_ns = in_ns;
      const absl::StatusOr<Diff> diff = DiffProfiles({"a", profile}, {"b", text}, options);
      if (diff.ok()) (void)DiffText(*diff);
    }
  });
}

TEST(DamagedInputTest, PcTables) {
  const test::RecordedRun run = test::RichRun();
  const Profile profile = run.profile();
  const std::string good =
      PcTableText(MakePcTable(run.recorder->recording(), isa::InstructionSet::Builtin()));
  int readable = 0;
  ForDamaged(good, 1000, [&](const std::string& text) {
    const absl::StatusOr<PcTable> table = ReadPcTable(text);
    if (!table.ok()) return;
    ++readable;
    for (const char* format : {"annotated", "collapsed", "speedscope", "stage_profile_v2"}) {
      ReportOptions options;
      options.format = format;
      options.pc_table = &*table;
      (void)Report(profile, options);
    }
  });
  EXPECT_GT(readable, 10);
}

TEST(DamagedInputTest, CommitLogs) {
  const isa::Program program =
      test::ProgramBuilder().Stage("gather", 0).Emit("V_ADD_VV", 3).Build();
  std::string good;
  CommitLog log(
      [&good](std::string_view bytes) {
        good += bytes;
        return absl::OkStatus();
      },
      {});
  log.OnBegin(test::Describe(program));
  for (std::uint32_t i = 0; i < 40; ++i) {
    log.OnAccepted({i, i % 3, i});
    log.OnEffect({emulator::Effect::Kind::kIntegerRegister, 1, 1, i, {}});
  }
  log.OnEnd({});
  int differences = 0;
  ForDamaged(good, 1000, [&](const std::string& text) {
    for (const bool ignore : {false, true}) {
      LogDiffOptions options;
      if (ignore) options.ignore = {"cycle", "stage"};
      const absl::StatusOr<LogDiff> diff = DiffLogs(Source(good), Source(text), options);
      if (!diff.ok()) continue;
      differences += diff->difference.has_value();
      (void)LogDiffText(*diff);
    }
  });
  EXPECT_GT(differences, 100);
}

TEST(DamagedInputTest, CsvTexts) {
  ForDamaged("a,\"b\"\"c\",d\r\n1,2,\"x\r\ny\"\r\n", 2000,
             [](const std::string& text) { (void)ParseCsv(text); });
}

TEST(DamagedInputTest, RandomBytes) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    EXPECT_FALSE(ReadProfile(text).ok());
    EXPECT_FALSE(ReadPcTable(text).ok());
    EXPECT_FALSE(DiffLogs(Source(text), Source(text), {}).ok());
    (void)ParseTolerance(text);
    (void)ParseLogFilter(text);
  }
}

}  // namespace
}  // namespace moescope::profiler
