#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

namespace moescope {
namespace {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "moescope_file_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t FileCount() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string bytes("a\0b\xFF\n", 5);
  ASSERT_TRUE(WriteFile(Path("f"), bytes).ok());
  EXPECT_EQ(*ReadFile(Path("f")), bytes);
  EXPECT_EQ(FileCount(), 1u) << "no temporary file is left";
}

TEST_F(FileTest, ReplacesAnOlderFile) {
  ASSERT_TRUE(WriteFile(Path("f"), "old and longer").ok());
  ASSERT_TRUE(WriteFile(Path("f"), "new").ok());
  EXPECT_EQ(*ReadFile(Path("f")), "new");
}

TEST_F(FileTest, WithoutCommitTheOldFileStays) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  {
    auto file = AtomicFile::Create(Path("f"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write("half").ok());
    EXPECT_EQ(FileCount(), 2u);
  }
  EXPECT_EQ(*ReadFile(Path("f")), "old");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileTest, AMovedFromFileRemovesNothing) {
  auto file = AtomicFile::Create(Path("f"));
  ASSERT_TRUE(file.ok());
  AtomicFile moved = *std::move(file);
  ASSERT_TRUE(moved.Write("x").ok());
  ASSERT_TRUE(moved.Commit().ok());
  EXPECT_EQ(*ReadFile(Path("f")), "x");
}

TEST_F(FileTest, SkippedBytesReadAsZeros) {
  auto file = AtomicFile::Create(Path("f"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write("a").ok());
  ASSERT_TRUE(file->Skip(3).ok());
  ASSERT_TRUE(file->Write("b").ok());
  ASSERT_TRUE(file->Skip(2).ok());
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(*ReadFile(Path("f")), std::string("a\0\0\0b\0\0", 7));
}

TEST_F(FileTest, MissingFileAndFolder) {
  const absl::Status missing = ReadFile(Path("none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), "cannot open '" + Path("none") + "': No such file or directory");
  EXPECT_EQ(ReadFile(folder_).status().message(), "cannot read '" + folder_ + "': Is a directory");
  EXPECT_EQ(WriteFile(Path("none/f"), "x").message(),
            "cannot create '" + Path("none/f") + "': No such file or directory");
}

TEST_F(FileTest, AFolderIsNotReplaced) {
  ASSERT_EQ(::mkdir(Path("d").c_str(), 0755), 0);
  EXPECT_EQ(WriteFile(Path("d"), "x").message(),
            "cannot rename to '" + Path("d") + "': Is a directory");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileTest, PipesAndDevicesAreWrittenDirectly) {
  ASSERT_TRUE(WriteFile("/dev/null", "x").ok());
  struct stat info {};
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode)) << "still a device";
  auto file = AtomicFile::Create("/dev/null");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->Skip(1).message(), "cannot seek in '/dev/null'");
}

}  // namespace
}  // namespace moescope
