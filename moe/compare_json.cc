#include "moe/compare_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"

namespace moescope::moe {
namespace {

using Json = nlohmann::ordered_json;

// A text, so that the digits do not depend on a library's number printer and infinity has a name.
std::string Ratio(double value) { return absl::StrFormat("%.9g", value); }

Json ToJson(const Metrics& metrics) {
  Json json{{"count", metrics.count},
            {"equal", metrics.equal},
            {"broken", metrics.broken},
            {"max_ulp", metrics.max_ulp},
            {"cosine", Ratio(metrics.cosine)},
            {"relative_l2", Ratio(metrics.relative_l2)},
            {"mean_error", Ratio(metrics.mean_error)},
            {"rms_error", Ratio(metrics.rms_error)}};
  if (metrics.first.has_value()) {
    json["first"] = {{"row", metrics.first->row},
                     {"column", metrics.first->column},
                     {"actual", Ratio(metrics.first->actual)},
                     {"expected", Ratio(metrics.first->expected)},
                     {"ulp", metrics.first->ulp}};
  }
  return json;
}

Json ToJson(const ComparisonRecord& record) {
  Json json{{"subject", record.subject}, {"fixture", record.fixture},
            {"actual", record.actual},   {"expected", record.expected},
            {"policy", record.policy},   {"tier", Name(record.tier)}};
  if (record.metrics.has_value()) {
    json["metrics"] = ToJson(*record.metrics);
    json["verdict"] = record.passed ? "pass" : "fail";
  } else {
    json["skipped"] = record.skipped;
    json["verdict"] = "skipped";
  }
  return json;
}

}  // namespace

std::string FormatComparisons(const std::vector<ComparisonRecord>& records) {
  Json list = Json::array();
  for (const ComparisonRecord& record : records) list.push_back(ToJson(record));
  const Json document{
      {"schema", "moescope.comparison"}, {"schema_version", 1}, {"comparisons", std::move(list)}};
  return document.dump(2) + "\n";
}

}  // namespace moescope::moe
