#include "cli/session/isa_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/session/exit_code.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kManifest[] =
    "{\"schema\": \"moescope.run\", \"schema_version\": 1, \"program\": {\"file\": \"p.asm\"},\n"
    " \"machine\": {\"timing\": \"rtl\"}}";

class IsaCorpusTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, std::string_view text = "C_BREAK\n") {
    const std::string path = folder_.Path(name);
    std::filesystem::create_directories(path.substr(0, path.rfind('/')));
    folder_.Write(name, text);
  }
  // "NAME run|still text|words" of each entry.
  std::vector<std::string> Found(const std::vector<std::string>& places) {
    const absl::StatusOr<std::vector<CorpusEntry>> corpus = FindCorpus(places);
    EXPECT_TRUE(corpus.ok()) << corpus.status();
    std::vector<std::string> found;
    if (!corpus.ok()) return found;
    for (const CorpusEntry& entry : *corpus) {
      found.push_back(entry.name + (entry.can_run ? " run" : " still") +
                      (entry.has_text ? " text" : " words"));
    }
    return found;
  }
  std::string Error(const std::vector<std::string>& places) {
    const auto corpus = FindCorpus(places);
    EXPECT_EQ(ExitCodeOf(corpus.status()), ExitCode::kInput);
    return std::string(corpus.status().message());
  }

  test::ScratchFolder folder_;
};

TEST_F(IsaCorpusTest, AManifestStandsForItsFolder) {
  Write("a/run.json", kManifest);
  Write("a/p.asm");
  Write("a/other.asm");
  Write("a/p.mem", "0x00000034\n");
  EXPECT_THAT(Found({folder_.path()}), ElementsAre("a/run.json run text"));
  const auto corpus = FindCorpus({{folder_.path()}});
  EXPECT_EQ((*corpus)[0].request.program.file, folder_.Path("a/p.asm"));
  EXPECT_EQ((*corpus)[0].request.machine.timing, "rtl");
  EXPECT_TRUE((*corpus)[0].request.program.force_isa);
}

TEST_F(IsaCorpusTest, SeveralManifestsOfOneFolderAreSeveralEntries) {
  Write("two.json", kManifest);
  Write("one.json", kManifest);
  Write("schema.json", "{\"schema\": \"moescope.isa\"}");
  Write("broken.json", "{");
  EXPECT_THAT(Found({folder_.path()}), ElementsAre("one.json run text", "two.json run text"));
}

TEST_F(IsaCorpusTest, ProgramsWithoutManifestAreNotRun) {
  Write("b/x.asm");
  Write("b/x.mem", "0x00000034\n");  // beside its source
  Write("b/y.mem", "0x00000034\n");
  Write("b/z.bin", std::string("\x34\0\0\0", 4));
  Write("b/w.moe");
  Write("b/vram_dump.bin");
  Write("b/notes.txt");
  Write("b/part.inc");
  EXPECT_THAT(Found({folder_.path()}), ElementsAre("b/w.moe still words", "b/x.asm still text",
                                                   "b/y.mem still words", "b/z.bin still words"));
}

TEST_F(IsaCorpusTest, FoldersAreWalkedInOrderWhateverTheDiskSays) {
  for (const char* name : {"c/p.asm", "a/z/p.asm", "a/p.asm", "b.asm", "a/b/p.asm"}) Write(name);
  EXPECT_THAT(Found({folder_.path()}),
              ElementsAre("b.asm still text", "a/p.asm still text", "a/b/p.asm still text",
                          "a/z/p.asm still text", "c/p.asm still text"));
}

TEST_F(IsaCorpusTest, PlacesMayBeFilesAndKeepTheirOrder) {
  Write("a/run.json", kManifest);
  Write("a/p.asm");
  Write("b/q.mem", "0x00000034\n");
  const std::string manifest = folder_.Path("a/run.json");
  const std::string words = folder_.Path("b/q.mem");
  EXPECT_THAT(Found({words, manifest}),
              ElementsAre(words + " still words", manifest + " run text"));
  EXPECT_THAT(Found({folder_.Path("b"), folder_.Path("a")}),
              ElementsAre("q.mem still words", "run.json run text"));
}

TEST_F(IsaCorpusTest, AManifestMayNameWords) {
  Write("run.json",
        "{\"schema\": \"moescope.run\", \"schema_version\": 1, \"program\": {\"file\": "
        "\"p.mem\"}}");
  EXPECT_THAT(Found({folder_.path()}), ElementsAre("run.json run words"));
}

TEST_F(IsaCorpusTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Error({folder_.Path("none")}), HasSubstr("none: no such file or folder"));
  Write("empty/readme.md");
  EXPECT_THAT(Error({folder_.Path("empty")}), HasSubstr("holds no run manifest and no program"));
  Write("bad/run.json", "{\"schema\": \"moescope.run\"}");
  EXPECT_THAT(Error({folder_.Path("bad")}), HasSubstr("[MF0"));
  Write("bare/run.json", "{\"schema\": \"moescope.run\", \"schema_version\": 1}");
  EXPECT_THAT(Error({folder_.Path("bare")}), HasSubstr("names no program"));
}

}  // namespace
}  // namespace moescope::session
