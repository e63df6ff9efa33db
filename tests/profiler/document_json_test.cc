#include "profiler/document_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "profiler/json_text.h"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Problems(std::string_view text) {
  const absl::StatusOr<ParsedJson> parsed = ParseJson(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? parsed->problems : std::vector<std::string>{"not JSON"};
}

std::string Error(std::string_view text) {
  const absl::StatusOr<ParsedJson> parsed = ParseJson(text);
  EXPECT_FALSE(parsed.ok()) << text;
  return std::string(parsed.status().message());
}

TEST(DocumentJsonTest, KeepsOrderAndText) {
  const std::string text = "{\n  \"z\": 1,\n  \"a\": [\n    true,\n    null,\n    \"é\"\n  ]\n}\n";
  const absl::StatusOr<ParsedJson> parsed = ParseJson(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(parsed->problems, IsEmpty());
  EXPECT_EQ(PrettyText(parsed->value), text);
  EXPECT_EQ(CompactText(parsed->value), "{\"z\":1,\"a\":[true,null,\"é\"]}");
}

TEST(DocumentJsonTest, ScalarsAreDocumentsToo) {
  EXPECT_EQ(PrettyText(ParseJson("7")->value), "7\n");
  EXPECT_EQ(PrettyText(ParseJson("{}")->value), "{}\n");
  EXPECT_EQ(PrettyText(ParseJson("[]")->value), "[]\n");
}

TEST(DocumentJsonTest, ProblemsNameTheirPlace) {
  EXPECT_THAT(Problems("1.5"), ElementsAre("floating-point number in the top level"));
  EXPECT_THAT(Problems("1e3"), ElementsAre("floating-point number in the top level"));
  EXPECT_THAT(Problems("-1"), ElementsAre("negative number in the top level"));
  EXPECT_THAT(Problems(R"({"a": {"b": [1, {"c": 2.0}]}})"),
              ElementsAre("floating-point number in /a/b/1/c"));
  EXPECT_THAT(Problems(R"({"a": 1, "b": 2, "a": 3})"),
              ElementsAre("duplicate key 'a' in the top level"));
  EXPECT_THAT(Problems(R"({"x": [{"k": 1, "k": 1}]})"), ElementsAre("duplicate key 'k' in /x/0"));
  EXPECT_THAT(Problems(R"({"x": 18446744073709551616})"),
              ElementsAre("floating-point number in /x"));
  EXPECT_THAT(Problems(R"({"x": 18446744073709551615})"), IsEmpty());
}

TEST(DocumentJsonTest, OnlyTheFirstProblemsAreKept) {
  std::string text = "[0.5";
  for (int i = 0; i < 100; ++i) text += ",0.5";
  EXPECT_THAT(Problems(text + "]"), SizeIs(20));
}

TEST(DocumentJsonTest, ErrorsHaveLineAndColumn) {
  EXPECT_EQ(Error("").substr(0, 28), "not JSON: line 1, column 1: ");
  EXPECT_EQ(Error("{\n  \"a\": 1,\n}").substr(0, 28), "not JSON: line 3, column 1: ");
  EXPECT_EQ(Error("{} x").substr(0, 28), "not JSON: line 1, column 4: ");
  EXPECT_EQ(Error("\"\xFF\"").substr(0, 10), "not JSON: ");
  EXPECT_EQ(Error(std::string(65, '[')), "not JSON: nested deeper than 64 levels");
  EXPECT_TRUE(ParseJson(std::string(64, '[') + std::string(64, ']')).ok());
}

TEST(DocumentJsonTest, LargeObjectsTakeLinearTime) {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 200'000; ++i) absl::StrAppend(&text, ",\"", i, "\":", i);
  const absl::StatusOr<ParsedJson> parsed = ParseJson(text + "}");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->value.size(), 200'001u);
}

TEST(JsonStringTest, QuotesAndRepairs) {
  EXPECT_EQ(JsonString("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"");
  EXPECT_EQ(JsonString("\xFF"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(JsonString(""), "\"\"");
}

// ---- Profiles -----------------------------------------------------------------------------------

// The profile text with one piece replaced.
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ReadError(const std::string& text) {
  const absl::StatusOr<Profile> profile = ReadProfile(text);
  EXPECT_FALSE(profile.ok());
  return std::string(profile.status().message());
}

TEST(ReadProfileTest, ErrorsNameThePath) {
  const std::string good = ProfileText(test::RichProfile());
  const struct {
    const char* from;
    const char* to;
    const char* error;
  } rows[] = {
      {"\"complete\": true", "\"complete\": 1", "/complete is not true or false"},
      {"\"cycle\": 245", "\"cycle\": -1", "/end/cycle is not an integer from 0 to 2^53 - 1"},
      {"\"cycle\": 245", "\"cycle\": 9007199254740992",
       "/end/cycle is not an integer from 0 to 2^53 - 1"},
      {"\"cycle\": 245", "\"cycle\": \"245\"", "/end/cycle is not an integer from 0 to 2^53 - 1"},
      {"\"version\": \"0.1.0\"", "\"versiom\": \"\"", "/tool/version is missing"},
      {"\"attribution\": \"markers\"", "\"attribution\": 3", "/program/attribution is not a text"},
      {"\"labels\": {", "\"labels\": [], \"more\": {", "/labels is not an object"},
      {"\"unresolved_markers\": []", "\"unresolved_markers\": {}",
       "/program/unresolved_markers is not an array"},
      {"\"inclusive\": {", "\"included\": {", "/stages/0/inclusive is missing"},
      {"\"V_TOPK\": {", "\"V_TOPK\": 1, \"X\": {", "/stages/0/opcodes is not an object"},
      {"\"instances\": 1", "\"instances\": null",
       "/model/units/instances is not an integer from 0 to 2^53 - 1"},
      {"\"hbm_read_bytes\": [", "\"hbm_read_bytes\": [[],",
       "/timeline/hbm_read_bytes/0 is not an integer from 0 to 2^53 - 1"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ReadError(Replaced(good, row.from, row.to)), row.error) << row.to;
  }
}

TEST(ReadProfileTest, UnknownKeysAreIgnored) {
  const std::string good = ProfileText(test::RichProfile());
  std::string more =
      Replaced(good, "\"complete\": true", "\"new\": {\"a\": 1}, \"complete\": true");
  more = Replaced(more, "\"schema_minor\": 0", "\"schema_minor\": 7");
  const absl::StatusOr<Profile> profile = ReadProfile(more);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->schema_minor, 7u);
  EXPECT_EQ(profile->totals.counters.cycles, 245u);
}

TEST(ReadProfileTest, ANewerVersionIsRefused) {
  const std::string good = ProfileText(test::RichProfile());
  EXPECT_EQ(ReadError(Replaced(good, "\"schema_version\": 1", "\"schema_version\": 2")),
            "schema_version 2 is newer than 1, the latest that this tool reads");
}

TEST(WriteProfileTest, RefusesWhatIsWrong) {
  Profile profile = test::RichProfile();
  profile.stages[0].counters.cycles += 1;
  const absl::StatusOr<std::string> text = WriteProfile(profile);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), absl::StatusCode::kInternal);
  const std::string message(text.status().message());
  const std::string expected =
      "the profile breaks its invariants:\nPV02: cycles: stages sum != totals (246 != 245)\n";
  EXPECT_EQ(message.substr(0, expected.size()), expected);
}

TEST(WriteProfileTest, RefusesCountsBeyond53Bits) {
  Profile profile = test::RichProfile();
  profile.end.limit = std::uint64_t{1} << 53;
  EXPECT_FALSE(WriteProfile(profile).ok());
}

TEST(WriteProfileTest, HostIsWrittenButNotHashed) {
  Profile profile = test::SerialProfile();
  const std::string plain = *WriteProfile(profile);
  profile.host = Host{1, 2, 3, 4};
  const std::string with_host = *WriteProfile(profile);
  EXPECT_NE(plain, with_host);
  const absl::StatusOr<Profile> read = ReadProfile(with_host);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->host->cycles_per_s, 3u);
  EXPECT_EQ(read->profile_sha256, ReadProfile(plain)->profile_sha256);
}

TEST(WriteProfileTest, TextsThatAreNotUtf8AreRepaired) {
  Profile profile = test::SerialProfile();
  profile.labels = {{"name", "caf\xE9"}};
  const absl::StatusOr<std::string> text = WriteProfile(profile);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(ReadProfile(*text)->labels[0].second, "caf\xEF\xBF\xBD");
}

TEST(HashTest, CanonicalForms) {
  // SHA-256 of "{}" and of "[]".
  EXPECT_EQ(EffectiveHash({}),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  EXPECT_EQ(VocabularyHash({}),
            "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  EXPECT_NE(EffectiveHash({{.key = "a", .number = 1}}), EffectiveHash({{.key = "a", .number = 2}}));
  EXPECT_NE(EffectiveHash({{.key = "a", .number = 1}}),
            EffectiveHash({{.key = "a", .is_text = true, .text = "1"}}));
  EXPECT_NE(VocabularyHash({{"a", "builtin", "pair"}}),
            VocabularyHash({{"a", "builtin", "layer"}}));
}

}  // namespace
}  // namespace moescope::profiler
