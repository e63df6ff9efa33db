#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/emit/mapper.h"
#include "moe/layer_check.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

absl::Status TileMismatch(std::string_view name, int width, std::uint32_t m,
                          std::string_view option) {
  if (static_cast<std::uint32_t>(width) % m == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s = %d is not a multiple of MLEN = %d (%s, --machine) [RC072]", Absl(name),
                      width, m, Absl(option)));
}

absl::Status TooSmall(std::string_view memory, std::uint64_t needed, std::uint64_t has,
                      std::string_view key, std::string_view options) {
  if (needed <= has) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("%s: the program needs %d, %s is %d (%s) "
                      "[RC080]",
                      Absl(memory), needed, Absl(key), has, Absl(options)));
}

}  // namespace

absl::Status Mapper::CheckLayer() const {
  RETURN_IF_ERROR(Check(layer_));
  if (shape_.tokens < 0 || shape_.tokens > (std::int64_t{1} << 20)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("tokens = %d: must be 0 to 1048576 (--tokens) [RC072]", shape_.tokens));
  }
  RETURN_IF_ERROR(CheckTiles());
  RETURN_IF_ERROR(CheckSupport());
  RETURN_IF_ERROR(CheckOptions());
  return CheckFixed();
}

absl::Status Mapper::CheckTiles() const {
  const emulator::Shape& machine = shape_.machine.shape;
  if (machine.mlen == 0 || machine.vlen != machine.mlen || machine.blen == 0 ||
      machine.mlen % machine.blen != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("MLEN = %d, VLEN = %d, BLEN = %d: not a machine (--machine) [RC072]",
                        machine.mlen, machine.vlen, machine.blen));
  }
  const std::uint32_t m = machine.mlen;
  RETURN_IF_ERROR(TileMismatch("hidden", layer_.shape.hidden, m, "--hidden"));
  RETURN_IF_ERROR(TileMismatch("intermediate", layer_.shape.intermediate, m, "--inter"));
  if (layer_.shared.has_value()) {
    RETURN_IF_ERROR(
        TileMismatch("shared intermediate", layer_.shared->intermediate, m, "--shared"));
  }
  const isa::TensorFormat format = FormatOf(layer_.weights);
  if (format.is_mx() && m % format.block != 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "weight format %s has blocks of %d, MLEN is %d (--weights, --machine) [RC073]",
        Absl(Name(layer_.weights)), format.block, m));
  }
  return absl::OkStatus();
}

absl::Status Mapper::CheckSupport() const {
  if (layer_.activation == Activation::kGegluErf) {
    return absl::UnimplementedError(
        "activation geglu_erf: the ISA has no erf instruction (--activation) [RC074]");
  }
  if (shape_.fixed != nullptr) return absl::OkStatus();
  if (layer_.router.mode == RouterMode::kSqrtSoftplus) {
    return absl::UnimplementedError(
        "router mode sqrtsoftplus: the ISA has no logarithm instruction; use --routing=fixed "
        "[RC074]");
  }
  if (layer_.router.mode == RouterMode::kGiven) {
    return absl::InvalidArgumentError("router mode given needs --routing=fixed [RC075]");
  }
  return absl::OkStatus();
}

absl::Status Mapper::CheckOptions() const {
  if (lowering_.reuse == Reuse::kGroup && shape_.fixed == nullptr) {
    return absl::InvalidArgumentError("reuse=group needs --routing=fixed (--set reuse) [RC075]");
  }
  if (lowering_.weighting == ProgramWeighting::kPre && layer_.expert_bias) {
    return absl::InvalidArgumentError(
        "weighting=pre needs a layer without b2 (--set weighting) [RC075]");
  }
  if (lowering_.residual == Residual::kNorm && lowering_.gather == GatherSource::kHbm) {
    return absl::InvalidArgumentError(
        "residual=norm needs gather=vram: HBM holds the rows before the norm (--set gather) "
        "[RC075]");
  }
  const bool routes = shape_.fixed == nullptr;
  if (routes && lowering_.router == RouterChoice::kMatrix && NeedsScores(layer_.router)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "router=matrix: router mode %s needs its logits in FP_MEM (--set router) [RC076]",
        Absl(Name(layer_.router.mode))));
  }
  return absl::OkStatus();
}

absl::Status Mapper::CheckFixed() const {
  if (shape_.fixed == nullptr) return absl::OkStatus();
  const Routing& routing = *shape_.fixed;
  RETURN_IF_ERROR(Check(routing));
  if (routing.tokens != shape_.tokens || routing.top_k != layer_.shape.top_k ||
      routing.experts != layer_.shape.experts) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "fixed routing of %d tokens to %d of %d experts, layer has %d tokens to %d of %d "
        "(--workload) [RC077]",
        routing.tokens, routing.top_k, routing.experts, shape_.tokens, layer_.shape.top_k,
        layer_.shape.experts));
  }
  return absl::OkStatus();
}

absl::Status Mapper::CheckMemories() const {
  const emulator::MemorySizes& memory = shape_.machine.memory;
  RETURN_IF_ERROR(TooSmall("HBM bytes", map_.hbm_bytes, memory.hbm_bytes, "HBM_SIZE",
                           "--experts, --hidden, --inter, --weights"));
  RETURN_IF_ERROR(TooSmall("VRAM rows", (vram_next_ + map_.m - 1) / map_.m, memory.vector_rows,
                           "VECTOR_SRAM_SIZE", "--tokens"));
  RETURN_IF_ERROR(TooSmall("FP_MEM words", fp_next_, memory.fp_words, "fp_sram_words",
                           "--tokens, --experts, --set route_weight"));
  return TooSmall("INT_MEM words", int_next_, memory.int_words, "int_sram_words",
                  "--tokens, --experts");
}

}  // namespace moescope::moe
