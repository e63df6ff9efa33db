#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "asm/builder.h"
#include "emulator/machine.h"
#include "moe/emit/lowering.h"
#include "moe/emit/program_map.h"
#include "moe/layer.h"
#include "moe/routing.h"

namespace moescope::moe {

// A layer as a program, with everything needed to make its images and to read its results.
struct CompiledLayer {
  Layer layer;  // with the weighting that the lowering chose
  Lowering lowering;
  emulator::MachineDescription
      machine;  // with the formats and transfer sizes that the program uses
  std::optional<Routing> fixed;
  ProgramMap map;
  assembler::BuiltProgram built;
};

// What a program is compiled for: `fixed` ids and weights are known now, otherwise the program
// routes `tokens` tokens itself.
struct CompileRouting {
  std::int64_t tokens = 0;
  const Routing* fixed = nullptr;
};

// Compiles a layer (moe.md, 15). The plan is checked first: InvalidArgument and Unimplemented when
// the layer cannot be expressed, FailedPrecondition when a memory is too small. `header` becomes
// comment lines at the top of the text.
absl::StatusOr<CompiledLayer> Compile(const Layer& layer, const CompileRouting& routing,
                                      const emulator::MachineDescription& machine,
                                      const Lowering& lowering, const std::string& header = "");

}  // namespace moescope::moe
