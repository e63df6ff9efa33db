#include "emulator/dumps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "emulator/dump_json.h"
#include "isa/format_text.h"
#include "isa/row_codec.h"

namespace moescope::emulator {

namespace {

constexpr std::array<std::string_view, 6> kTargetNames = {"vram",    "mram", "fpsram",
                                                          "intsram", "hbm",  "registers"};
constexpr std::array<std::string_view, 6> kFileNames = {"vram_dump.bin",   "mram_dump.bin",
                                                        "fpsram_dump.bin", "intsram_dump.bin",
                                                        "hbm_dump.bin",    "registers.json"};

absl::Status Failure(std::string message, std::string_view id, const std::string& file = "") {
  Diagnostic diagnostic{.id = std::string(id), .message = std::move(message)};
  diagnostic.location.file = file;
  return ToStatus(diagnostic);
}

// Takes the bytes of a dump in order: hashes them, and writes them where there is a file.
class DumpSink {
 public:
  DumpSink(AtomicFile* file, bool sparse) : file_(file), sparse_(sparse) {}

  absl::Status Write(std::string_view bytes) {
    hash_.Update(bytes);
    bytes_ += bytes.size();
    return file_ == nullptr ? absl::OkStatus() : file_->Write(bytes);
  }

  absl::Status WriteZeros(std::uint64_t count) {
    hash_.UpdateZeros(count);
    bytes_ += count;
    if (file_ == nullptr) return absl::OkStatus();
    if (sparse_) return file_->Skip(count);
    static const std::string kZeros(std::size_t{1} << 16, '\0');
    while (count > 0) {
      const std::uint64_t part = std::min<std::uint64_t>(count, kZeros.size());
      RETURN_IF_ERROR(file_->Write({kZeros.data(), static_cast<std::size_t>(part)}));
      count -= part;
    }
    return absl::OkStatus();
  }

  std::uint64_t bytes() const { return bytes_; }
  std::string Hash() const { return hash_.Name(); }

 private:
  AtomicFile* file_;
  bool sparse_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
};

template <typename Element>
std::string_view Bytes(const Element* elements, std::uint64_t count) {
  return {reinterpret_cast<const char*>(elements),
          static_cast<std::size_t>(count) * sizeof(Element)};
}

// One dump: which units a target has, and their bytes.
class Dump {
 public:
  Dump(const MachineState& state, const MachineDescription& machine, DumpTarget target)
      : state_(state),
        target_(target),
        codec_(machine.formats.matrix_sram, machine.dialect.convention,
               machine.dialect.scale_rule) {}

  std::uint64_t Units() const {
    switch (target_) {
      case DumpTarget::kVram:
        return state_.vram.rows();
      case DumpTarget::kMram:
        return state_.mram.rows();
      case DumpTarget::kFpSram:
        return state_.fp_mem.size();
      case DumpTarget::kIntSram:
        return state_.int_mem.size();
      case DumpTarget::kHbm:
        return state_.hbm.size();
      case DumpTarget::kRegisters:
        return 1;
    }
    return 0;
  }

  std::string Element() const {
    switch (target_) {
      case DumpTarget::kVram:
      case DumpTarget::kFpSram:
        return "bf16";
      case DumpTarget::kMram:
        return isa::ElementTypeName(codec_.format().element);
      case DumpTarget::kIntSram:
        return "u32";
      case DumpTarget::kHbm:
        return "bytes";
      case DumpTarget::kRegisters:
        return "json";
    }
    return "";
  }

  std::optional<IndexRange> Written() const {
    switch (target_) {
      case DumpTarget::kVram:
        return state_.vram.written();
      case DumpTarget::kMram:
        return state_.mram.written();
      case DumpTarget::kFpSram:
        return state_.fp_mem.written();
      case DumpTarget::kIntSram:
        return state_.int_mem.written();
      case DumpTarget::kHbm:
        return state_.hbm.written();
      case DumpTarget::kRegisters:
        return std::nullopt;
    }
    return std::nullopt;
  }

  absl::Status Produce(const IndexRange& range, DumpSink& sink) const {
    const std::uint64_t count = range.last - range.first + 1;
    switch (target_) {
      case DumpTarget::kVram:
        return ProduceRows(range, sink);
      case DumpTarget::kMram:
        return ProduceTiles(range, sink);
      case DumpTarget::kFpSram:
        return sink.Write(Bytes(state_.fp_mem.data() + range.first, count));
      case DumpTarget::kIntSram:
        return sink.Write(Bytes(state_.int_mem.data() + range.first, count));
      case DumpTarget::kHbm:
        return ProduceHbm(range, sink);
      case DumpTarget::kRegisters:
        return sink.Write(RegistersJson(state_));
    }
    return absl::OkStatus();
  }

 private:
  // Rows that are stored together lie one after the other.
  absl::Status ProduceRows(const IndexRange& range, DumpSink& sink) const {
    const std::uint64_t width = state_.vram.width();
    const std::uint64_t chunk = state_.vram.rows_per_chunk();
    for (std::uint64_t row = range.first; row <= range.last;) {
      const std::uint64_t next = std::min((row / chunk + 1) * chunk, range.last + 1);
      const std::uint64_t lanes = (next - row) * width;
      RETURN_IF_ERROR(state_.vram.IsStored(row) ? sink.Write(Bytes(state_.vram.Read(row), lanes))
                                                : sink.WriteZeros(lanes * sizeof(isa::Bf16)));
      row = next;
    }
    return absl::OkStatus();
  }

  absl::Status ProduceTiles(const IndexRange& range, DumpSink& sink) const {
    const std::uint64_t elements = state_.mram.width();
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(codec_.format().ElementBytes(elements)));
    for (std::uint64_t tile = range.first; tile <= range.last; ++tile) {
      if (!state_.mram.IsStored(tile)) {
        RETURN_IF_ERROR(sink.WriteZeros(bytes.size()));
        continue;
      }
      codec_.Encode({state_.mram.Read(tile), static_cast<std::size_t>(elements)}, bytes, {});
      RETURN_IF_ERROR(sink.Write(Bytes(bytes.data(), bytes.size())));
    }
    return absl::OkStatus();
  }

  absl::Status ProduceHbm(const IndexRange& range, DumpSink& sink) const {
    for (std::uint64_t at = range.first; at <= range.last;) {
      const std::uint64_t page = at / SparseBytes::kPageBytes;
      const std::uint64_t end = std::min((page + 1) * SparseBytes::kPageBytes, range.last + 1);
      const std::uint8_t* bytes = state_.hbm.Page(page);
      if (bytes == nullptr) {
        RETURN_IF_ERROR(sink.WriteZeros(end - at));
      } else {
        RETURN_IF_ERROR(sink.Write(Bytes(bytes + at % SparseBytes::kPageBytes, end - at)));
      }
      at = end;
    }
    return absl::OkStatus();
  }

  const MachineState& state_;
  DumpTarget target_;
  isa::RowCodec codec_;
};

// The range of a request, checked against the memory.
absl::StatusOr<IndexRange> RangeOf(const Dump& dump, const DumpRequest& request) {
  const std::uint64_t units = dump.Units();
  if (!request.range) return IndexRange{0, units - 1};
  const IndexRange& range = *request.range;
  if (range.first <= range.last && range.last < units) return range;
  return Failure(absl::StrCat("dump range ", Absl(DumpTargetName(request.target)), ":", range.first,
                              "..", range.last, ": must lie in 0..", units - 1),
                 "IM011");
}

absl::StatusOr<DumpRecord> Record(const MachineState& state, const MachineDescription& machine,
                                  const DumpRequest& request, AtomicFile* file, bool sparse) {
  const Dump dump(state, machine, request.target);
  DumpRecord record;
  ASSIGN_OR_RETURN(record.range, RangeOf(dump, request));
  DumpSink sink(file, sparse);
  RETURN_IF_ERROR(dump.Produce(record.range, sink));
  record.target = request.target;
  record.file = std::string(DumpFileName(request.target));
  record.bytes = sink.bytes();
  record.sha256 = sink.Hash();
  record.element = dump.Element();
  record.written = dump.Written();
  return record;
}

// A file error as a diagnostic; one that has an id already stays.
absl::Status AsDumpError(const absl::Status& status, const std::string& path) {
  if (status.ok() || !DiagnosticsOf(status).front().id.empty()) return status;
  return Failure(absl::StrCat("cannot write the dump: ", status.message()), "IM012", path);
}

}  // namespace

std::string_view DumpTargetName(DumpTarget target) {
  return kTargetNames[static_cast<std::size_t>(target)];
}

std::string_view DumpFileName(DumpTarget target) {
  return kFileNames[static_cast<std::size_t>(target)];
}

std::optional<DumpTarget> ParseDumpTarget(std::string_view name) {
  for (std::size_t i = 0; i < kTargetNames.size(); ++i) {
    if (kTargetNames[i] == name) return static_cast<DumpTarget>(i);
  }
  return std::nullopt;
}

absl::StatusOr<DumpRequest> ParseDumpRange(std::string_view text) {
  const auto malformed = [text] {
    return Failure(absl::StrCat("dump range '", Absl(text),
                                "': must be MEMORY:FIRST..LAST with vram, mram, fpsram, intsram "
                                "or hbm"),
                   "IM011");
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return malformed();
  const std::optional<DumpTarget> target = ParseDumpTarget(text.substr(0, colon));
  if (!target || *target == DumpTarget::kRegisters) return malformed();
  const std::string_view numbers = text.substr(colon + 1);
  const std::size_t dots = numbers.find("..");
  const std::string_view first = numbers.substr(0, dots);
  const std::string_view last = dots == std::string_view::npos ? first : numbers.substr(dots + 2);
  IndexRange range;
  if (!absl::SimpleAtoi(Absl(first), &range.first) || !absl::SimpleAtoi(Absl(last), &range.last)) {
    return malformed();
  }
  return DumpRequest{*target, range};
}

absl::StatusOr<DumpRecord> DescribeDump(const MachineState& state,
                                        const MachineDescription& machine,
                                        const DumpRequest& request) {
  return Record(state, machine, request, nullptr, false);
}

absl::StatusOr<std::vector<DumpRecord>> WriteDumps(const MachineState& state,
                                                   const MachineDescription& machine,
                                                   std::span<const DumpRequest> requests,
                                                   const DumpOptions& options) {
  std::vector<DumpRecord> records;
  for (const DumpRequest& request : requests) {
    const std::string path = absl::StrCat(options.folder, "/", Absl(DumpFileName(request.target)));
    absl::StatusOr<AtomicFile> file = AtomicFile::Create(path);
    RETURN_IF_ERROR(AsDumpError(file.status(), path));
    absl::StatusOr<DumpRecord> record = Record(state, machine, request, &*file, options.sparse);
    RETURN_IF_ERROR(AsDumpError(record.status(), path));
    RETURN_IF_ERROR(AsDumpError(file->Commit(), path));
    records.push_back(*std::move(record));
  }
  const std::string manifest = absl::StrCat(options.folder, "/dump_manifest.json");
  RETURN_IF_ERROR(AsDumpError(WriteFile(manifest, DumpManifestJson(records)), manifest));
  return records;
}

}  // namespace moescope::emulator
