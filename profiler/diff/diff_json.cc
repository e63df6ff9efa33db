#include "profiler/diff/diff.h"
#include "profiler/document_json.h"

namespace moescope::profiler {

namespace {

Json RowJson(const DiffRow& row) {
  Json json = {{"scope", row.scope},
               {"metric", row.metric},
               {"a", row.a},
               {"b", row.b},
               {"delta", row.delta}};
  if (row.delta_ppm) AppendMember(json, "delta_ppm") = *row.delta_ppm;
  AppendMember(json, "judged") = row.is_judged;
  AppendMember(json, "exceeded") = row.is_exceeded;
  return json;
}

}  // namespace

std::string DiffJson(const Diff& diff) {
  Json json = {{"schema", "moescope.diff"},  {"schema_version", 1},        {"a", diff.label_a},
               {"b", diff.label_b},          {"allowed", diff.allowed},    {"unit", diff.unit},
               {"within", diff.is_within()}, {"exceeded", diff.exceeded()}};
  Json& rows = AppendMember(json, "rows") = Json::array();
  for (const DiffRow& row : diff.rows) rows.push_back(RowJson(row));
  Json& only = AppendMember(json, "only_in") = Json::array();
  for (const OneSided& one : diff.one_sided) {
    only.push_back(Json{{"scope", one.scope}, {"side", std::string(1, one.side)}});
  }
  AppendMember(json, "not_compared") = diff.not_compared;
  if (diff.caveat) AppendMember(json, "caveat") = *diff.caveat;
  return PrettyText(json);
}

}  // namespace moescope::profiler
