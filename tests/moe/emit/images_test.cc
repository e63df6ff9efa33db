#include "moe/emit/images.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/moe/emit/run_layer.h"

namespace moescope::moe {
namespace {

LayerCase Small(const char* workload = nullptr) {
  LayerCase c{.layer = {.shape = {128, 64, 8, 2},
                        .router = {.mode = RouterMode::kSoftmaxTopk},
                        .weighting = Weighting::kPre,
                        .weights = WeightFormat::kMxfp8B8},
              .tokens = 2};
  if (workload != nullptr) c.workload = workload;
  return c;
}

struct Piece {
  std::uint64_t offset;
  std::vector<std::uint8_t> bytes;
};

std::vector<Piece> Stream(const RunLayer& run, const ExpertFilter& filter = nullptr) {
  std::vector<Piece> pieces;
  const absl::Status status = StreamHbm(
      run.compiled(), run.images(),
      [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        pieces.push_back({offset, {bytes.begin(), bytes.end()}});
        return absl::OkStatus();
      },
      filter);
  EXPECT_TRUE(status.ok()) << status;
  return pieces;
}

TEST(ImagesTest, PiecesAscendAndDoNotOverlap) {
  const RunLayer run(Small());
  std::uint64_t end = 0;
  for (const Piece& piece : Stream(run)) {
    EXPECT_GE(piece.offset, end);
    end = piece.offset + piece.bytes.size();
  }
  EXPECT_LE(end, run.compiled().map.hbm_bytes);
}

TEST(ImagesTest, TheFileIsTheStream) {
  const RunLayer run(Small());
  const std::string path = testing::TempDir() + "/hbm.bin";
  ASSERT_TRUE(WriteHbmFile(run.compiled(), run.images(), path).ok());
  const std::string file = *ReadFile(path);
  std::string expected;
  for (const Piece& piece : Stream(run)) {
    expected.resize(piece.offset);
    expected.append(piece.bytes.begin(), piece.bytes.end());
  }
  EXPECT_EQ(file, expected);
}

TEST(ImagesTest, ExpertsThatAreLeftOutAreHoles) {
  const RunLayer run(Small());
  const std::string path = testing::TempDir() + "/sparse.bin";
  const ExpertFilter only_last = [](int expert) { return expert == 7; };
  ASSERT_TRUE(WriteHbmFile(run.compiled(), run.images(), path, only_last).ok());
  const std::string file = *ReadFile(path);
  const WeightTable& gate = run.compiled().map.gate;
  EXPECT_EQ(file.substr(gate.base, gate.stride), std::string(gate.stride, '\0'));
  EXPECT_NE(file.substr(gate.base + 7 * gate.stride, gate.stride), std::string(gate.stride, '\0'));
  struct stat attributes {};
  ASSERT_EQ(stat(path.c_str(), &attributes), 0);
  EXPECT_LT(attributes.st_blocks * 512, attributes.st_size);
}

TEST(ImagesTest, SourcesThatEncodeThemselvesGiveTheSameBytes) {
  RunLayer run(Small());  // decodes, encodes and checks
  const SeededExperts direct(run.compiled().layer, 1, Orientation::kContractionMajor, {});
  const ImageInputs inputs{run.tensors(), direct, run.x()};
  std::vector<Piece> pieces;
  ASSERT_TRUE(StreamHbm(run.compiled(), inputs,
                        [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
                          pieces.push_back({offset, {bytes.begin(), bytes.end()}});
                          return absl::OkStatus();
                        })
                  .ok());
  const std::vector<Piece> expected = Stream(run);
  ASSERT_EQ(pieces.size(), expected.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].offset, expected[i].offset);
    EXPECT_EQ(pieces[i].bytes, expected[i].bytes);
  }
}

// The reference and the program must compute with the same matrix.
TEST(ImagesTest, MatricesThatChangeWhenEncodedAreRefused) {
  const RunLayer run(Small());
  Layer plain = run.compiled().layer;
  plain.weights = WeightFormat::kBf16;
  const SeededExperts unrounded(plain, 1, Orientation::kContractionMajor, {});
  const ImageInputs inputs{run.tensors(), unrounded, run.x()};
  const absl::Status status =
      StreamHbm(run.compiled(), inputs,
                [](std::uint64_t, std::span<const std::uint8_t>) { return absl::OkStatus(); });
  EXPECT_EQ(std::string(status.message()),
            "gate matrix 0 changes when it is encoded as mxfp8_b8: the reference would compute "
            "with other weights [RC036]");
}

TEST(ImagesTest, ErrorsOfTheSinkEndTheStream) {
  const RunLayer run(Small());
  int calls = 0;
  const absl::Status status =
      StreamHbm(run.compiled(), run.images(), [&](std::uint64_t, std::span<const std::uint8_t>) {
        return ++calls == 3 ? absl::ResourceExhaustedError("disk full") : absl::OkStatus();
      });
  EXPECT_EQ(std::string(status.message()), "disk full");
  EXPECT_EQ(calls, 3);
}

TEST(ImagesTest, IntegersHoldIdsAndTokenOffsets) {
  const RunLayer run(Small("single"));
  const std::vector<std::uint32_t> image = IntImage(run.compiled());
  const ProgramMap& map = run.compiled().map;
  for (std::size_t pair = 0; pair < 4; ++pair) {
    EXPECT_EQ(image[map.ids + pair], static_cast<std::uint32_t>(run.fixed()->topk_idx[pair]));
  }
  EXPECT_EQ(image[map.offsets], 0u);
  EXPECT_EQ(image[map.offsets + 1], 256u);
}

TEST(ImagesTest, WindowTablesHoldBothHalvesOfEveryBase) {
  LayerCase c = Small();
  c.layer = *FindPreset("kimi-k2");
  c.layer.weights = WeightFormat::kMxfp8B8;
  c.tokens = 1;
  emulator::MachineDescription machine;
  machine.memory.hbm_bytes = std::uint64_t{64} << 30;
  machine.memory.int_words = 4096;
  const auto compiled = Compile(c.layer, {1, nullptr}, machine, PublicLowering());
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const std::vector<std::uint32_t> image = IntImage(*compiled);
  const WeightTable& down = compiled->map.down;
  ASSERT_TRUE(down.window_table.has_value());
  const std::uint64_t last = down.base + 383 * std::uint64_t{down.stride};
  EXPECT_EQ(image[*down.window_table + 2 * 383], static_cast<std::uint32_t>(last));
  EXPECT_EQ(image[*down.window_table + 2 * 383 + 1], static_cast<std::uint32_t>(last >> 32));
}

// A program that reads its bases from INT_MEM computes the same as one that multiplies.
TEST(ImagesTest, WindowTablesAreUsedByThePrograms) {
  LayerCase c{.layer = {.shape = {1024, 1024, 4200, 1},
                        .router = {.mode = RouterMode::kGiven},
                        .weighting = Weighting::kPre,
                        .weights = WeightFormat::kMxfp8B8},
              .tokens = 1,
              .workload = "empty(first)"};
  c.machine.memory.int_words = 65536;
  RunLayer run(c);
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run.compiled().map.gate.window_table.has_value());
  run.ExpectEqualToTwin();
}

TEST(ImagesTest, BytesAreLittleEndian) {
  const std::vector<std::uint16_t> halves = {0x1234, 0xFF00};
  EXPECT_EQ(Bytes(halves), std::string("\x34\x12\x00\xFF", 4));
  const std::vector<std::uint32_t> words = {0x12345678};
  EXPECT_EQ(Bytes(words), std::string("\x78\x56\x34\x12", 4));
}

}  // namespace
}  // namespace moescope::moe
