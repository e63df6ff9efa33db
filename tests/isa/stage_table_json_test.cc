#include "isa/stage_table_json.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_replace.h"
#include "base/diagnostic.h"

namespace moescope::isa {
namespace {

Program Marked() {
  Program program = ProgramFromWords({0x00014062, 0x00004801});
  program.names = {{"unattributed", StageOrigin::kBucket, StageScope::kLayer, ""},
                   {"gather", StageOrigin::kBuiltin, StageScope::kPair, ""},
                   {"extra", StageOrigin::kExtension, StageScope::kLayer, "gather"}};
  program.ranges = {
      {.begin_pc = 0, .end_pc = 1},
      {.begin_pc = 1, .end_pc = 2, .name = 1, .pair = 3, .expert = 5, .file = 0, .line = 2},
      {.begin_pc = 2, .end_pc = 2, .name = 2, .parent = 1, .file = 0, .line = 4}};
  program.attribution = AttributionSource::kMarkers;
  program.files = {"a.asm"};
  program.unresolved_markers = {"foo"};
  return program;
}

TEST(StageTableJsonTest, GivesBareWordsTheirTable) {
  const Program marked = Marked();
  Program bare = ProgramFromWords(marked.words);
  const absl::Status status = ReadStageTableJson(WriteStageTableJson(marked), "s.json", bare);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(bare.attribution, AttributionSource::kSidecar);
  bare.attribution = marked.attribution;
  EXPECT_EQ(bare, marked);
}

TEST(StageTableJsonTest, FilesOfTheProgramKeepTheirNumbers) {
  Program bare = ProgramFromWords(Marked().words);
  bare.files = {"other.asm"};
  bare.positions = {{0, 1, 1}, {0, 2, 1}};
  ASSERT_TRUE(ReadStageTableJson(WriteStageTableJson(Marked()), "s.json", bare).ok());
  EXPECT_EQ(bare.files, (std::vector<std::string>{"other.asm", "a.asm"}));
  EXPECT_EQ(bare.ranges[1].file, 1u);
  EXPECT_EQ(bare.PlaceOf(1), "other.asm:2:1");
}

struct Change {
  const char* from;
  const char* to;
  std::string error;
};

TEST(StageTableJsonTest, EachWrongFieldIsNamed) {
  const std::string words_hash = Marked().WordsHash();
  const std::string table_hash = Marked().StageTableHash();
  const std::vector<Change> changes = {
      {"moescope.stage_table", "moescope.profile",
       "'moescope.profile' version 1; this build reads 'moescope.stage_table' version 1 [PC011]"},
      {"\"schema_version\": 1", "\"schema_version\": 2",
       "'moescope.stage_table' version 2; this build reads 'moescope.stage_table' version 1 "
       "[PC011]"},
      {"\"schema\":", "\"scheme\":", "'/schema' is missing [PC010]"},
      {"\"words\": 2", "\"words\": 3", "the stage table is for 3 words, the program has 2 [PC012]"},
      {"\"words\": 2", "\"words\": -1", "'/words' is not a number from 0 to 4294967294 [PC010]"},
      {"\"words\": 2", "\"words\": 4294967295",
       "'/words' is not a number from 0 to 4294967294 [PC010]"},
      {"\"words\": 2", "\"words\": 2.0", "'/words' is not a number from 0 to 4294967294 [PC010]"},
      {"\"words_hash\": \"sha256:", "\"words_hash\": \"sha256:0",
       "the stage table is for the words with hash sha256:0" + words_hash.substr(7) +
           ", those of the program have " + words_hash + " [PC013]"},
      {"\"pair\": 3", "\"pair\": 4", ""},
      {"\"pair\": 3", "\"pear\": 3",
       "'/ranges/1/pear' is unknown; known: begin_pc, end_pc, name, pair, expert, parent, file, "
       "line [PC010]"},
      {"\"end_pc\": 1", "\"end_pc\": 0",
       "inconsistent stage table: stage range 1 begins at pc 1 instead of 0 [PC014]"},
      {"\"builtin\"", "\"built-in\"",
       "'/names/1/origin' 'built-in' is none of bucket, builtin, extension [PC010]"},
      {"\"name\": \"extra\"", "\"name\": \"x\\ny\"",
       "inconsistent stage table: a stage has no legal name [PC014]"},
      {"\"name\": \"extra\"", "\"name\": \"gather\"",
       "inconsistent stage table: stage 'gather' is named twice [PC014]"},
      {"\"unresolved_markers\": [\n    \"foo\"", "\"unresolved_markers\": [\n    7",
       "'/unresolved_markers' holds something that is not a text [PC010]"},
      {"\"parent\": 1", "\"parent\": 2",
       "inconsistent stage table: stage range 2 has a parent that does not precede it [PC014]"},
      {"\"pair\": 3", "\"pair\": 2147483648",
       "inconsistent stage table: stage range 1 has a pair or expert above 2147483647 [PC014]"},
  };
  for (const Change& change : changes) {
    const std::string original = WriteStageTableJson(Marked());
    const std::size_t at = original.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    std::string text = original;
    text.replace(at, std::string(change.from).size(), change.to);
    Program bare = ProgramFromWords(Marked().words);
    const absl::Status status = ReadStageTableJson(text, "s.json", bare);
    EXPECT_EQ(bare, ProgramFromWords(Marked().words)) << change.to;
    if (change.error.empty()) {
      EXPECT_TRUE(
          std::string(status.message()).ends_with("the file says " + table_hash + " [PC013]"))
          << status;
    } else {
      EXPECT_EQ(std::string(status.message()), "s.json: error: " + change.error);
    }
  }
}

TEST(StageTableJsonTest, MutatedBytesNeverCrash) {
  std::mt19937 random(1);
  const std::string original = WriteStageTableJson(Marked());
  for (int round = 0; round < 3000; ++round) {
    std::string text = original;
    for (std::size_t changes = random() % 3 + 1; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    Program bare = ProgramFromWords(Marked().words);
    if (ReadStageTableJson(text, "s.json", bare).ok()) {
      ASSERT_TRUE(Validate(bare).ok());
    }
  }
}

}  // namespace
}  // namespace moescope::isa
