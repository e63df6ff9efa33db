#include "isa/container.h"

#include <gtest/gtest.h>

#include <random>

#include "base/diagnostic.h"
#include "base/sha256.h"
#include "isa/byte_stream.h"
#include "isa/isa_hash.h"

namespace moescope::isa {
namespace {

// Everything that a container can hold.
Program FullProgram() {
  Program program;
  program.words = {0x00014062, 0x00004801, 0xFFFFFFFF};
  program.names = {{"unattributed", StageOrigin::kBucket, StageScope::kLayer, ""},
                   {"gather", StageOrigin::kBuiltin, StageScope::kPair, ""},
                   {"ksplit_add", StageOrigin::kExtension, StageScope::kLayer, "gather"}};
  program.ranges = {{.begin_pc = 0, .end_pc = 1},
                    {.begin_pc = 1, .end_pc = 2, .name = 1, .pair = 0, .file = 1, .line = 3},
                    {.begin_pc = 2,
                     .end_pc = 3,
                     .name = 2,
                     .pair = 2147483647,
                     .expert = 7,
                     .parent = 1,
                     .file = 0,
                     .line = 9}};
  program.attribution = AttributionSource::kMarkers;
  program.unresolved_markers = {"foo"};
  program.files = {"a.asm", "b.inc"};
  program.positions = {{0, 1, 1}, {1, 2, 3}, {0, 10, 5}};
  program.stated_shape = {64, 4, 64, 16};
  return program;
}

std::string ErrorOf(std::string_view bytes, const ContainerReading& reading = {}) {
  return std::string(ReadContainer(bytes, "p.bin", reading).status().message());
}

TEST(ContainerTest, KeepsEverything) {
  for (const Program& program :
       {FullProgram(), ProgramFromWords({1, 2, 3}), ProgramFromWords({})}) {
    const absl::StatusOr<Program> read = ReadContainer(WriteContainer(program), "p.bin");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, program);
  }
}

TEST(ContainerTest, EqualProgramsGiveEqualBytes) {
  EXPECT_EQ(WriteContainer(FullProgram()), WriteContainer(FullProgram()));
  EXPECT_TRUE(IsContainer(WriteContainer(FullProgram())));
  EXPECT_FALSE(IsContainer("MOESCOP"));
}

TEST(ContainerTest, EveryCutIsNoticed) {
  const std::string bytes = WriteContainer(FullProgram());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(ReadContainer(std::string_view(bytes).substr(0, size), "p.bin").ok()) << size;
  }
  EXPECT_EQ(ErrorOf(bytes + "x"), "p.bin: error: bytes after the last section [PC004]");
}

TEST(ContainerTest, EveryChangedByteIsNoticed) {
  const std::string bytes = WriteContainer(FullProgram());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      ASSERT_FALSE(ReadContainer(changed, "p.bin").ok()) << i;
    }
  }
}

// One section replaced, with all checksums made right again.
std::string WithSection(std::string_view name, const std::string& content) {
  const std::string original = WriteContainer(FullProgram());
  ByteReader in(std::string_view(original).substr(12));
  const std::uint32_t count = in.U32();
  std::vector<std::pair<std::string, std::string>> sections;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string section(in.Bytes(4));
    in.U32();
    const std::uint64_t offset = in.U64();
    const std::uint64_t size = in.U64();
    in.Bytes(32);
    std::string bytes = original.substr(offset, size);
    sections.emplace_back(section, section == name ? content : bytes);
  }
  const auto digest = [](std::string_view bytes) {
    Sha256 sha;
    sha.Update(bytes);
    const auto raw = sha.Digest();
    return std::string(raw.begin(), raw.end());
  };
  ByteWriter out;
  out.Bytes("MOESCOPE");
  out.U32(kContainerVersion);
  out.U32(count);
  std::uint64_t offset = 16 + count * 56 + 32;
  for (const auto& [section, bytes] : sections) {
    out.Bytes(section);
    out.U32(0);
    out.U64(offset);
    out.U64(bytes.size());
    out.Bytes(digest(bytes));
    offset += bytes.size();
  }
  out.Bytes(digest(out.bytes()));
  for (const auto& [section, bytes] : sections) out.Bytes(bytes);
  return out.Take();
}

TEST(ContainerTest, SizesAreCheckedBeforeTheyAreUsed) {
  ByteWriter huge;
  huge.U32(0xFFFFFFFF);
  EXPECT_EQ(ErrorOf(WithSection("WORD", huge.bytes())),
            "p.bin: error: section 'WORD' is malformed [PC004]");
  EXPECT_EQ(ErrorOf(WithSection("POSN", huge.bytes())),
            "p.bin: error: section 'POSN' is malformed [PC004]");
  EXPECT_EQ(ErrorOf(WithSection("FILE", huge.bytes())),
            "p.bin: error: section 'FILE' is malformed [PC004]");
  EXPECT_EQ(ErrorOf(WithSection("STAG", huge.bytes())),
            "p.bin: error: section 'STAG' is malformed [PC004]");
  EXPECT_EQ(ErrorOf(WithSection("SHAP", "")), "p.bin: error: section 'SHAP' is malformed [PC004]");
}

TEST(ContainerTest, InconsistentProgramsAreRefused) {
  ByteWriter words;
  words.U32(1);
  words.U32(0x34);
  EXPECT_EQ(ErrorOf(WithSection("WORD", words.bytes())),
            "p.bin: error: inconsistent program: the stage table covers 3 of 1 words [PC006]");
  ByteWriter no_files;
  no_files.U32(0);
  EXPECT_EQ(ErrorOf(WithSection("FILE", no_files.bytes())),
            "p.bin: error: inconsistent program: stage range 1 has an unknown file [PC006]");
}

// Bytes inside the sections change and the checksums are right: no crash, and what is accepted is
// consistent.
TEST(ContainerTest, MutatedSectionsNeverCrash) {
  std::mt19937 random(1);
  const std::string original = WriteContainer(FullProgram());
  int accepted = 0;
  for (const char* name : {"ISA ", "SHAP", "WORD", "FILE", "STAG", "POSN"}) {
    ByteReader in(std::string_view(original).substr(12));
    std::string content;
    for (std::uint32_t left = in.U32(); left > 0; --left) {
      const std::string section(in.Bytes(4));
      in.U32();
      const std::uint64_t offset = in.U64();
      const std::uint64_t size = in.U64();
      in.Bytes(32);
      if (section == name) content = original.substr(offset, size);
    }
    ASSERT_FALSE(content.empty()) << name;
    for (int round = 0; round < 500; ++round) {
      std::string changed = content;
      for (std::size_t changes = random() % 4 + 1; changes > 0; --changes) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) changed.resize(random() % (changed.size() + 8));
      const absl::StatusOr<Program> read =
          ReadContainer(WithSection(name, changed), "p.bin", {.force_isa = true});
      if (!read.ok()) continue;
      ++accepted;
      ASSERT_TRUE(Validate(*read).ok());
      ASSERT_EQ(*ReadContainer(WriteContainer(*read), "p.bin"), *read);
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(ContainerTest, OtherFormats) {
  EXPECT_EQ(ErrorOf("0x00014062\n"), "p.bin: error: this is no program container [PC001]");
  EXPECT_EQ(ErrorOf("MOESCOPE"), "p.bin: error: the container is cut off [PC001]");
  std::string newer = WriteContainer(FullProgram());
  newer[8] = 2;
  EXPECT_EQ(ErrorOf(newer), "p.bin: error: container format 2; this build reads format 1 [PC002]");
  std::string changed = WriteContainer(FullProgram());
  changed[20] ^= 1;
  EXPECT_EQ(ErrorOf(changed), "p.bin: error: the checksum of the header does not match [PC003]");
  changed = WriteContainer(FullProgram());
  changed.back() ^= 1;
  EXPECT_EQ(ErrorOf(changed),
            "p.bin: error: the checksum of section 'POSN' does not match [PC003]");
}

TEST(ContainerTest, AnotherInstructionSetIsRefusedUnlessForced) {
  std::vector<Instruction> rows = InstructionSet::Builtin().instructions();
  std::erase_if(rows, [](const Instruction& row) { return row.since > Version{1, 0}; });
  const InstructionSet old(rows, {1, 0});
  const std::string bytes = WriteContainer(FullProgram(), old);
  EXPECT_EQ(ErrorOf(bytes), "p.bin: error: assembled for ISA 1.0 (" + IsaHash(old) +
                                "), not for ISA 1.1 (" + IsaHash(InstructionSet::Builtin()) +
                                "); --force-isa reads it all the same [PC005]");
  EXPECT_TRUE(ReadContainer(bytes, "p.bin", {.instruction_set = &old}).ok());
  EXPECT_TRUE(ReadContainer(bytes, "p.bin", {.force_isa = true}).ok());
}

}  // namespace
}  // namespace moescope::isa
