#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace moescope::test {

struct SourceFile {
  std::string path;
  std::string text;
};

struct EmitterFinding {
  std::string id;  // EM001 to EM006
  std::string path;
  int line = 0;
  std::string message;
};

// The files with one of the extensions below a folder, sorted by path.
std::vector<SourceFile> ReadSources(const std::string& folder,
                                    const std::vector<std::string>& extensions);

// EM001 to EM005 (profile.md, 3.2) on C++ sources that belong together: what one of them declares
// is known in all.
std::vector<EmitterFinding> LintEmitters(const std::vector<SourceFile>& sources);

// EM006. `files` are the *_test.cc and CMakeLists.txt files of a test tree, `ci` the scripts that
// run it.
std::vector<EmitterFinding> LintTestTargets(const std::vector<SourceFile>& files,
                                            const std::vector<SourceFile>& ci);

}  // namespace moescope::test
