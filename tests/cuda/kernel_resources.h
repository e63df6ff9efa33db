#pragma once

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"

// What ptxas says about every kernel of the library, read from the <object>.resources files that
// scripts/cmake/kernel_resources.sh leaves beside the objects.

namespace moescope::cuda::test {

struct KernelResources {
  int registers = 0;
  int barriers = 0;
  int shared_bytes = 0;  // static; the expert kernels add dynamic shared memory
  int stack_bytes = 0;
  int spill_stores = 0;
  int spill_loads = 0;
};

inline std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

// The number in front of `unit` in a line such as "0 bytes stack frame, 8 bytes spill stores".
inline int NumberBefore(const std::string& line, const std::string& unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string::npos) return 0;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  return first == at ? -1 : std::atoi(line.c_str() + first);
}

// Adds the kernels that `text` tells about, by demangled name; lines about anything else that
// begin with "(" (advice such as "(C7510) Potential Performance Loss") go to `advice`.
inline void ReadKernelResources(const std::string& text,
                                std::map<std::string, KernelResources>& kernels,
                                std::vector<std::string>& advice) {
  const std::string prefix = "Compiling entry function '";
  KernelResources* kernel = nullptr;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    const std::size_t entry = line.find(prefix);
    if (entry != std::string::npos) {
      const std::size_t first = entry + prefix.size();
      kernel = &kernels[Demangled(line.substr(first, line.find('\'', first) - first))];
    } else if (line.find("bytes stack frame") != std::string::npos && kernel != nullptr) {
      kernel->stack_bytes = NumberBefore(line, " bytes stack frame");
      kernel->spill_stores = NumberBefore(line, " bytes spill stores");
      kernel->spill_loads = NumberBefore(line, " bytes spill loads");
    } else if (line.find("Used ") != std::string::npos && kernel != nullptr) {
      kernel->registers = NumberBefore(line, " registers");
      kernel->barriers = NumberBefore(line, " barriers");
      kernel->shared_bytes = NumberBefore(line, " bytes smem");
    } else if (line.find(": (") != std::string::npos) {
      advice.push_back(line);
    }
  }
}

struct LibraryResources {
  std::map<std::string, KernelResources> kernels;
  std::vector<std::string> advice;
};

// Empty in a build without nvcc.
inline LibraryResources ReadLibraryResources() {
  LibraryResources result;
#ifdef MOESCOPE_CUDA_OBJECTS
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MOESCOPE_CUDA_OBJECTS)) {
    if (entry.path().extension() != ".resources") continue;
    // Of objects whose source is gone nothing may remain.
    if (!std::filesystem::exists(entry.path().parent_path() / entry.path().stem())) continue;
    ReadKernelResources(*ReadFile(entry.path().string()), result.kernels, result.advice);
  }
#endif
  return result;
}

}  // namespace moescope::cuda::test
