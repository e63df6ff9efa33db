#include "cli/session/dump_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Document = nlohmann::json;

class DumpDiffTest : public ::testing::Test {
 protected:
  DumpDifference Compare(const std::string& a, const std::string& b, DumpElement element,
                         const DumpShape& shape = {}) const {
    auto result = TryCompare(a, b, element, shape);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : DumpDifference{};
  }
  absl::StatusOr<DumpDifference> TryCompare(const std::string& a, const std::string& b,
                                            DumpElement element,
                                            const DumpShape& shape = {}) const {
    auto file_a = InputFile::Open(folder_.Write("a", a));
    auto file_b = InputFile::Open(folder_.Write("b", b));
    EXPECT_TRUE(file_a.ok() && file_b.ok());
    return CompareDumps(*file_a, *file_b, shape, element);
  }
  // A folder with a manifest and its files.
  std::string Folder(const std::string& name, const std::string& manifest,
                     const std::vector<std::pair<std::string, std::string>>& files = {}) const {
    std::filesystem::create_directory(folder_.Path(name));
    folder_.Write(name + "/dump_manifest.json", manifest);
    for (const auto& [file, content] : files) folder_.Write(absl::StrCat(name, "/", file), content);
    return folder_.Path(name);
  }

  test::ScratchFolder folder_;
};

std::string Manifest(const std::string& dumps) {
  return absl::StrCat(
      "{\"schema\": \"moescope.dump_manifest\", \"schema_version\": 1, \"dumps\": [", dumps, "]}");
}

constexpr char kVram[] = R"({"file": "vram_dump.bin", "element": "bf16", "bytes": 16,
                             "range": {"first": 10, "last": 11}})";

// What a comparison is, said in the simplest way.
struct Expected {
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::optional<std::uint64_t> first;
  double largest = 0;
};

double ValueAt(const std::string& bytes, std::size_t index, DumpElement element) {
  if (element == DumpElement::kBytes) return static_cast<unsigned char>(bytes[index]);
  if (element == DumpElement::kBf16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * index, 2);
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + 4 * index, 4);
  if (element == DumpElement::kF32) return std::bit_cast<float>(bits);
  return bits;
}

Expected NaiveCompare(const std::string& a, const std::string& b, DumpElement element,
                      std::size_t width) {
  Expected expected;
  expected.elements = std::min(a.size(), b.size()) / width;
  for (std::size_t i = 0; i < expected.elements; ++i) {
    if (a.substr(i * width, width) == b.substr(i * width, width)) continue;
    if (expected.differing++ == 0) expected.first = i;
    const double distance = std::abs(ValueAt(a, i, element) - ValueAt(b, i, element));
    if (std::isfinite(distance)) expected.largest = std::max(expected.largest, distance);
  }
  return expected;
}

TEST_F(DumpDiffTest, AgreesWithANaiveComparison) {
  const std::pair<DumpElement, std::size_t> kElements[] = {{DumpElement::kBytes, 1},
                                                           {DumpElement::kBf16, 2},
                                                           {DumpElement::kU32, 4},
                                                           {DumpElement::kF32, 4}};
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    for (const auto& [element, width] : kElements) {
      // Around the 64 KiB that are read at once, too.
      const std::size_t count = round % 3 == 0 ? 65536 / width + random() % 3 : random() % 50;
      std::string a(count * width, '\0');
      for (char& c : a) c = static_cast<char>(random());
      std::string b = a;
      for (std::uint32_t i = random() % 4; i > 0 && !b.empty(); --i) {
        b[random() % b.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) b.resize(random() % (count + 1) * width);
      const DumpDifference actual = Compare(a, b, element);
      const Expected expected = NaiveCompare(a, b, element, width);
      EXPECT_EQ(actual.bytes_a, a.size());
      EXPECT_EQ(actual.bytes_b, b.size());
      EXPECT_EQ(actual.elements, expected.elements);
      EXPECT_EQ(actual.differing, expected.differing);
      EXPECT_EQ(actual.largest, expected.largest);
      EXPECT_EQ(actual.place, expected.first ? absl::StrCat("element ", *expected.first) : "");
      EXPECT_EQ(actual.is_equal(), a == b);
    }
  }
}

TEST_F(DumpDiffTest, ValuesAreShownByTheirType) {
  const auto shown = [&](const std::string& a, const std::string& b, DumpElement element) {
    const DumpDifference difference = Compare(a, b, element);
    return absl::StrCat(difference.a, " / ", difference.b);
  };
  EXPECT_EQ(shown("\x80\x3F", std::string("\x00\xC0", 2), DumpElement::kBf16),
            "1 (0x3F80) / -2 (0xC000)");
  EXPECT_EQ(shown("\xC0\x7F", "\x80\x7F", DumpElement::kBf16), "nan (0x7FC0) / inf (0x7F80)");
  EXPECT_EQ(shown("\x01\x02\x03\x04", "\xFF\xFF\xFF\xFF", DumpElement::kU32),
            "67305985 / 4294967295");
  EXPECT_EQ(shown(std::string("\x00\x00\x80\x3F", 4), std::string("\x01\x00\x80\x3F", 4),
                  DumpElement::kF32),
            "1 (0x3F800000) / 1.00000012 (0x3F800001)");
  EXPECT_EQ(shown("a", "b", DumpElement::kBytes), "0x61 / 0x62");
}

TEST_F(DumpDiffTest, BytesThatAreNoWholeElementsAreRefused) {
  const DumpShape shape = {.name = "x.bin"};
  for (const auto& [a, b] : {std::pair("123", "123"), std::pair("12", "123")}) {
    EXPECT_EQ(TryCompare(a, b, DumpElement::kBf16, shape).status().message(),
              "x.bin: 3 bytes are no whole number of elements of 2 bytes");
  }
  EXPECT_EQ(TryCompare("123456", "1234", DumpElement::kU32, shape).status().message(),
            "x.bin: 6 bytes are no whole number of elements of 4 bytes");
  EXPECT_TRUE(TryCompare("123", "123", DumpElement::kBytes, shape).ok());
}

TEST_F(DumpDiffTest, PlacesCountInTheUnitsOfTheMemory) {
  const std::string zeros(16, '\0');
  const auto place = [&](const DumpShape& shape, std::size_t at, DumpElement element) {
    std::string changed = zeros;
    changed[at] = '\1';
    return Compare(zeros, changed, element, shape).place;
  };
  DumpShape shape = {.name = "vram_dump.bin", .first = 10, .units = 2, .bytes = 16};
  EXPECT_EQ(place(shape, 0, DumpElement::kBf16), "row 10, element 0");
  EXPECT_EQ(place(shape, 7, DumpElement::kBf16), "row 10, element 3");
  EXPECT_EQ(place(shape, 8, DumpElement::kBf16), "row 11, element 0");
  shape.name = "mram_dump.bin";
  EXPECT_EQ(place(shape, 15, DumpElement::kBytes), "tile 11, element 7");
  shape = {.name = "intsram_dump.bin", .first = 4, .units = 4, .bytes = 16};
  EXPECT_EQ(place(shape, 8, DumpElement::kU32), "word 6");
  shape = {.name = "fpsram_dump.bin", .first = 0, .units = 8, .bytes = 16};
  EXPECT_EQ(place(shape, 15, DumpElement::kBf16), "word 7");
  shape = {.name = "hbm_dump.bin", .first = 4096, .units = 16, .bytes = 16};
  EXPECT_EQ(place(shape, 5, DumpElement::kBytes), "byte 4101");
  // A manifest that does not fit its file.
  shape = {.name = "vram_dump.bin", .units = 3, .bytes = 16};
  EXPECT_EQ(place(shape, 4, DumpElement::kBf16), "element 2");
}

TEST_F(DumpDiffTest, RegistersAreComparedByLine) {
  const DumpDifference difference =
      Compare("{\n  \"pc\": 3,\n  \"x\": 1\n}\n", "{\n  \"pc\": 4,\n  \"x\": 2\n}\n",
              DumpElement::kJson, {.name = "registers.json", .element = "json"});
  EXPECT_EQ(difference.differing, 2u);
  EXPECT_EQ(difference.elements, 5u);
  EXPECT_EQ(difference.place, "line 2");
  EXPECT_EQ(difference.a, "\"pc\": 3,");
  EXPECT_EQ(difference.b, "\"pc\": 4,");
  EXPECT_EQ(Compare("a\nb\n", "a\n", DumpElement::kJson).differing, 1u);
}

TEST_F(DumpDiffTest, ElementNames) {
  EXPECT_EQ(ParseDumpElement("bf16"), DumpElement::kBf16);
  EXPECT_EQ(ParseDumpElement("u32"), DumpElement::kU32);
  EXPECT_EQ(ParseDumpElement("f32"), DumpElement::kF32);
  EXPECT_EQ(ParseDumpElement("json"), DumpElement::kJson);
  EXPECT_EQ(ParseDumpElement("bytes"), DumpElement::kBytes);
  EXPECT_EQ(ParseDumpElement("E4M3"), std::nullopt);
  EXPECT_EQ(ParseDumpElement(""), std::nullopt);
}

TEST_F(DumpDiffTest, FoldersAreComparedByTheirManifests) {
  const std::string zeros(16, '\0');
  const std::string a = Folder("fa", Manifest(kVram), {{"vram_dump.bin", zeros}});
  std::string changed = zeros;
  changed[9] = '\x40';  // 2.0 in row 11
  const std::string b = Folder("fb", Manifest(kVram), {{"vram_dump.bin", changed}});
  const auto diff = DiffDumpFolders(a, b);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_FALSE(diff->is_equal());
  EXPECT_EQ(DumpDiffText(*diff),
            absl::StrCat("A: ", a, "\nB: ", b,
                         "\nvram_dump.bin: 1 of 8 elements differ, first in row 11, element 0: A 0 "
                         "(0x0000), B 2 (0x4000); largest difference 2\ndifferent\n"));
  EXPECT_TRUE(DiffDumpFolders(a, a)->is_equal());
  const Document json = Document::parse(DumpDiffJson(*diff));
  EXPECT_EQ(json["schema"], "moescope.dump_diff");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["files"][0],
            Document::parse(R"json({"file": "vram_dump.bin", "element": "bf16", "bytes_a": 16,
              "bytes_b": 16, "elements": 8, "differing": 1,
              "first": {"place": "row 11, element 0", "a": "0 (0x0000)", "b": "2 (0x4000)"
}
})json"));
  EXPECT_EQ(DumpDiffMarkdown(*diff),
            absl::StrCat("## Dump difference: different\n\n* A: ", a, "\n* B: ", b,
                         "\n\n| file | result |\n|---|---|\n| vram_dump.bin | 1 of 8 elements "
                         "differ, first in row 11, element 0: A 0 (0x0000), B 2 (0x4000); largest "
                         "difference 2 |\n"));
}

TEST_F(DumpDiffTest, AShorterFileIsADifference) {
  const std::string a = Folder("fa", Manifest(kVram), {{"vram_dump.bin", std::string(16, '\0')}});
  const std::string b = Folder("fb", Manifest(kVram), {{"vram_dump.bin", std::string(14, '\0')}});
  const auto diff = DiffDumpFolders(a, b);
  ASSERT_TRUE(diff.ok());
  EXPECT_FALSE(diff->is_equal());
  EXPECT_THAT(DumpDiffText(*diff), HasSubstr("vram_dump.bin: 16 bytes in A, 14 in B\n"));
}

TEST_F(DumpDiffTest, FilesOnOneSideAreNamed) {
  const std::string registers = R"({"file": "registers.json", "element": "json", "bytes": 3})";
  const std::string a = Folder("fa", Manifest(kVram), {{"vram_dump.bin", std::string(16, '\0')}});
  const std::string b = Folder("fb", Manifest(registers), {{"registers.json", "{}\n"}});
  const auto diff = DiffDumpFolders(a, b);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_FALSE(diff->is_equal());
  EXPECT_THAT(DumpDiffText(*diff),
              HasSubstr("vram_dump.bin: only in A\nregisters.json: only in B\ndifferent\n"));
  EXPECT_EQ(Document::parse(DumpDiffJson(*diff))["only_in"],
            Document::parse(R"([{"file": "vram_dump.bin", "side": "A"},
                                {"file": "registers.json", "side": "B"}])"));
  EXPECT_THAT(DumpDiffMarkdown(*diff), HasSubstr("| registers.json | only in B |\n"));
}

TEST_F(DumpDiffTest, OtherRangesOrElementsAreRefused) {
  const std::pair<const char*, const char*> kChanges[] = {
      {"\"first\": 10", "\"first\": 9"}, {"\"last\": 11", "\"last\": 12"}, {"bf16", "u32"}};
  const std::string a = Folder("fa", Manifest(kVram), {{"vram_dump.bin", std::string(16, '\0')}});
  for (const auto& [from, to] : kChanges) {
    std::string changed = kVram;
    changed.replace(changed.find(from), std::strlen(from), to);
    const std::string b =
        Folder("fb", Manifest(changed), {{"vram_dump.bin", std::string(16, '\0')}});
    const auto diff = DiffDumpFolders(a, b);
    EXPECT_EQ(diff.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(diff.status().message(),
              "not comparable: vram_dump.bin holds other elements or another range in A and in B");
  }
}

TEST_F(DumpDiffTest, ManifestsThatCannotBeUsedAreRefused) {
  const std::pair<std::string, const char*> kWrong[] = {
      {"[]", "not a moescope.dump_manifest of version 1"},
      {"{}", "not a moescope.dump_manifest of version 1"},
      {R"({"schema": "moescope.dump_manifest", "schema_version": 2, "dumps": []})",
       "not a moescope.dump_manifest of version 1"},
      {R"({"schema": "moescope.dump_manifest", "schema_version": 1, "dumps": {}})",
       "not a moescope.dump_manifest of version 1"},
      {Manifest("3"), "a dump without the name of a file in the folder and its bytes"},
      {Manifest(R"({"bytes": 3})"),
       "a dump without the name of a file in the folder and its bytes"},
      {Manifest(R"({"file": "a", "bytes": -3})"),
       "a dump without the name of a file in the folder and its bytes"},
      {Manifest(R"({"file": "../a", "bytes": 3})"),
       "a dump without the name of a file in the folder and its bytes"},
      {Manifest(R"({"file": "a", "bytes": 3, "range": {"first": 5, "last": 4}})"),
       "a has no valid range"},
      {Manifest(R"({"file": "a", "bytes": 3, "range": {"first": 5}})"), "a has no valid range"},
      {Manifest(R"({"file": "a", "bytes": 3, "range": 7})"), "a has no valid range"},
      {Manifest(
           R"({"file": "a", "bytes": 3, "range": {"first": 0, "last": 18446744073709551615}})"),
       "a has no valid range"},
  };
  for (const auto& [text, message] : kWrong) {
    const std::string folder = Folder("f", text);
    EXPECT_EQ(ReadDumpManifest(folder).status().message(),
              absl::StrCat(folder, "/dump_manifest.json: error: ", message, " [IM013]"))
        << text;
  }
  const std::string folder = Folder("f", "{");
  EXPECT_THAT(std::string(ReadDumpManifest(folder).status().message()),
              StartsWith(absl::StrCat(folder, "/dump_manifest.json:1:")));
  EXPECT_THAT(std::string(ReadDumpManifest(folder).status().message()), HasSubstr("[IM013]"));
  EXPECT_EQ(ReadDumpManifest("/nonexistent").status().message(),
            "cannot open '/nonexistent/dump_manifest.json': No such file or directory");
}

}  // namespace
}  // namespace moescope::session
