#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/isa/document_fixture.h"

namespace moescope::isa::test {

// The built-in instructions with all opcodes dealt out anew, every field moved to another place
// where the encoding leaves room, and every name changed: the same meanings under words that share
// nothing with the built-in ones. Valid for every seed.
inline Document Scrambled(std::uint32_t seed) {
  std::mt19937 random(seed);
  Document document = Builtin();
  document.version = {1, 7};
  std::vector<std::uint32_t> opcodes(64);
  std::iota(opcodes.begin(), opcodes.end(), 0);
  std::shuffle(opcodes.begin(), opcodes.end(), random);
  std::size_t next = 0;
  for (DocumentInstruction& row : document.instructions) {
    // The 26 bits above the opcode in a new order of their runs: fields stay in one piece.
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < 26;) {
      std::size_t end = i + 1;
      const bool is_field = std::string_view("dabcfi").find(row.encoding[i]) != std::string::npos;
      while (is_field && end < 26 && row.encoding[end] == row.encoding[i]) ++end;
      runs.push_back(row.encoding.substr(i, end - i));
      i = end;
    }
    std::shuffle(runs.begin(), runs.end(), random);
    std::string encoding;
    for (const std::string& run : runs) encoding += run;
    const std::uint32_t opcode = opcodes[next++];
    for (int bit = 5; bit >= 0; --bit) encoding += (opcode >> bit & 1) != 0 ? '1' : '0';
    row.encoding = encoding;
    row.mnemonic = "X_" + row.mnemonic;
  }
  return document;
}

}  // namespace moescope::isa::test
