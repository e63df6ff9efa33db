#include "moe/route_trace_json.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/layer_check.h"

namespace moescope::moe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kOwnSchema = "moescope.route_trace";
constexpr std::string_view kPublicSchema = "plena.route_trace.v1";

class Reader {
 public:
  Reader(const Json& root, const std::string& path) : root_(root), path_(path) {}
  absl::StatusOr<RouteTrace> Read();

 private:
  absl::Status Error(std::string_view pointer, std::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": ", Absl(pointer), ": ", Absl(why), " [RC060]"));
  }
  const Json* Find(const std::string& pointer) const {
    const nlohmann::json_pointer<std::string> place(pointer);
    return root_.contains(place) ? &root_.at(place) : nullptr;
  }
  absl::StatusOr<std::int64_t> Integer(const Json& value, std::string_view pointer,
                                       std::int64_t smallest, std::int64_t largest) const;
  absl::Status Required(const std::string& pointer, std::int64_t largest, int& target) const;
  absl::Status Optional(const std::string& pointer, std::optional<std::int64_t>& target) const;
  absl::Status Header() const;
  absl::StatusOr<const Json*> Table(const std::string& pointer) const;
  absl::Status Row(const Json& row, const std::string& pointer, Routing& routing, bool ids) const;
  absl::Status Counts(const std::string& pointer, const Routing& routing) const;
  absl::Status ReadRouting(Routing& routing) const;
  absl::Status ReadSeed(RouteTrace& trace) const;

  const Json& root_;
  const std::string& path_;
};

absl::StatusOr<std::int64_t> Reader::Integer(const Json& value, std::string_view pointer,
                                             std::int64_t smallest, std::int64_t largest) const {
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) {
    return Error(pointer, absl::StrCat("expected an integer, got ", value.type_name()));
  }
  const std::int64_t number =
      too_large ? std::numeric_limits<std::int64_t>::max() : value.get<std::int64_t>();
  if (number < smallest || number > largest) {
    return Error(pointer, absl::StrCat(number, " is outside ", smallest, " to ", largest));
  }
  return number;
}

absl::Status Reader::Required(const std::string& pointer, std::int64_t largest, int& target) const {
  const Json* value = Find(pointer);
  if (value == nullptr) return Error(pointer, "is missing");
  ASSIGN_OR_RETURN(const std::int64_t number, Integer(*value, pointer, 1, largest));
  target = static_cast<int>(number);
  return absl::OkStatus();
}

absl::Status Reader::Optional(const std::string& pointer,
                              std::optional<std::int64_t>& target) const {
  const Json* value = Find(pointer);
  if (value == nullptr || value->is_null()) return absl::OkStatus();
  ASSIGN_OR_RETURN(target, Integer(*value, pointer, 0, std::numeric_limits<std::int64_t>::max()));
  return absl::OkStatus();
}

absl::Status Reader::Header() const {
  if (!root_.is_object()) return Error("", "expected an object");
  if (const Json* schema = Find("/schema"); schema != nullptr) {
    if (!schema->is_string() || (schema->get_ref<const std::string&>() != kOwnSchema &&
                                 schema->get_ref<const std::string&>() != kPublicSchema)) {
      return Error("/schema", absl::StrCat("expected \"", Absl(kPublicSchema), "\" or \"",
                                           Absl(kOwnSchema), "\""));
    }
  }
  const Json* version = Find("/schema_version");
  if (version == nullptr) return Error("/schema_version", "is missing");
  if (!version->is_number_integer() || *version != 1) {
    return Error("/schema_version", "only version 1 is known");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Json*> Reader::Table(const std::string& pointer) const {
  const Json* table = Find(pointer);
  if (table == nullptr) return Error(pointer, "is missing");
  if (!table->is_array()) {
    return Error(pointer, absl::StrCat("expected an array, got ", table->type_name()));
  }
  return table;
}

absl::Status Reader::Row(const Json& row, const std::string& pointer, Routing& routing,
                         bool ids) const {
  const auto slots = static_cast<std::size_t>(routing.top_k);
  if (!row.is_array() || row.size() != slots) {
    return Error(pointer,
                 absl::StrCat("expected an array of top_k = ", slots, " entries, got ",
                              row.is_array() ? absl::StrCat(row.size()) : row.type_name()));
  }
  for (std::size_t k = 0; k < slots; ++k) {
    const std::string place = absl::StrCat(pointer, "/", k);
    if (ids) {
      ASSIGN_OR_RETURN(const std::int64_t id, Integer(row[k], place, -1, routing.experts - 1));
      routing.topk_idx.push_back(static_cast<std::int32_t>(id));
      continue;
    }
    if (!row[k].is_number()) {
      return Error(place, absl::StrCat("expected a number, got ", row[k].type_name()));
    }
    const float weight = row[k].get<float>();
    if (!std::isfinite(weight)) return Error(place, "the weight is not finite in FP32");
    routing.topk_w.push_back(weight);
  }
  return absl::OkStatus();
}

absl::Status Reader::Counts(const std::string& pointer, const Routing& routing) const {
  const Json* counts = Find(pointer);
  if (counts == nullptr) return absl::OkStatus();
  const std::vector<std::int64_t> recount = CountPerExpert(routing);
  if (!counts->is_array() || counts->size() != recount.size()) {
    return Error(pointer,
                 absl::StrCat("expected an array of num_experts = ", recount.size(), " counts"));
  }
  for (std::size_t e = 0; e < recount.size(); ++e) {
    const Json& stated = (*counts)[e];
    if (!stated.is_number_integer() || stated != recount[e]) {
      return Error(absl::StrCat(pointer, "/", e),
                   absl::StrCat("is ", stated.dump(), ", the ids give ", recount[e]));
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadRouting(Routing& routing) const {
  ASSIGN_OR_RETURN(const Json* ids, Table("/routing/topk_indices"));
  ASSIGN_OR_RETURN(const Json* weights, Table("/routing/topk_weights"));
  if (ids->size() != weights->size()) {
    return Error("/routing/topk_weights",
                 absl::StrCat("has ", weights->size(), " tokens, topk_indices has ", ids->size()));
  }
  routing.tokens = static_cast<std::int64_t>(ids->size());
  for (std::size_t t = 0; t < ids->size(); ++t) {
    RETURN_IF_ERROR(Row((*ids)[t], absl::StrCat("/routing/topk_indices/", t), routing, true));
    RETURN_IF_ERROR(Row((*weights)[t], absl::StrCat("/routing/topk_weights/", t), routing, false));
  }
  for (std::size_t pair = 0; pair < routing.topk_idx.size(); ++pair) {
    if (routing.topk_idx[pair] < 0) routing.topk_w[pair] = 0;
  }
  RETURN_IF_ERROR(Counts("/routing/expert_counts", routing));
  return Counts("/expert_counts", routing);
}

absl::Status Reader::ReadSeed(RouteTrace& trace) const {
  const Json* seed = Find("/seed");
  if (seed == nullptr) return absl::OkStatus();
  if (!seed->is_number_unsigned()) return Error("/seed", "expected an unsigned integer");
  trace.seed = seed->get<std::uint64_t>();
  return absl::OkStatus();
}

absl::StatusOr<RouteTrace> Reader::Read() {
  RETURN_IF_ERROR(Header());
  RouteTrace trace;
  RETURN_IF_ERROR(Required("/model/num_experts", kMaxExperts, trace.routing.experts));
  RETURN_IF_ERROR(Required("/model/top_k", kMaxTopK, trace.routing.top_k));
  RETURN_IF_ERROR(Optional("/model/hidden_size", trace.hidden_size));
  RETURN_IF_ERROR(Optional("/model/intermediate_size", trace.intermediate_size));
  RETURN_IF_ERROR(Optional("/model/layer_index", trace.layer_index));
  RETURN_IF_ERROR(ReadSeed(trace));
  RETURN_IF_ERROR(ReadRouting(trace.routing));
  return trace;
}

Json TokenRows(const Routing& routing, bool ids) {
  Json rows = Json::array();
  for (std::int64_t t = 0; t < routing.tokens; ++t) {
    Json row = Json::array();
    for (int k = 0; k < routing.top_k; ++k) {
      const auto pair = static_cast<std::size_t>(t * routing.top_k + k);
      if (ids) {
        row.push_back(routing.topk_idx[pair]);
      } else {
        row.push_back(routing.topk_w[pair]);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

absl::StatusOr<RouteTrace> ParseRouteTrace(std::string_view json, const std::string& path) {
  bool malformed = false;
  std::size_t offset = 0;
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::exception& error) {
    malformed = true;
    if (const auto* place = dynamic_cast<const Json::parse_error*>(&error)) offset = place->byte;
  }
  if (malformed) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: malformed JSON at byte %d [RC060]", path, offset));
  }
  ASSIGN_OR_RETURN(RouteTrace trace, Reader(root, path).Read());
  trace.document = std::string(json);
  return trace;
}

absl::StatusOr<RouteTrace> ReadRouteTrace(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseRouteTrace(text, path);
}

std::string FormatRouteTrace(const RouteTrace& trace) {
  Json model{{"num_experts", trace.routing.experts}, {"top_k", trace.routing.top_k}};
  if (trace.hidden_size) model["hidden_size"] = *trace.hidden_size;
  if (trace.intermediate_size) model["intermediate_size"] = *trace.intermediate_size;
  if (trace.layer_index) model["layer_index"] = *trace.layer_index;
  Json root{{"schema", kOwnSchema}, {"schema_version", 1}};
  if (trace.seed) root["seed"] = *trace.seed;
  root["model"] = std::move(model);
  root["routing"] = {{"topk_indices", TokenRows(trace.routing, true)},
                     {"topk_weights", TokenRows(trace.routing, false)},
                     {"expert_counts", CountPerExpert(trace.routing)}};
  return root.dump(2) + "\n";
}

}  // namespace moescope::moe
