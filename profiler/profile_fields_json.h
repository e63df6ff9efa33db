#pragma once

#include <concepts>
#include <type_traits>

#include "profiler/profile.h"

// The members of every profile object, once, in the order of profile.md 5: the writer and the
// reader are both derived from these functions. An archive offers
//   a(key, value)            a required member, or an optional one when `value` is an std::optional
//   a.Object(key, function)  a nested object; function(archive) lists its members
//   a.Split(key, split, names)   a sparse map by name; absent when the split is empty
//   a.Map(key, vector, member)   an object keyed by that member of each element, in vector order
//   a.SparseMap(...)             the same, absent when empty
//   a.Texts(key, pairs), a.Configuration(key, values)

namespace moescope::profiler {

template <typename T, typename U>
concept Of = std::same_as<std::remove_const_t<T>, U>;

template <typename A>
void Fields(A& a, Of<End> auto& end) {
  a("reason", end.reason);
  a("cycle", end.cycle);
  a("pc", end.pc);
  a("fault", end.fault);
  a("signal", end.signal);
  a("limit", end.limit);
}

template <typename A>
void Fields(A& a, Of<Tool> auto& tool) {
  a("name", tool.name);
  a("version", tool.version);
  a("git", tool.git);
}

template <typename A>
void Fields(A& a, Of<VocabularyEntry> auto& entry) {
  a("name", entry.name);
  a("origin", entry.origin);
  a("scope", entry.scope);
}

template <typename A>
void Fields(A& a, Of<ProgramIdentity> auto& program) {
  a("sha256", program.sha256);
  a("words", program.words);
  a("stage_table_sha256", program.stage_table_sha256);
  a("attribution", program.attribution);
  a("vocabulary", program.vocabulary);
  a("vocabulary_sha256", program.vocabulary_sha256);
  a("unresolved_markers", program.unresolved_markers);
}

template <typename A>
void Fields(A& a, Of<MachineIdentity> auto& machine) {
  a("name", machine.name);
  a("sha256", machine.sha256);
  a("timing_model", machine.timing_model);
  a("latency_profile", machine.latency_profile);
  a("hbm_model", machine.hbm_model);
  a("clock_period_ps", machine.clock_period_ps);
  a("number_convention", machine.number_convention);
  a("scale_rule", machine.scale_rule);
  a.Texts("dialect", machine.dialect);
  a.Configuration("effective", machine.effective);
}

template <typename A>
void Fields(A& a, Of<IsaIdentity> auto& isa) {
  a("name", isa.name);
  a("version", isa.version);
  a("sha256", isa.sha256);
}

template <typename A>
void Fields(A& a, Of<Image> auto& image) {
  a("target", image.target);
  a("bytes", image.bytes);
  a("sha256", image.sha256);
}

template <typename A>
void Fields(A& a, Of<Work> auto& work) {
  a("instructions", work.instructions);
  a("cycles", work.cycles);
}

template <typename A>
void Fields(A& a, Of<Coverage> auto& coverage) {
  for (std::size_t i = 0; i < emulator::kCostClassCount; ++i) {
    if constexpr (A::kReads) coverage.classes.resize(emulator::kCostClassCount);
    a(emulator::kCostClassNames[i], coverage.classes[i]);
  }
  a("in_domain_ppm", coverage.in_domain_ppm);
}

template <typename A>
void Fields(A& a, Of<WeakOpcode> auto& opcode) {
  a("mnemonic", opcode.mnemonic);
  a("class", opcode.cost_class);
}

template <typename A>
void Fields(A& a, Of<Law> auto& law) {
  a("name", law.name);
  a("shapes", law.shapes);
}

template <typename A>
void Fields(A& a, Of<Model> auto& model) {
  a("issue_model", model.issue_model);
  a("reasons", model.reasons);
  a.Counts("units", model.units, "instances");
  a("coverage", model.coverage);
  a("assumptions", model.assumptions);
  a("weak_opcodes", model.weak_opcodes);
  a("laws", model.laws);
  a.Counts("missing_interlocks", model.missing_interlocks, "count");
}

template <typename A>
void TrafficFields(A& a, Of<TrafficCounters> auto& traffic, std::string_view extra) {
  a("logical_bytes", traffic.logical_bytes);
  a("physical_bytes", traffic.physical_bytes);
  a("lines", traffic.lines);
  a("burst_bytes", traffic.burst_bytes);
  a(extra, traffic.extra_bytes);
}

template <typename A>
void Fields(A& a, Of<CounterBlock> auto& block) {
  a("instructions", block.instructions);
  a("cycles", block.cycles);
  a.Split("reasons", block.reasons, emulator::kReasonNames);
  a.Split("units", block.units, emulator::kUnitNames);
  a.Object("hbm", [&](A& hbm) {
    hbm.Object("read", [&](A& read) { TrafficFields(read, block.read, "repeat_bytes"); });
    hbm.Object("write", [&](A& write) { TrafficFields(write, block.write, "rmw_read_bytes"); });
  });
  a.Object("flops", [&](A& flops) {
    flops("matrix", block.flops.matrix);
    flops("vector", block.flops.vector);
    flops("scalar", block.flops.scalar);
  });
}

template <typename A>
void Fields(A& a, Of<Totals> auto& totals) {
  Fields(a, totals.counters);
  a("static_instructions", totals.static_instructions);
  a("time_ps", totals.time_ps);
}

template <typename A>
void Fields(A& a, Of<OpcodeCount> auto& count) {
  a("instructions", count.instructions);
  a("cycles", count.cycles);
}

template <typename A>
void Fields(A& a, Of<RooflinePoint> auto& point) {
  a("intensity_milli", point.intensity_milli);
  a("achieved_milli", point.achieved_milli);
  a("bound", point.bound);
}

template <typename A>
void Fields(A& a, Of<StageEntry> auto& stage) {
  a("name", stage.name);
  a("origin", stage.origin);
  a("scope", stage.scope);
  a("static_instructions", stage.static_instructions);
  a("calls", stage.calls);
  a("first_cycle", stage.first_cycle);
  a("last_cycle", stage.last_cycle);
  Fields(a, stage.counters);
  a("inclusive", stage.inclusive);
  a("cycle_share_ppm", stage.cycle_share_ppm);
  a("instruction_share_ppm", stage.instruction_share_ppm);
  a.Map("opcodes", stage.opcodes, &OpcodeCount::mnemonic);
  a.Split("utilisation_ppm", stage.utilisation_ppm, emulator::kUnitNames);
  a.CountMap("waits_on", stage.waits_on);
  a("roofline", stage.roofline);
}

template <typename A>
void Fields(A& a, Of<PathEntry> auto& path) {
  a("path", path.path);
  a("instructions", path.instructions);
  a("cycles", path.cycles);
}

template <typename A>
void Fields(A& a, Of<PairStage> auto& stage) {
  a("instructions", stage.instructions);
  a("cycles", stage.cycles);
  a("read_bytes", stage.read_bytes);
  a("write_bytes", stage.write_bytes);
}

template <typename A>
void Fields(A& a, Of<PairRow> auto& row) {
  a("pair", row.pair);
  a("expert", row.expert);
  a("expert_source", row.expert_source);
  Fields(a, row.counters);
  a.SparseMap("stages", row.stages, &PairStage::name);
}

template <typename A>
void Fields(A& a, Of<Pairs> auto& pairs) {
  a("detail", pairs.detail);
  a("rows", pairs.rows);
  a("none", pairs.none);
}

template <typename A>
void Fields(A& a, Of<ExpertRow> auto& row) {
  a("expert", row.expert);
  a("pairs", row.pairs);
  Fields(a, row.counters);
}

template <typename A>
void Fields(A& a, Of<Experts> auto& experts) {
  a("rows", experts.rows);
  a("none", experts.none);
}

template <typename A>
void Fields(A& a, Of<Routing> auto& routing) {
  a("executions", routing.executions);
  a("num_experts", routing.num_experts);
  a("top_k", routing.top_k);
  a("counts", routing.counts);
  a("ids", routing.ids);
}

template <typename A>
void Fields(A& a, Of<OpcodeEntry> auto& opcode) {
  a("mnemonic", opcode.mnemonic);
  a("group", opcode.group);
  a("instructions", opcode.instructions);
  a("cycles", opcode.cycles);
  a("wait_cycles", opcode.wait_cycles);
}

template <typename A>
void Fields(A& a, Of<HotRow> auto& row) {
  a("pc", row.pc);
  a("word", row.word);
  a("text", row.text);
  a("file", row.file);
  a("line", row.line);
  a("stage", row.stage);
  a("instructions", row.instructions);
  a("cycles", row.cycles);
  a("top_reason", row.top_reason);
}

template <typename A>
void Fields(A& a, Of<StructureEntry> auto& structure) {
  a("name", structure.name);
  a("unit", structure.unit);
  a("capacity", structure.capacity);
  a("high_water", structure.high_water);
  a("cycle", structure.cycle);
}

template <typename A>
void Fields(A& a, Of<HbmChannel> auto& channel) {
  a("channel", channel.channel);
  a("bursts_read", channel.figures.bursts_read);
  a("bursts_written", channel.figures.bursts_written);
  a("row_hits", channel.figures.row_hits);
  a("row_misses", channel.figures.row_misses);
  a("row_conflicts", channel.figures.row_conflicts);
  a("busy_clocks", channel.figures.busy_clocks);
  a("queue_high_water", channel.figures.queue_high_water);
}

template <typename A>
void Fields(A& a, Of<Roofline> auto& roofline) {
  a("peak_matrix_flops_per_cycle", roofline.peak_matrix_flops_per_cycle);
  a("peak_vector_flops_per_cycle", roofline.peak_vector_flops_per_cycle);
  a("hbm_peak_bytes_per_kcycle", roofline.hbm_peak_bytes_per_kcycle);
  a("ridge_milli", roofline.ridge_milli);
  a("issued_flops", roofline.issued_flops);
  Fields(a, roofline.point);
}

template <typename A>
void Fields(A& a, Of<TimelineBins> auto& timeline) {
  a("bin_cycles", timeline.bin_cycles);
  a("hbm_read_bytes", timeline.hbm_read_bytes);
  a("hbm_write_bytes", timeline.hbm_write_bytes);
  a.ListMap("stage_cycles", timeline.stage_cycles);
}

template <typename A>
void Fields(A& a, Of<Overlap> auto& overlap) {
  a("memory_busy", overlap.memory_busy);
  a("compute_busy", overlap.compute_busy);
  a("both", overlap.both);
  a("data_wait", overlap.data_wait);
  a("slot_wait", overlap.slot_wait);
}

template <typename A>
void Fields(A& a, Of<Derived> auto& derived) {
  a("routing_tax_cycles", derived.routing_tax_cycles);
  a("routing_tax_stages", derived.routing_tax_stages);
}

template <typename A>
void Fields(A& a, Of<NotMeasured> auto& entry) {
  a("field", entry.field);
  a("why", entry.why);
}

template <typename A>
void Fields(A& a, Of<Host> auto& host) {
  a("wall_ms", host.wall_ms);
  a("instructions_per_s", host.instructions_per_s);
  a("cycles_per_s", host.cycles_per_s);
  a("threads", host.threads);
}

template <typename A>
void Fields(A& a, Of<Profile> auto& profile) {
  a.Constant("schema", "moescope.profile");
  a("schema_version", profile.schema_version);
  a("schema_minor", profile.schema_minor);
  a("complete", profile.complete);
  a("end", profile.end);
  a.Object("caveats", [&](A& caveats) { caveats("shared_vs_routed", profile.caveat); });
  a("tool", profile.tool);
  a.Texts("labels", profile.labels);
  a("program", profile.program);
  a("machine", profile.machine);
  a("isa", profile.isa);
  a("images", profile.images);
  a("model", profile.model);
  a("totals", profile.totals);
  a("stages", profile.stages);
  a("paths", profile.paths);
  a("pairs", profile.pairs);
  a("experts", profile.experts);
  a("routing", profile.routing);
  a("opcodes", profile.opcodes);
  a("hot", profile.hot);
  a("structures", profile.structures);
  a("hbm_channels", profile.hbm_channels);
  a("roofline", profile.roofline);
  a("timeline", profile.timeline);
  a("overlap", profile.overlap);
  a("derived", profile.derived);
  a("not_measured", profile.not_measured);
  a("events_dropped", profile.events_dropped);
  a("host", profile.host);
  a("profile_sha256", profile.profile_sha256);
}

}  // namespace moescope::profiler
