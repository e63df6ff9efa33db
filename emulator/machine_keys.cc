#include "emulator/machine_keys.h"

#include "absl/strings/str_cat.h"
#include "emulator/machine_key_builders.h"

namespace moescope::emulator {

const std::vector<MachineKey>& MachineKeys() {
  static const std::vector<MachineKey>* const kKeys = [] {
    auto* keys = new std::vector<MachineKey>;
    AppendPublicKeys(*keys);
    AppendMoescopeKeys(*keys);
    return keys;
  }();
  return *kKeys;
}

const std::vector<std::string>& AcceptedKeys() {
  static const std::vector<std::string>* const kKeys = [] {
    auto* keys = new std::vector<std::string>{"TRANSACTIONAL.CONFIG.HBM_WIDTH.value"};
    for (const char* name : {"VECTOR_LONGEST_OPERATE_CYCLES", "VECTOR_BASIC_CYCLES",
                             "VECTOR_PREFIX_SCAN_CYCLES", "SCALAR_FP_LONGEST_OPERATE_CYCLES"}) {
      keys->push_back(absl::StrCat("TRANSACTIONAL.LATENCY.", name, ".dc_lib_en"));
      keys->push_back(absl::StrCat("TRANSACTIONAL.LATENCY.", name, ".dc_lib_dis"));
    }
    return keys;
  }();
  return *kKeys;
}

KeyMatch FindMachineKey(std::string_view name) {
  KeyMatch match;
  for (const MachineKey& key : MachineKeys()) {
    const std::string file_path = key.FilePath();
    const auto fits = [name](std::string_view path) {
      return path == name || (path.size() > name.size() && path.ends_with(name) &&
                              path[path.size() - name.size() - 1] == '.');
    };
    if (!name.empty() && (fits(key.path) || fits(file_path))) {
      match.candidates.push_back(key.path);
      match.key = &key;
    }
  }
  if (match.candidates.size() != 1) match.key = nullptr;
  return match;
}

}  // namespace moescope::emulator
