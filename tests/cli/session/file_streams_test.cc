// Files read and written piece by piece: output_file, input_file, gzip.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>
#include <string>

#include "base/file.h"
#include "cli/session/gzip.h"
#include "cli/session/input_file.h"
#include "cli/session/output_file.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::HasSubstr;

// Bytes that compress a little, of any length.
std::string RandomBytes(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random() % 17 + (random() % 64 == 0 ? 128 : 0));
  return bytes;
}

// Writes `content` in pieces of random size.
absl::Status WriteInPieces(const std::string& path, std::string_view content, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  while (!content.empty()) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 70000, content.size());
    if (const absl::Status status = file->Write(content.substr(0, size)); !status.ok())
      return status;
    content.remove_prefix(size);
  }
  return file->Commit();
}

// Reads a file with buffers of random size.
absl::StatusOr<std::string> ReadInPieces(const std::string& path, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  std::string content;
  std::string buffer(80000, '\0');
  for (;;) {
    const auto got = file->Read(buffer.data(), 1 + random() % buffer.size());
    if (!got.ok()) return got.status();
    if (*got == 0) return content;
    content.append(buffer.data(), *got);
  }
}

std::string OutputOf(const std::string& command) {
  std::string output;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

constexpr std::size_t kSizes[] = {0,     1,     2,     3,      1023,   1024,   1025,
                                  65535, 65536, 65537, 262144, 300001, 1000000};

TEST(FileStreamsTest, WhatIsWrittenIsReadAgain) {
  const test::ScratchFolder folder;
  std::uint32_t seed = 0;
  for (const std::size_t size : kSizes) {
    const std::string content = RandomBytes(size, ++seed);
    for (const char* name : {"plain", "packed.gz"}) {
      ASSERT_TRUE(WriteInPieces(folder.Path(name), content, seed).ok());
      const auto read = ReadInPieces(folder.Path(name), seed);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, content) << name << " of " << size;
    }
    EXPECT_EQ(folder.Read("plain"), content);
  }
}

TEST(FileStreamsTest, TheGzipProgramReadsWhatWeWriteAndWeWhatItWrites) {
  const test::ScratchFolder folder;
  const std::string content = RandomBytes(200000, 5);
  ASSERT_TRUE(WriteInPieces(folder.Path("ours.gz"), content, 1).ok());
  EXPECT_EQ(OutputOf("gzip -dc " + folder.Path("ours.gz")), content);
  folder.Write("theirs", content);
  folder.Write("packed", OutputOf("gzip -9 -c " + folder.Path("theirs")));
  EXPECT_EQ(*ReadInPieces(folder.Path("packed"), 2), content);
}

TEST(FileStreamsTest, MembersOneBehindTheOtherAreOneFile) {
  const test::ScratchFolder folder;
  ASSERT_TRUE(WriteInPieces(folder.Path("a.gz"), "first ", 1).ok());
  ASSERT_TRUE(WriteInPieces(folder.Path("b.gz"), "", 1).ok());
  ASSERT_TRUE(WriteInPieces(folder.Path("c.gz"), "second", 1).ok());
  folder.Write("all", folder.Read("a.gz") + folder.Read("b.gz") + folder.Read("c.gz"));
  EXPECT_EQ(*ReadInPieces(folder.Path("all"), 1), "first second");
}

TEST(FileStreamsTest, EqualContentGivesEqualBytesHoweverItIsWritten) {
  const test::ScratchFolder folder;
  const std::string content = RandomBytes(300000, 8);
  ASSERT_TRUE(WriteInPieces(folder.Path("a.gz"), content, 1).ok());
  ASSERT_TRUE(WriteInPieces(folder.Path("b.gz"), content, 2).ok());
  EXPECT_EQ(folder.Read("a.gz"), folder.Read("b.gz"));
  EXPECT_LT(folder.Read("a.gz").size(), content.size());
  // No time stamp, no name: bytes 3 to 7 of the header are 0.
  EXPECT_EQ(folder.Read("a.gz").substr(3, 5), std::string(5, '\0'));
}

TEST(FileStreamsTest, EveryTruncationOfACompressedFileIsAnError) {
  const test::ScratchFolder folder;
  ASSERT_TRUE(WriteInPieces(folder.Path("a.gz"), RandomBytes(500, 3), 1).ok());
  const std::string packed = folder.Read("a.gz");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    const std::string path = folder.Write("cut.gz", packed.substr(0, size));
    const auto read = ReadInPieces(path, 1);
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.status().message(), path + ": the compressed file ends early");
  }
}

TEST(FileStreamsTest, DamageIsFound) {
  const test::ScratchFolder folder;
  ASSERT_TRUE(WriteInPieces(folder.Path("a.gz"), RandomBytes(2000, 3), 1).ok());
  const std::string packed = folder.Read("a.gz");
  std::mt19937 random(1);
  int found = 0;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = packed;
    // Behind the header, whose time and system no reader checks.
    const std::size_t at = 10 + random() % (packed.size() - 10);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    const std::string path = folder.Write("damaged.gz", damaged);
    const auto read = ReadInPieces(path, 1);
    if (read.ok()) continue;
    ++found;
    EXPECT_THAT(
        std::string(read.status().message()),
        ::testing::AnyOf(path + ": damaged gzip data", path + ": the compressed file ends early"));
  }
  // The checksum covers all of the content.
  EXPECT_EQ(found, kRounds);
}

TEST(FileStreamsTest, TheHeadIsTheBeginningAndIsReadAgain) {
  const test::ScratchFolder folder;
  for (const std::size_t size : {0u, 1u, 1023u, 1024u, 1025u, 5000u}) {
    const std::string content = RandomBytes(size, 4);
    for (const char* name : {"plain", "packed.gz"}) {
      ASSERT_TRUE(WriteInPieces(folder.Path(name), content, 1).ok());
      auto file = InputFile::Open(folder.Path(name));
      ASSERT_TRUE(file.ok());
      EXPECT_EQ(file->head(), content.substr(0, InputFile::kHeadBytes));
      char byte = '\0';
      EXPECT_EQ(*file->Read(&byte, 1), size == 0 ? 0u : 1u);
      EXPECT_EQ(file->head(), content.substr(0, InputFile::kHeadBytes));
      EXPECT_EQ(*file->ReadAll(), size == 0 ? "" : content.substr(1));
      EXPECT_EQ(*file->ReadAll(), "");
    }
  }
}

TEST(FileStreamsTest, FilesThatCannotBeOpenedAreNamed) {
  const test::ScratchFolder folder;
  EXPECT_EQ(InputFile::Open("/nonexistent/x").status().message(),
            "cannot open '/nonexistent/x': No such file or directory");
  EXPECT_EQ(InputFile::Open(folder.path()).status().message(),
            "cannot read '" + folder.path() + "': Is a directory");
  for (const char* name : {"/x", "/x.gz"}) {
    EXPECT_EQ(OutputFile::Create("/nonexistent" + std::string(name)).status().message(),
              "cannot create '/nonexistent" + std::string(name) + "': No such file or directory");
  }
}

TEST(FileStreamsTest, AFileAppearsWhenItIsComplete) {
  const test::ScratchFolder folder;
  for (const char* name : {"plain", "packed.gz"}) {
    {
      auto file = OutputFile::Create(folder.Path(name));
      ASSERT_TRUE(file.ok());
      ASSERT_TRUE(file->Write("half").ok());
      EXPECT_FALSE(folder.Has(name));
    }
    // Dropped without Commit: nothing is left.
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << name;
  }
}

TEST(FileStreamsTest, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_THAT(std::string(WriteInPieces("/dev/full", RandomBytes(100, 1), 1).message()),
              HasSubstr("cannot write '/dev/full': No space left on device"));
}

TEST(GzipTest, KnowsItsMagic) {
  EXPECT_TRUE(HasGzip());
  EXPECT_TRUE(IsGzip("\x1f\x8b"));
  EXPECT_TRUE(IsGzip("\x1f\x8b\x08 and more"));
  EXPECT_FALSE(IsGzip("\x1f"));
  EXPECT_FALSE(IsGzip(""));
  EXPECT_FALSE(IsGzip("# moescope commit log 1"));
}

}  // namespace
}  // namespace moescope::session
