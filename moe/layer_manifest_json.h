#pragma once

#include <map>
#include <string>
#include <vector>

#include "moe/generated_layer.h"

namespace moescope::moe {

// Names of the files in the folder of a generated layer.
struct LayerFiles {
  static constexpr char kManifest[] = "run.json";
  static constexpr char kProgram[] = "layer.asm";
  static constexpr char kMachine[] = "machine.toml";
  static constexpr char kHbm[] = "hbm.bin";
  static constexpr char kVram[] = "vram.bin";
  static constexpr char kFp[] = "fp_sram.bin";
  static constexpr char kInt[] = "int_sram.bin";
  static constexpr char kOutput[] = "expected_y.f32";
  static constexpr char kIds[] = "expected_ids.u32";
  static constexpr char kWeights[] = "expected_weights.f32";
  static constexpr char kRouting[] = "routing.json";  // fixed routing only
};

// A run manifest (tools.md, 3.1: moescope.run version 1) of a generated layer: program, machine,
// images, the expected output, ids and weights, and the request as labels.
std::string FormatLayerManifest(const GeneratedLayer& layer);

}  // namespace moescope::moe
