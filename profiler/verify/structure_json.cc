#include "profiler/embedded_schema.h"
#include "profiler/schema_json.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

void CheckStructure(const ParsedJson& parsed, std::string_view text, Findings& findings) {
  static const auto& validator = *new SchemaValidator(kProfileV1Schema);
  for (const std::string& problem : parsed.problems) findings.Fail("PV01", problem);
  for (const std::string& violation : validator.Check(parsed.value)) {
    findings.Fail("PV01", violation);
  }
  if (parsed.problems.empty() && PrettyText(parsed.value) != text) {
    findings.Fail("PV01", "the text is not written with two-space indent and a trailing newline");
  }
}

}  // namespace moescope::profiler
