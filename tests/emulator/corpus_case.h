#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/file.h"
#include "base/json.h"
#include "emulator/images.h"
#include "emulator/machine_toml.h"
#include "emulator/state/machine_state.h"
#include "isa/program.h"
#include "isa/table.h"
#include "tests/support/gzip_file.h"

namespace moescope::test {

inline constexpr std::array<const char*, 13> kCorpusCases = {"gpt_oss_topk",
                                                             "gate_up",
                                                             "clamp",
                                                             "activation",
                                                             "expert",
                                                             "combine",
                                                             "gather_address_h128",
                                                             "router_gemm_h128_r8",
                                                             "device_routing_full_h64_r2",
                                                             "device_routing_full_h128_r8",
                                                             "qwen3_layer_h128_i64_r2",
                                                             "hbm_store_single_h128_r4",
                                                             "fulldims_gptoss20b_tok1_asm_only"};

// A compiled program with its machine, images and expectations.
class CorpusCase {
 public:
  CorpusCase(const std::string& shared, const std::string& name)
      : folder_(shared + "/corpus/" + name + "/") {
    expected_ = *ParseJson(Content("case.json"), folder_ + "case.json", "MF001");
    program_ = isa::ProgramFromWords(Words());
    machine_ = emulator::ParseMachine(Content("machine.toml"), "machine.toml")->machine;
    state_ = std::make_unique<emulator::MachineState>(machine_);
    Load(emulator::ImageTarget::kHbm, "hbm.bin");
    Load(emulator::ImageTarget::kVram, "vram.bin");
    Load(emulator::ImageTarget::kFpSram, "fp_sram.bin");
    Load(emulator::ImageTarget::kIntSram, "int_sram.bin");
  }

  const Json& expected() const { return expected_; }
  const isa::Program& program() const { return program_; }
  const emulator::MachineDescription& machine() const { return machine_; }
  emulator::MachineState& state() { return *state_; }

  // Little-endian elements of one of the case's files.
  template <typename Element>
  std::vector<Element> Elements(const std::string& file) const {
    const std::string bytes = Content(file);
    std::vector<Element> elements(bytes.size() / sizeof(Element));
    std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
    return elements;
  }

 private:
  std::string Content(const std::string& file) const {
    return ReadPlainOrGzipped(folder_ + file).value();
  }
  bool Exists(const std::string& file) const { return ReadPlainOrGzipped(folder_ + file).ok(); }
  std::vector<std::uint32_t> Words() const {
    std::istringstream text(Content("program.mem"));
    std::vector<std::uint32_t> words;
    for (std::string word; text >> word;) {
      words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    }
    return words;
  }
  void Load(emulator::ImageTarget target, const std::string& file) {
    if (!Exists(file)) return;
    CHECK(emulator::LoadImageBytes(target, Content(file), file, {}, *state_).ok());
  }

  std::string folder_;
  Json expected_;
  isa::Program program_;
  emulator::MachineDescription machine_;
  std::unique_ptr<emulator::MachineState> state_;
};

}  // namespace moescope::test
