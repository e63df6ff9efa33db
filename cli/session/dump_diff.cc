#include "cli/session/dump_diff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "isa/bfloat16.h"

namespace moescope::session {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;  // a multiple of every element

std::size_t BytesOf(DumpElement element) {
  switch (element) {
    case DumpElement::kBf16:
      return 2;
    case DumpElement::kU32:
    case DumpElement::kF32:
      return 4;
    case DumpElement::kBytes:
    case DumpElement::kJson:
      break;
  }
  return 1;
}

// The bits of the element at `bytes`, little-endian.
std::uint32_t BitsAt(const char* bytes, std::size_t count) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return bits;
}

double ValueOf(DumpElement element, std::uint32_t bits) {
  if (element == DumpElement::kBf16) return isa::Bf16ToFloat(static_cast<isa::Bf16>(bits));
  if (element == DumpElement::kF32) return std::bit_cast<float>(bits);
  return bits;
}

std::string TextOf(DumpElement element, std::uint32_t bits) {
  switch (element) {
    case DumpElement::kBf16:
      return absl::StrFormat("%g (0x%04X)", ValueOf(element, bits), bits);
    case DumpElement::kF32:
      return absl::StrFormat("%.9g (0x%08X)", ValueOf(element, bits), bits);
    case DumpElement::kU32:
      return absl::StrCat(bits);
    case DumpElement::kBytes:
    case DumpElement::kJson:
      break;
  }
  return absl::StrFormat("0x%02X", bits);
}

// What the manifest counts in, by the file's name.
std::string_view UnitName(const std::string& file) {
  if (file.starts_with("vram")) return "row";
  if (file.starts_with("mram")) return "tile";
  if (file.starts_with("fpsram") || file.starts_with("intsram")) return "word";
  return "byte";
}

std::string PlaceOf(const DumpShape& shape, std::size_t width, std::uint64_t index) {
  const std::uint64_t units = shape.units.value_or(0);
  if (units == 0 || shape.bytes % units != 0) return absl::StrCat("element ", index);
  const std::uint64_t per_unit = std::max<std::uint64_t>(shape.bytes / units / width, 1);
  const std::string unit =
      absl::StrCat(std::string(UnitName(shape.name)), " ", shape.first + index / per_unit);
  return per_unit == 1 ? unit : absl::StrCat(unit, ", element ", index % per_unit);
}

// Fills the buffer unless the file ends before.
absl::StatusOr<std::size_t> ReadChunk(InputFile& file, std::array<char, kChunk>& buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    ASSIGN_OR_RETURN(const std::size_t got,
                     file.Read(buffer.data() + filled, buffer.size() - filled));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

class Comparison {
 public:
  Comparison(const DumpShape& shape, DumpElement element)
      : element_(element), width_(BytesOf(element)) {
    difference_.shape = shape;
  }

  void Chunk(const char* a, const char* b, std::size_t size) {
    if (std::memcmp(a, b, size) != 0) {
      for (std::size_t at = 0; at + width_ <= size; at += width_) {
        if (std::memcmp(a + at, b + at, width_) != 0) {
          Element(difference_.elements + at / width_, BitsAt(a + at, width_),
                  BitsAt(b + at, width_));
        }
      }
    }
    difference_.elements += size / width_;
  }

  void CountBytes(std::size_t a, std::size_t b) {
    difference_.bytes_a += a;
    difference_.bytes_b += b;
  }

  DumpDifference Take() { return std::move(difference_); }

 private:
  void Element(std::uint64_t index, std::uint32_t a, std::uint32_t b) {
    if (difference_.differing++ == 0) {
      difference_.place = PlaceOf(difference_.shape, width_, index);
      difference_.a = TextOf(element_, a);
      difference_.b = TextOf(element_, b);
    }
    const double distance = std::abs(ValueOf(element_, a) - ValueOf(element_, b));
    if (std::isfinite(distance)) difference_.largest = std::max(difference_.largest, distance);
  }

  DumpElement element_;
  std::size_t width_;
  DumpDifference difference_;
};

// Register files are text: line by line.
absl::StatusOr<DumpDifference> CompareLines(InputFile& a, InputFile& b, const DumpShape& shape) {
  ASSIGN_OR_RETURN(const std::string text_a, a.ReadAll());
  ASSIGN_OR_RETURN(const std::string text_b, b.ReadAll());
  const std::vector<std::string> lines_a = absl::StrSplit(text_a, '\n');
  const std::vector<std::string> lines_b = absl::StrSplit(text_b, '\n');
  DumpDifference difference;
  difference.shape = shape;
  difference.bytes_a = text_a.size();
  difference.bytes_b = text_b.size();
  difference.elements = std::max(lines_a.size(), lines_b.size());
  for (std::size_t i = 0; i < difference.elements; ++i) {
    const std::string line_a = i < lines_a.size() ? lines_a[i] : "";
    const std::string line_b = i < lines_b.size() ? lines_b[i] : "";
    if (line_a == line_b || difference.differing++ > 0) continue;
    difference.place = absl::StrCat("line ", i + 1);
    difference.a = std::string(absl::StripAsciiWhitespace(line_a));
    difference.b = std::string(absl::StripAsciiWhitespace(line_b));
  }
  return difference;
}

bool SameRange(const DumpShape& a, const DumpShape& b) {
  return a.first == b.first && a.units == b.units && a.element == b.element;
}

}  // namespace

std::optional<DumpElement> ParseDumpElement(std::string_view name) {
  if (name == "bf16") return DumpElement::kBf16;
  if (name == "u32") return DumpElement::kU32;
  if (name == "f32") return DumpElement::kF32;
  if (name == "json") return DumpElement::kJson;
  if (name == "bytes") return DumpElement::kBytes;
  return std::nullopt;
}

bool DumpDiff::is_equal() const {
  return one_sided.empty() &&
         std::all_of(files.begin(), files.end(),
                     [](const DumpDifference& file) { return file.is_equal(); });
}

absl::StatusOr<DumpDifference> CompareDumps(InputFile& a, InputFile& b, const DumpShape& shape,
                                            DumpElement element) {
  if (element == DumpElement::kJson) return CompareLines(a, b, shape);
  Comparison comparison(shape, element);
  std::array<char, kChunk> buffer_a;
  std::array<char, kChunk> buffer_b;
  for (;;) {
    ASSIGN_OR_RETURN(const std::size_t got_a, ReadChunk(a, buffer_a));
    ASSIGN_OR_RETURN(const std::size_t got_b, ReadChunk(b, buffer_b));
    comparison.CountBytes(got_a, got_b);
    comparison.Chunk(buffer_a.data(), buffer_b.data(), std::min(got_a, got_b));
    if (got_a == 0 && got_b == 0) break;
  }
  DumpDifference difference = comparison.Take();
  for (const std::uint64_t bytes : {difference.bytes_a, difference.bytes_b}) {
    if (bytes % BytesOf(element) == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(shape.name, ": ", bytes,
                                                   " bytes are no whole number of elements of ",
                                                   BytesOf(element), " bytes"));
  }
  return difference;
}

absl::StatusOr<DumpDiff> DiffDumpFolders(const std::string& a, const std::string& b) {
  ASSIGN_OR_RETURN(const std::vector<DumpShape> shapes_a, ReadDumpManifest(a));
  ASSIGN_OR_RETURN(const std::vector<DumpShape> shapes_b, ReadDumpManifest(b));
  const auto find = [](const std::vector<DumpShape>& shapes, const std::string& name) {
    const auto at = std::find_if(shapes.begin(), shapes.end(),
                                 [&](const DumpShape& shape) { return shape.name == name; });
    return at == shapes.end() ? nullptr : &*at;
  };
  DumpDiff diff{a, b, {}, {}};
  for (const DumpShape& shape : shapes_a) {
    const DumpShape* other = find(shapes_b, shape.name);
    if (other == nullptr) {
      diff.one_sided.emplace_back(shape.name, 'A');
      continue;
    }
    if (!SameRange(shape, *other)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "not comparable: ", shape.name, " holds other elements or another range in A and in B"));
    }
    ASSIGN_OR_RETURN(InputFile file_a, InputFile::Open(absl::StrCat(a, "/", shape.name)));
    ASSIGN_OR_RETURN(InputFile file_b, InputFile::Open(absl::StrCat(b, "/", shape.name)));
    const DumpElement element = ParseDumpElement(shape.element).value_or(DumpElement::kBytes);
    ASSIGN_OR_RETURN(DumpDifference difference, CompareDumps(file_a, file_b, shape, element));
    diff.files.push_back(std::move(difference));
  }
  for (const DumpShape& shape : shapes_b) {
    if (find(shapes_a, shape.name) == nullptr) diff.one_sided.emplace_back(shape.name, 'B');
  }
  return diff;
}

}  // namespace moescope::session
