#include "emulator/images.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/sha256.h"

namespace moescope::test {
namespace {

using emulator::ImageOptions;
using emulator::ImageTarget;
using emulator::LoadImage;
using emulator::LoadImageBytes;
using emulator::MachineDescription;
using emulator::MachineState;

class Images : public testing::Test {
 protected:
  Images() : state(Machine()) {}
  static MachineDescription Machine() {
    MachineDescription machine;
    machine.memory.hbm_bytes = 8192;
    machine.memory.vector_rows = 4;
    machine.memory.int_words = 8;
    machine.memory.fp_words = 8;
    return machine;
  }
  std::string Error(ImageTarget target, const std::string& bytes, const ImageOptions& o = {}) {
    return std::string(LoadImageBytes(target, bytes, "x.bin", o, state).status().message());
  }
  MachineState state;
};

TEST_F(Images, HbmTakesBytesFromItsOffset) {
  ASSERT_TRUE(LoadImageBytes(ImageTarget::kHbm, "abc", "x", {}, state).ok());
  ASSERT_TRUE(LoadImageBytes(ImageTarget::kHbm, "de", "x", {.hbm_offset = 8190}, state).ok());
  std::uint8_t bytes[3];
  state.hbm.Read(0, bytes);
  EXPECT_EQ(bytes[2], 'c');
  state.hbm.Read(8190, {bytes, 2});
  EXPECT_EQ(bytes[1], 'e');
}

TEST_F(Images, FpSramConvertsHalvesOrTakesBf16) {
  // fp16 65504, -1.702, the smallest subnormal (numerics.md, 8).
  ASSERT_TRUE(LoadImageBytes(ImageTarget::kFpSram, std::string("\xFF\x7B\xCF\xBE\x01\x00", 6), "x",
                             {}, state)
                  .ok());
  EXPECT_EQ(state.fp_mem.Read(0), 0x4780);
  EXPECT_EQ(state.fp_mem.Read(1), 0xBFDA);
  EXPECT_EQ(state.fp_mem.Read(2), 0x3380);
  ASSERT_TRUE(LoadImageBytes(ImageTarget::kFpSram, std::string("\xA5\xFF", 2), "x",
                             {.fp_format = emulator::FpImageFormat::kBf16}, state)
                  .ok());
  EXPECT_EQ(state.fp_mem.Read(0), 0xFFA5);
  EXPECT_EQ(state.fp_mem.Read(1), 0xBFDA);  // beyond the image nothing changes
}

TEST_F(Images, IntSramAndVramAreLittleEndian) {
  ASSERT_TRUE(
      LoadImageBytes(ImageTarget::kIntSram, std::string("\x01\x02\x03\x04", 4), "x", {}, state)
          .ok());
  EXPECT_EQ(state.int_mem.Read(0), 0x04030201u);
  std::string rows(130, '\0');  // one row and one lane
  rows[0] = '\x34';
  rows[1] = '\x12';
  rows[128] = '\x78';
  ASSERT_TRUE(LoadImageBytes(ImageTarget::kVram, rows, "x", {}, state).ok());
  EXPECT_EQ(state.vram.Read(0)[0], 0x1234);
  EXPECT_EQ(state.vram.Read(1)[0], 0x0078);
  EXPECT_EQ(state.vram.Read(1)[1], 0);
}

TEST_F(Images, RecordsNameTargetSizeAndHash) {
  const auto record = LoadImageBytes(ImageTarget::kHbm, "abc", "x", {}, state);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->target, "hbm");
  EXPECT_EQ(record->bytes, 3u);
  EXPECT_EQ(record->sha256, Sha256Name("abc"));
}

TEST_F(Images, AFullMemoryFitsAndOneByteMoreDoesNot) {
  EXPECT_EQ(Error(ImageTarget::kHbm, std::string(8192, 'x')), "");
  EXPECT_EQ(Error(ImageTarget::kHbm, std::string(8193, 'x')),
            "x.bin: error: the hbm image has 8193 bytes; the memory holds 8192 bytes [IM002]");
  EXPECT_EQ(Error(ImageTarget::kHbm, "abc", {.hbm_offset = 8190}),
            "x.bin: error: the hbm image has 3 bytes; the memory holds 2 bytes from offset 8190 on "
            "[IM002]");
  EXPECT_EQ(Error(ImageTarget::kHbm, "a", {.hbm_offset = ~std::uint64_t{0}}),
            "x.bin: error: the hbm image has 1 bytes; the memory holds 0 bytes from offset "
            "18446744073709551615 on [IM002]");
  EXPECT_EQ(Error(ImageTarget::kVram, std::string(512, 'x')), "");
  EXPECT_EQ(Error(ImageTarget::kVram, std::string(514, 'x')),
            "x.bin: error: the vram image has 514 bytes; the memory holds 512 bytes [IM002]");
  EXPECT_EQ(Error(ImageTarget::kFpSram, std::string(16, 'x')), "");
  EXPECT_EQ(Error(ImageTarget::kFpSram, std::string(18, 'x')),
            "x.bin: error: the fpsram image has 18 bytes; the memory holds 16 bytes [IM002]");
  EXPECT_EQ(Error(ImageTarget::kIntSram, std::string(32, 'x')), "");
  EXPECT_EQ(Error(ImageTarget::kIntSram, std::string(36, 'x')),
            "x.bin: error: the intsram image has 36 bytes; the memory holds 32 bytes [IM002]");
}

TEST_F(Images, ACutOffElementIsAnError) {
  EXPECT_EQ(Error(ImageTarget::kVram, "abc"),
            "x.bin: error: the vram image has 3 bytes, which is not a whole number of 2-byte "
            "elements [IM003]");
  EXPECT_EQ(Error(ImageTarget::kFpSram, "a"),
            "x.bin: error: the fpsram image has 1 bytes, which is not a whole number of 2-byte "
            "elements [IM003]");
  EXPECT_EQ(Error(ImageTarget::kIntSram, "abcdef"),
            "x.bin: error: the intsram image has 6 bytes, which is not a whole number of 4-byte "
            "elements [IM003]");
  EXPECT_EQ(Error(ImageTarget::kIntSram, ""), "");
}

TEST_F(Images, FilesAreStreamed) {
  MachineDescription machine;
  MachineState large(machine);
  const std::string path = testing::TempDir() + "moescope_image_test.bin";
  std::string content(3'000'001, '\0');
  content[2'999'999] = 'x';
  ASSERT_TRUE(WriteFile(path, content).ok());
  const auto record = LoadImage(ImageTarget::kHbm, path, {}, large);
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->bytes, content.size());
  EXPECT_EQ(record->sha256, Sha256Name(content));
  EXPECT_EQ(large.hbm.StoredPages().size(), 1u);
  const std::string message(LoadImage(ImageTarget::kHbm, path, {}, state).status().message());
  EXPECT_NE(message.find("the hbm image has 3000001 bytes; the memory holds 8192 bytes [IM002]"),
            std::string::npos)
      << message;
  std::filesystem::remove(path);
}

TEST_F(Images, UnreadableFilesAreNamed) {
  EXPECT_EQ(LoadImage(ImageTarget::kHbm, "/nowhere/x.bin", {}, state).status().message(),
            "/nowhere/x.bin: error: cannot read the image: No such file or directory [IM001]");
  EXPECT_EQ(LoadImage(ImageTarget::kHbm, "/", {}, state).status().message(),
            "/: error: cannot read the image: Is a directory [IM001]");
}

TEST(ImageTargets, HaveTheirNames) {
  for (const ImageTarget target :
       {ImageTarget::kHbm, ImageTarget::kVram, ImageTarget::kFpSram, ImageTarget::kIntSram}) {
    EXPECT_EQ(emulator::ParseImageTarget(emulator::ImageTargetName(target)), target);
  }
  EXPECT_FALSE(emulator::ParseImageTarget("mram").has_value());
}

}  // namespace
}  // namespace moescope::test
