#include "tests/profiler/mutations.h"

#include "base/check.h"
#include "base/sha256.h"
#include "profiler/document_json.h"

namespace moescope::profiler::test {

namespace {

// The member that a pointer names, and its object or array.
struct Place {
  Json* parent;
  std::string key;
};

Place Locate(Json& tree, std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  Json& parent = tree.at(Json::json_pointer(std::string(pointer.substr(0, slash))));
  return {&parent, std::string(pointer.substr(slash + 1))};
}

void SwapWithPrevious(Json& object, const std::string& key) {
  Json swapped = Json::object();
  const auto& members = object.get_ref<const Json::object_t&>();
  for (auto at = members.begin(); at != members.end(); ++at) {
    const auto next = std::next(at);
    if (next != members.end() && next->first == key) {
      AppendMember(swapped, next->first) = next->second;
      AppendMember(swapped, at->first) = at->second;
      at = next;
    } else {
      AppendMember(swapped, at->first) = at->second;
    }
  }
  object = swapped;
}

void Apply(Json& tree, const Mutation& mutation) {
  const Place place = Locate(tree, mutation.pointer);
  if (mutation.operation == "swap") return SwapWithPrevious(*place.parent, place.key);
  if (mutation.operation == "remove") {
    if (place.parent->is_array()) {
      place.parent->erase(static_cast<std::size_t>(std::stoul(place.key)));
    } else {
      CHECK(place.parent->erase(place.key) == 1);
    }
    return;
  }
  CHECK(mutation.operation == "set");
  const Json value = Json::parse(mutation.value);
  if (place.parent->is_array() && place.key == "-") {
    place.parent->push_back(value);
  } else if (place.parent->is_array()) {
    (*place.parent)[static_cast<std::size_t>(std::stoul(place.key))] = value;
  } else {
    (*place.parent)[place.key] = value;
  }
}

}  // namespace

std::string Mutate(std::string_view text, const Mutation& mutation) {
  Json tree = Json::parse(text.begin(), text.end());
  Apply(tree, mutation);
  if (!tree.contains("profile_sha256") || mutation.pointer == "/profile_sha256") {
    return PrettyText(tree);
  }
  Json hashed = tree;
  hashed.erase("host");
  hashed["profile_sha256"] = "";
  tree["profile_sha256"] = Sha256Name(PrettyText(hashed));
  return PrettyText(tree);
}

std::vector<Mutation> StructureMutations() {
  return {
      {"set", "/complete", "1", "PV01"},
      {"remove", "/complete", "", "PV01"},
      {"set", "/schema_minor", "1", "PV01"},
      {"set", "/schema_version", "0", "PV01"},
      {"set", "/end/reason", "\"tired\"", "PV01"},
      {"remove", "/end/cycle", "", "PV01"},
      {"set", "/end/colour", "1", "PV01"},
      {"set", "/caveats/more", "\"x\"", "PV01"},
      {"set", "/tool/name", "\"\"", "PV01"},
      {"remove", "/tool/git", "", "PV01"},
      {"set", "/labels/n", "3", "PV01"},
      {"set", "/labels", "[]", "PV01"},
      {"set", "/program/sha256", "\"sha256:12\"", "PV01"},
      {"set", "/program/attribution", "\"guessed\"", "PV01"},
      {"set", "/program/words", "-1", "PV01"},
      {"remove", "/program/unresolved_markers", "", "PV01"},
      {"set", "/program/vocabulary/0/origin", "\"native\"", "PV01"},
      {"set", "/machine/clock_period_ps", "0", "PV01"},
      {"set", "/machine/clock_period_ps", "\"1 ns\"", "PV01"},
      {"set", "/machine/effective/KEY", "true", "PV01"},
      {"set", "/isa/sha256", "\"md5:0\"", "PV01"},
      {"set", "/images/0/target", "\"mram\"", "PV01"},
      {"set", "/model/reasons/0", "\"bored\"", "PV01"},
      {"set", "/model/units/0/instances", "0", "PV01"},
      {"set", "/model/coverage/in_domain_ppm", "1000001", "PV01"},
      {"set", "/model/weak_opcodes/0/class", "\"measured\"", "PV01"},
      {"set", "/totals/cycles", "9007199254740992", "PV01"},
      {"set", "/totals/cycles", "245.5", "PV01"},
      {"set", "/totals/reasons/boredom", "1", "PV01"},
      {"set", "/totals/units/gpu", "1", "PV01"},
      {"set", "/totals/flops", "null", "PV01"},
      {"remove", "/totals/hbm/read/lines", "", "PV01"},
      {"set", "/totals/hbm/read/rmw_read_bytes", "0", "PV01"},
      {"set", "/stages", "[]", "PV01"},
      {"set", "/stages/0/name", "\"Router\"", "PV01"},
      {"remove", "/stages/0/inclusive", "", "PV01"},
      {"set", "/stages/0/opcodes/v_topk", "{\"instructions\": 0, \"cycles\": 0}", "PV01"},
      {"set", "/stages/0/roofline/bound", "\"disk\"", "PV01"},
      {"set", "/paths/0/path", "\"\"", "PV01"},
      {"set", "/pairs/detail", "\"some\"", "PV01"},
      {"set", "/pairs/rows/0/pair", "2147483648", "PV01"},
      {"set", "/pairs/rows/0/expert_source", "\"oracle\"", "PV01"},
      {"set", "/pairs/none/reasons", "{}", "PV01"},
      {"remove", "/experts/none", "", "PV01"},
      {"set", "/routing/ids/0/0", "\"five\"", "PV01"},
      {"set", "/opcodes/0/group", "7", "PV01"},
      {"set", "/hot/0/word", "4294967296", "PV01"},
      {"set", "/hot/0/top_reason", "\"none\"", "PV01"},
      {"remove", "/structures/0/high_water", "", "PV01"},
      {"set", "/hbm_channels/0/channel", "[]", "PV01"},
      {"set", "/timeline/bin_cycles", "0", "PV01"},
      {"remove", "/overlap/both", "", "PV01"},
      {"remove", "/derived", "", "PV01"},
      {"set", "/not_measured/-", "{\"field\": \"x\"}", "PV01"},
      {"set", "/host", "{\"wall_ms\": 1}", "PV01"},
      {"remove", "/profile_sha256", "", "PV01"},
  };
}

std::vector<Mutation> ValueMutations() {
  return {
      // Rules of PV01 beyond JSON Schema: order of keys and names, and what is absent.
      {"swap", "/complete", "", "PV01"},
      {"swap", "/totals/reasons/fill", "", "PV01"},
      {"swap", "/stages/3/opcodes/M_MM_WO", "", "PV01"},
      {"swap", "/labels/commit", "", "PV01"},
      {"set", "/program/vocabulary/14/scope", "\"layer\"", "PV01 PV15"},
      {"set", "/hot/0/stage", "\"gather2\"", "PV01"},
      {"remove", "/overlap", "", "PV01"},
      {"remove", "/structures", "", "PV01"},
      {"set", "/not_measured/-", "{\"field\": \"units\", \"why\": \"x\"}", "PV01"},

      {"set", "/end/cycle", "246", "PV02"},
      {"set", "/stages/1/inclusive/cycles", "2", "PV11"},
      {"set", "/stages/0/static_instructions", "2", "PV03"},
      {"set", "/program/words", "11", "PV03"},
      {"set", "/totals/reasons/fill", "8", "PV04"},
      {"set", "/stages/0/reasons/raw_fp", "1", "PV04"},
      {"set", "/stages/0/waits_on/unattributed", "3", "PV04"},
      {"remove", "/stages/0/waits_on/unattributed", "", "PV04"},
      {"remove", "/model/reasons/1", "", "PV04"},
      {"set", "/totals/hbm/read/logical_bytes", "5121", "PV05 PV07 PV08"},
      {"set", "/totals/hbm/read/repeat_bytes", "128", "PV05 PV07 PV08"},
      {"set", "/totals/hbm/write/burst_bytes", "272", "PV05 PV07 PV08"},
      {"set", "/stages/0/opcodes/V_TOPK/cycles", "2", "PV06"},
      {"set", "/opcodes/0/instructions", "7", "PV06"},
      {"set", "/opcodes/0/wait_cycles", "0", "PV06"},
      {"set", "/totals/flops/scalar", "1", "PV06 PV07 PV08"},
      {"set", "/pairs/rows/0/instructions", "6", "PV07"},
      {"set", "/pairs/none/flops/vector", "1", "PV07"},
      {"set", "/pairs/rows/0/stages/gather/read_bytes", "0", "PV07"},
      {"set", "/pairs/detail", "\"totals\"", "PV07"},
      {"set", "/pairs/rows/0/pair", "5", "PV07"},
      {"set", "/pairs/rows/1/expert_source", "\"unknown\"", "PV07"},
      {"set", "/experts/none/cycles", "0", "PV08"},
      {"set", "/experts/rows/0/pairs", "2", "PV08"},
      {"set", "/routing/counts/5", "2", "PV08"},
      {"set", "/routing/ids/0/0", "6", "PV08"},
      {"set", "/totals/units/vx_red", "41", "PV09"},
      {"set", "/stages/1/hbm/read/physical_bytes", "641", "PV05 PV10"},
      {"set", "/stages/1/hbm/read/burst_bytes", "641", "PV05 PV10"},
      {"set", "/paths/0/cycles", "4", "PV11"},
      {"set", "/paths/4/path", "\"expert_projection/elsewhere\"", "PV11"},
      {"set", "/timeline/hbm_read_bytes/0", "1", "PV12"},
      {"set", "/timeline/bin_cycles", "3", "PV12"},
      {"set", "/timeline/bin_cycles", "2", "PV12"},
      {"remove", "/timeline/stage_cycles/gather", "", "PV12"},
      {"set", "/stages/0/calls", "0", "PV13"},
      {"set", "/stages/0/last_cycle", "246", "PV13"},
      {"set", "/stages/0/first_cycle", "52", "PV13"},
      {"remove", "/stages/0/first_cycle", "", "PV13"},
      {"set", "/stages/0/cycle_share_ppm", "12245", "PV14"},
      {"set", "/stages/0/utilisation_ppm/vx_red", "1", "PV14"},
      {"set", "/stages/0/roofline/bound", "\"matrix\"", "PV14"},
      {"set", "/roofline/ridge_milli", "4001", "PV14"},
      {"remove", "/roofline/achieved_milli", "", "PV14"},
      {"set", "/totals/time_ps", "245", "PV14"},
      {"set", "/derived/routing_tax_cycles", "0", "PV14"},
      {"set", "/model/coverage/in_domain_ppm", "0", "PV14"},
      {"set", "/machine/effective/MOESCOPE.hbm.refresh", "1", "PV15"},
      {"set", "/program/vocabulary/3/name", "\"gathers\"", "PV01 PV15"},
      {"set", "/profile_sha256",
       "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"", "PV15"},
      {"set", "/caveats/shared_vs_routed", "\"fine\"", "PV16"},
      {"set", "/complete", "false", "PV17"},
      {"set", "/end/reason", "\"max_cycles\"", "PV17"},
      {"set", "/end/reason", "\"fault\"", "PV17"},
      {"set", "/end", "{\"reason\": \"end\", \"cycle\": 245, \"signal\": 2}", "PV17"},
      {"set", "/events_dropped", "1", "PV18"},
      {"set", "/model/coverage/derived/cycles", "32", "PV14 PV18"},
      {"set", "/hot/1/cycles", "300", "PV18"},
      {"set", "/hot/1/pc", "4", "PV18"},
  };
}

}  // namespace moescope::profiler::test
