#include "isa/container.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/byte_stream.h"
#include "isa/isa_hash.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kMagic = "MOESCOPE";
constexpr std::size_t kNameSize = 4;
constexpr std::size_t kDigestSize = 32;
constexpr std::size_t kEntrySize = kNameSize + 4 + 8 + 8 + kDigestSize;
constexpr std::size_t kFixedHeaderSize = 8 + 4 + 4;

std::string DigestOf(std::string_view bytes) {
  Sha256 sha;
  sha.Update(bytes);
  const std::array<std::uint8_t, kDigestSize> digest = sha.Digest();
  return {digest.begin(), digest.end()};
}

struct Section {
  std::string name;
  std::string bytes;
};

std::string IsaSection(const InstructionSet& set) {
  ByteWriter out;
  out.U32(static_cast<std::uint32_t>(set.version().major));
  out.U32(static_cast<std::uint32_t>(set.version().minor));
  out.Text(IsaHash(set));
  return out.Take();
}

std::string ShapeSection(const StatedShape& shape) {
  ByteWriter out;
  for (const std::uint32_t edge : {shape.mlen, shape.blen, shape.vlen, shape.hlen}) out.U32(edge);
  return out.Take();
}

std::string WordSection(const Program& program) {
  ByteWriter out;
  out.U32(static_cast<std::uint32_t>(program.words.size()));
  for (const std::uint32_t word : program.words) out.U32(word);
  return out.Take();
}

std::string TextSection(const std::vector<std::string>& texts) {
  ByteWriter out;
  out.U32(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) out.Text(text);
  return out.Take();
}

std::string StageSection(const Program& program) {
  ByteWriter out;
  out.U32(static_cast<std::uint32_t>(program.attribution));
  out.U32(static_cast<std::uint32_t>(program.names.size()));
  for (const StageName& name : program.names) {
    out.Text(name.name);
    out.U32(static_cast<std::uint32_t>(name.origin));
    out.U32(static_cast<std::uint32_t>(name.scope));
    out.Text(name.parent);
  }
  out.U32(static_cast<std::uint32_t>(program.ranges.size()));
  for (const StageRange& range : program.ranges) {
    out.U32(range.begin_pc);
    out.U32(range.end_pc);
    out.U32(range.name);
    out.Optional(range.pair);
    out.Optional(range.expert);
    out.Optional(range.parent);
    out.U32(range.file);
    out.U32(range.line);
  }
  out.Bytes(TextSection(program.unresolved_markers));
  return out.Take();
}

std::string PositionSection(const Program& program) {
  ByteWriter out;
  out.U32(static_cast<std::uint32_t>(program.positions.size()));
  for (const SourcePosition& position : program.positions) {
    out.U32(position.file);
    out.U32(position.line);
    out.U32(position.column);
  }
  return out.Take();
}

// Readers of one section each; what goes wrong shows in the reader.

template <typename Enum>
Enum ReadEnum(ByteReader& in, Enum largest) {
  const std::uint32_t value = in.U32();
  if (value > static_cast<std::uint32_t>(largest)) in.Fail();
  return static_cast<Enum>(value);
}

void ReadShape(ByteReader& in, Program& program) {
  StatedShape& shape = program.stated_shape;
  for (std::uint32_t* const edge : {&shape.mlen, &shape.blen, &shape.vlen, &shape.hlen}) {
    *edge = in.U32();
  }
}

void ReadWords(ByteReader& in, Program& program) {
  program.words.resize(in.Count(4));
  for (std::uint32_t& word : program.words) word = in.U32();
}

std::vector<std::string> ReadTexts(ByteReader& in) {
  std::vector<std::string> texts(in.Count(4));
  for (std::string& text : texts) text = in.Text();
  return texts;
}

void ReadStages(ByteReader& in, Program& program) {
  program.attribution = ReadEnum(in, AttributionSource::kAnnotated);
  program.names.resize(in.Count(16));
  for (StageName& name : program.names) {
    name.name = in.Text();
    name.origin = ReadEnum(in, StageOrigin::kExtension);
    name.scope = ReadEnum(in, StageScope::kPair);
    name.parent = in.Text();
  }
  program.ranges.resize(in.Count(32));
  for (StageRange& range : program.ranges) {
    range.begin_pc = in.U32();
    range.end_pc = in.U32();
    range.name = in.U32();
    range.pair = in.Optional();
    range.expert = in.Optional();
    range.parent = in.Optional();
    range.file = in.U32();
    range.line = in.U32();
  }
  program.unresolved_markers = ReadTexts(in);
}

void ReadPositions(ByteReader& in, Program& program) {
  program.positions.resize(in.Count(12));
  for (SourcePosition& position : program.positions) {
    position.file = in.U32();
    position.line = in.U32();
    position.column = in.U32();
  }
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path, const ContainerReading& reading)
      : bytes_(bytes), path_(path), reading_(reading) {}

  absl::StatusOr<Program> Read() {
    RETURN_IF_ERROR(ReadTable());
    Program program;
    RETURN_IF_ERROR(ReadSection("ISA ", [this](ByteReader& in) { ReadIsa(in); }));
    RETURN_IF_ERROR(CheckIsa());
    RETURN_IF_ERROR(ReadSection("SHAP", [&](ByteReader& in) { ReadShape(in, program); }));
    RETURN_IF_ERROR(ReadSection("WORD", [&](ByteReader& in) { ReadWords(in, program); }));
    RETURN_IF_ERROR(ReadSection("FILE", [&](ByteReader& in) { program.files = ReadTexts(in); }));
    RETURN_IF_ERROR(ReadSection("STAG", [&](ByteReader& in) { ReadStages(in, program); }));
    if (sections_.contains("POSN")) {
      RETURN_IF_ERROR(ReadSection("POSN", [&](ByteReader& in) { ReadPositions(in, program); }));
    }
    if (!sections_.empty()) {
      return Error("PC004", absl::StrCat("unknown section '", sections_.begin()->first, "'"));
    }
    const absl::Status valid = Validate(program);
    if (!valid.ok()) {
      return Error("PC006", absl::StrCat("inconsistent program: ", valid.message()));
    }
    return program;
  }

 private:
  absl::Status Error(std::string_view id, std::string message) const {
    Diagnostic diagnostic;
    diagnostic.id = std::string(id);
    diagnostic.message = std::move(message);
    diagnostic.location.file = path_;
    return ToStatus(diagnostic);
  }

  absl::Status ReadTable() {
    if (!IsContainer(bytes_)) return Error("PC001", "this is no program container");
    ByteReader in(bytes_.substr(kMagic.size()));
    const std::uint32_t version = in.U32();
    const std::uint64_t count = in.U32();
    if (!in.failed() && version != kContainerVersion) {
      return Error("PC002", absl::StrCat("container format ", version, "; this build reads format ",
                                         kContainerVersion));
    }
    const std::uint64_t header = kFixedHeaderSize + count * kEntrySize;
    if (in.failed() || header + kDigestSize > bytes_.size()) {
      return Error("PC001", "the container is cut off");
    }
    if (bytes_.substr(header, kDigestSize) != DigestOf(bytes_.substr(0, header))) {
      return Error("PC003", "the checksum of the header does not match");
    }
    return ReadEntries(in, count, header + kDigestSize);
  }

  absl::Status ReadEntries(ByteReader& in, std::uint64_t count, std::uint64_t begin) {
    for (; count > 0; --count) {
      const std::string name(in.Bytes(kNameSize));
      const std::uint32_t zero = in.U32();
      const std::uint64_t offset = in.U64();
      const std::uint64_t size = in.U64();
      const std::string_view digest = in.Bytes(kDigestSize);
      if (zero != 0 || offset != begin) {
        return Error("PC004", absl::StrCat("section '", name, "' is not where it belongs"));
      }
      if (size > bytes_.size() - begin) {
        return Error("PC001", absl::StrCat("the container is cut off in section '", name, "'"));
      }
      begin += size;
      const std::string_view content = bytes_.substr(offset, size);
      if (DigestOf(content) != digest) {
        return Error("PC003", absl::StrCat("the checksum of section '", name, "' does not match"));
      }
      if (!sections_.emplace(name, content).second) {
        return Error("PC004", absl::StrCat("section '", name, "' comes twice"));
      }
    }
    if (begin != bytes_.size()) return Error("PC004", "bytes after the last section");
    return absl::OkStatus();
  }

  absl::Status ReadSection(const std::string& name, const std::function<void(ByteReader&)>& read) {
    const auto found = sections_.find(name);
    if (found == sections_.end()) {
      return Error("PC004", absl::StrCat("section '", name, "' is missing"));
    }
    ByteReader in(found->second);
    read(in);
    sections_.erase(found);
    if (in.IsComplete()) return absl::OkStatus();
    return Error("PC004", absl::StrCat("section '", name, "' is malformed"));
  }

  void ReadIsa(ByteReader& in) {
    major_ = in.U32();
    minor_ = in.U32();
    hash_ = in.Text();
  }

  absl::Status CheckIsa() const {
    const InstructionSet& set = *reading_.instruction_set;
    const std::string expected = IsaHash(set);
    if (hash_ == expected || reading_.force_isa) return absl::OkStatus();
    return Error("PC005",
                 absl::StrCat("assembled for ISA ", major_, ".", minor_, " (", hash_,
                              "), not for ISA ", set.version().major, ".", set.version().minor,
                              " (", expected, "); --force-isa reads it all the same"));
  }

  std::string_view bytes_;
  const std::string& path_;
  const ContainerReading& reading_;
  std::map<std::string, std::string_view> sections_;  // not yet read
  std::uint32_t major_ = 0;
  std::uint32_t minor_ = 0;
  std::string hash_;
};

}  // namespace

bool IsContainer(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string WriteContainer(const Program& program, const InstructionSet& set) {
  std::vector<Section> sections = {{"ISA ", IsaSection(set)},
                                   {"SHAP", ShapeSection(program.stated_shape)},
                                   {"WORD", WordSection(program)},
                                   {"FILE", TextSection(program.files)},
                                   {"STAG", StageSection(program)}};
  if (!program.positions.empty()) sections.push_back({"POSN", PositionSection(program)});
  ByteWriter out;
  out.Bytes(kMagic);
  out.U32(kContainerVersion);
  out.U32(static_cast<std::uint32_t>(sections.size()));
  std::uint64_t offset = kFixedHeaderSize + sections.size() * kEntrySize + kDigestSize;
  for (const Section& section : sections) {
    out.Bytes(section.name);
    out.U32(0);
    out.U64(offset);
    out.U64(section.bytes.size());
    out.Bytes(DigestOf(section.bytes));
    offset += section.bytes.size();
  }
  out.Bytes(DigestOf(out.bytes()));
  for (const Section& section : sections) out.Bytes(section.bytes);
  return out.Take();
}

absl::StatusOr<Program> ReadContainer(std::string_view bytes, const std::string& path,
                                      const ContainerReading& reading) {
  return Reader(bytes, path, reading).Read();
}

}  // namespace moescope::isa
