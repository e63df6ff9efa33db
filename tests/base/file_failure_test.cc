// Files that cannot be read or written to the end: nothing half written is ever seen under the
// name, and every message names the file and the reason.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "tests/support/scratch_folder.h"

namespace moescope {
namespace {

std::size_t CountIn(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// While it lives, no file of this process can grow beyond a size: writing stops in the middle.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*old_)(int) = nullptr;
};

TEST(FileFailureTest, AFullDiskLeavesTheOldFile) {
  const test::ScratchFolder folder;
  const std::string path = folder.Write("f", "old");
  absl::Status status;
  {
    const FileSizeLimit limit(4096);
    status = WriteFile(path, std::string(100'000, 'x'));
  }
  EXPECT_EQ(status.message(), "cannot write '" + path + "': File too large");
  EXPECT_EQ(folder.Read("f"), "old");
  EXPECT_EQ(CountIn(folder.path()), 1u);
}

TEST(FileFailureTest, AFullDiskUnderAGap) {
  const test::ScratchFolder folder;
  absl::Status status;
  {
    const FileSizeLimit limit(4096);
    auto file = AtomicFile::Create(folder.Path("f"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Skip(1 << 20).ok());
    status = file->Commit();
  }
  EXPECT_EQ(status.message(), "cannot write '" + folder.Path("f") + "': File too large");
  EXPECT_FALSE(folder.Has("f"));
  EXPECT_EQ(CountIn(folder.path()), 0u);
}

TEST(FileFailureTest, ADeviceThatIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(WriteFile("/dev/full", "x").message(),
            "cannot write '/dev/full': No space left on device");
}

TEST(FileFailureTest, AReaderThatGoesAwayIsNoFailure) {
  const test::ScratchFolder folder;
  const std::string path = folder.Path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  void (*old)(int) = std::signal(SIGPIPE, SIG_IGN);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Write("first").ok());
  ::close(reader);
  EXPECT_TRUE(file->Write(std::string(1 << 20, 'x')).ok());
  EXPECT_TRUE(file->Commit().ok());
  std::signal(SIGPIPE, old);
}

TEST(FileFailureTest, APipeIsReadToItsEnd) {
  const test::ScratchFolder folder;
  const std::string path = folder.Path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string sent;
  for (int i = 0; i < 50'000; ++i) sent += std::to_string(i);
  std::thread writer([&] {
    const absl::Status written = WriteFile(path, sent);
    EXPECT_TRUE(written.ok()) << written;
  });
  const absl::StatusOr<std::string> got = ReadFile(path);
  writer.join();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, sent);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode)) << "the pipe was not replaced by a file";
}

TEST(FileFailureTest, LinksAreReplacedAndTheirTargetsStay) {
  const test::ScratchFolder folder;
  folder.Write("target", "old");
  ASSERT_EQ(::symlink("target", folder.Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(folder.Path("link"), "new").ok());
  EXPECT_EQ(folder.Read("link"), "new");
  EXPECT_EQ(folder.Read("target"), "old");
  ASSERT_EQ(::symlink("nowhere", folder.Path("dangling").c_str()), 0);
  EXPECT_EQ(ReadFile(folder.Path("dangling")).status().code(), absl::StatusCode::kNotFound);
}

TEST(FileFailureTest, AFolderThatVanishesBeforeTheCommit) {
  const test::ScratchFolder folder;
  std::filesystem::create_directory(folder.Path("d"));
  auto file = AtomicFile::Create(folder.Path("d/f"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write("x").ok());
  std::filesystem::remove_all(folder.Path("d"));
  EXPECT_EQ(file->Commit().message(),
            "cannot rename to '" + folder.Path("d/f") + "': No such file or directory");
}

// The temporary names of one process differ, so the last one to commit wins as a whole.
TEST(FileFailureTest, TwoWritersOfOneFile) {
  const test::ScratchFolder folder;
  auto first = AtomicFile::Create(folder.Path("f"));
  auto second = AtomicFile::Create(folder.Path("f"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(CountIn(folder.path()), 2u);
  ASSERT_TRUE(first->Write("one").ok());
  ASSERT_TRUE(second->Write("second").ok());
  ASSERT_TRUE(second->Commit().ok());
  EXPECT_EQ(folder.Read("f"), "second");
  ASSERT_TRUE(first->Commit().ok());
  EXPECT_EQ(folder.Read("f"), "one");
  EXPECT_EQ(CountIn(folder.path()), 1u);
}

TEST(FileFailureTest, ManyWritersAtOnceLeaveOneWholeFile) {
  const test::ScratchFolder folder;
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'i'; ++c) {
    writers.emplace_back([&folder, c] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(WriteFile(folder.Path("f"), std::string(10'000, c)).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = folder.Read("f");
  ASSERT_EQ(content.size(), 10'000u);
  EXPECT_EQ(std::count(content.begin(), content.end(), content[0]), 10'000);
  EXPECT_EQ(CountIn(folder.path()), 1u);
}

TEST(FileFailureTest, TheOldFileStaysWhenAMovedFileIsAssignedOver) {
  const test::ScratchFolder folder;
  auto a = AtomicFile::Create(folder.Path("a"));
  auto b = AtomicFile::Create(folder.Path("b"));
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_TRUE(a->Write("a").ok());
  ASSERT_TRUE(b->Write("b").ok());
  *a = *std::move(b);
  EXPECT_EQ(CountIn(folder.path()), 1u) << "what was assigned over is abandoned";
  ASSERT_TRUE(a->Commit().ok());
  EXPECT_FALSE(folder.Has("a"));
  EXPECT_EQ(folder.Read("b"), "b");
}

// Writes and gaps of any sizes against a string that does the same.
TEST(FileFailureTest, WritesAndGapsAgainstAModel) {
  const test::ScratchFolder folder;
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    auto file = AtomicFile::Create(folder.Path("f"));
    ASSERT_TRUE(file.ok());
    std::string expected;
    for (std::size_t steps = random() % 12; steps > 0; --steps) {
      const std::size_t size = random() % (random() % 4 == 0 ? 200'000 : 50);
      if (random() % 3 == 0) {
        ASSERT_TRUE(file->Skip(size).ok());
        expected.append(size, '\0');
      } else {
        const std::string bytes(size, static_cast<char>(random()));
        ASSERT_TRUE(file->Write(bytes).ok());
        expected += bytes;
      }
    }
    ASSERT_TRUE(file->Commit().ok());
    ASSERT_EQ(folder.Read("f"), expected) << round;
  }
}

}  // namespace
}  // namespace moescope
