#include "cli/session/json_pointer_json.h"

#include <charconv>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "cli/session/exit_code.h"

namespace moescope::session {

namespace {

// The child of a node that one step of a pointer names; null when there is none.
const Json* Child(const Json& node, const std::string& step) {
  if (node.is_object()) {
    const auto it = node.find(step);
    return it == node.end() ? nullptr : &*it;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool number = error == std::errc() && end == step.data() + step.size();
  if (!node.is_array() || !number || index >= node.size()) return nullptr;
  return &node[index];
}

std::string Suggestion(const Json& node, const std::string& step) {
  if (node.is_array()) return absl::StrCat("; it has ", node.size(), " elements, from 0");
  if (!node.is_object()) return "; it is a single value";
  std::vector<std::string_view> keys;
  for (const auto& member : node.items()) keys.push_back(member.key());
  return DidYouMean(step, keys);
}

}  // namespace

absl::StatusOr<std::string> AtPointer(std::string_view text, const std::string& path,
                                      std::string_view pointer) {
  if (!pointer.empty() && pointer.front() != '/') {
    return UsageError(absl::StrCat("'", Absl(pointer), "': a JSON pointer starts with '/'"));
  }
  ASSIGN_OR_RETURN(const Json document, ParseJson(text, path, "PV01"));
  const Json* node = &document;
  std::string walked;
  const std::vector<std::string> steps = absl::StrSplit(Absl(pointer), '/');
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const std::string step = absl::StrReplaceAll(steps[i], {{"~1", "/"}, {"~0", "~"}});
    const Json* child = Child(*node, step);
    if (child == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": nothing at '", walked, "/", steps[i],
                                                     "'", Suggestion(*node, step)));
    }
    absl::StrAppend(&walked, "/", steps[i]);
    node = child;
  }
  if (node->is_string()) return absl::StrCat(node->get<std::string>(), "\n");
  return JsonText(*node);
}

}  // namespace moescope::session
