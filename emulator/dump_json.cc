#include "emulator/dump_json.h"

#include "absl/strings/str_format.h"
#include "base/json.h"

namespace moescope::emulator {

namespace {

Json RangeJson(const IndexRange& range) {
  return Json{{"first", range.first}, {"last", range.last}};
}

}  // namespace

std::string RegistersJson(const MachineState& state) {
  const Registers& r = state.registers;
  Json json;
  json["schema"] = "moescope.registers";
  json["schema_version"] = 1;
  json["pc"] = state.pc;
  json["gp"] = r.gp;
  json["f"] = Json::array();
  for (const isa::Bf16 value : r.fp) json["f"].push_back(absl::StrFormat("0x%04X", value));
  json["a"] = Json::array();
  for (const std::uint64_t value : r.address) {
    json["a"].push_back(absl::StrFormat("0x%016X", value));
  }
  json["scale"] = r.scale;
  json["stride"] = r.stride;
  json["v_mask"] = absl::StrFormat("0x%08X", r.vector_mask);
  if (r.topk) json["topk"] = Json{{"experts", *r.topk >> 8}, {"k", *r.topk & 255}};
  json["loops"] = Json::array();
  for (const OpenLoop& loop : state.loops) {
    json["loops"].push_back(
        Json{{"start_pc", loop.start_pc}, {"register", absl::StrFormat("gp%d", loop.reg)}});
  }
  return JsonText(json);
}

std::string DumpManifestJson(std::span<const DumpRecord> records) {
  Json json;
  json["schema"] = "moescope.dump_manifest";
  json["schema_version"] = 1;
  json["dumps"] = Json::array();
  for (const DumpRecord& record : records) {
    Json entry;
    entry["target"] = DumpTargetName(record.target);
    entry["file"] = record.file;
    entry["bytes"] = record.bytes;
    entry["sha256"] = record.sha256;
    entry["element"] = record.element;
    if (record.target != DumpTarget::kRegisters) {
      entry["range"] = RangeJson(record.range);
      entry["written"] = record.written ? RangeJson(*record.written) : Json(nullptr);
    }
    json["dumps"].push_back(std::move(entry));
  }
  return JsonText(json);
}

}  // namespace moescope::emulator
