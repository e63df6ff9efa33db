#include "cli/session/cuda_check.h"

#include <cstddef>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "base/status.h"
#include "cuda/buffer_layout.h"
#include "cuda/device.h"
#include "cuda/forward.h"
#include "cuda/memory.h"
#include "cuda/packed_weights.h"
#include "moe/reference/reference.h"

namespace moescope::session {
namespace {

// y and the slot outputs, [T, H] and [T K, H]; rows of masked slots are zero.
struct Outputs {
  moe::Bf16Matrix y;
  moe::Bf16Matrix slot;
};

template <typename T>
absl::StatusOr<cuda::Memory> Upload(const std::vector<T>& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
  ASSIGN_OR_RETURN(cuda::Memory memory, cuda::Memory::Allocate(bytes));
  RETURN_IF_ERROR(cuda::CopyToDevice(memory.data(), values.data(), bytes));
  return memory;
}

absl::StatusOr<moe::Bf16Matrix> Download(const void* from, std::int64_t rows,
                                         std::int64_t columns) {
  moe::Bf16Matrix matrix(rows, columns);
  RETURN_IF_ERROR(cuda::CopyToHost(matrix.values.data(), from, 2 * rows * columns));
  return matrix;
}

absl::StatusOr<Outputs> RunForward(const CudaCheckInputs& in, const cuda::Plan& plan) {
  using cuda::ElementType;
  using cuda::Tensor;
  const std::int64_t t = plan.tokens;
  const std::int64_t h = plan.shape.hidden;
  const std::int64_t k = plan.shape.top_k;
  const cuda::BufferLayout layout = cuda::LayoutOf(plan, cuda::Buffer::kWorkspace);
  ASSIGN_OR_RETURN(const cuda::PackedWeights packed, cuda::PackWeights(plan, in.weights));
  ASSIGN_OR_RETURN(const cuda::Memory weights, Upload(packed.bytes));
  ASSIGN_OR_RETURN(const cuda::Memory x, Upload(in.x.values));
  ASSIGN_OR_RETURN(const cuda::Memory idx, Upload(in.routing.topk_idx));
  ASSIGN_OR_RETURN(const cuda::Memory w, Upload(in.routing.topk_w));
  ASSIGN_OR_RETURN(const cuda::Memory y, cuda::Memory::Allocate(2 * t * h));
  ASSIGN_OR_RETURN(const cuda::Memory workspace, cuda::Memory::Allocate(layout.bytes));
  const cuda::ForwardTensors tensors{
      .x = Tensor::Dense(x.data(), ElementType::kBf16, t, h),
      .topk_idx = Tensor::Dense(idx.data(), ElementType::kInt32, t, k),
      .topk_w = Tensor::Dense(w.data(), ElementType::kFloat32, t, k),
      .weights = weights.span(),
      .y = Tensor::Dense(y.data(), ElementType::kBf16, t, h)};
  RETURN_IF_ERROR(cuda::Forward(plan, tensors, workspace.span(), {}));
  RETURN_IF_ERROR(cuda::Finish(plan, workspace.span(), {}).status());
  Outputs out;
  ASSIGN_OR_RETURN(out.y, Download(y.data(), t, h));
  if (t == 0) return out;
  const auto* first = static_cast<const std::uint8_t*>(workspace.data());
  ASSIGN_OR_RETURN(out.slot, Download(first + layout.Find("slots").offset, t * k, h));
  for (std::int64_t pair = 0; pair < t * k; ++pair) {
    if (in.routing.topk_idx[static_cast<std::size_t>(pair)] >= 0) continue;
    for (std::uint16_t& value : out.slot.Row(pair)) value = 0;
  }
  return out;
}

std::string FixtureOf(const CudaCheckInputs& in) {
  Sha256 hash;
  const auto add = [&](const auto& values) {
    hash.Update(
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())});
  };
  add(in.x.values);
  add(in.routing.topk_idx);
  add(in.routing.topk_w);
  for (const auto* matrices : {&in.weights.experts.gate_up, &in.weights.experts.down}) {
    for (const moe::EncodedMatrix& matrix : *matrices) {
      add(matrix.elements);
      add(matrix.scales);
    }
  }
  return hash.Name();
}

class Recorder {
 public:
  Recorder(std::string fixture, std::string policy)
      : fixture_(std::move(fixture)), policy_(std::move(policy)) {}

  void Compare(const std::string& subject, const std::string& actual_name,
               const moe::Bf16Matrix& actual, const std::string& expected_name,
               const moe::Bf16Matrix& expected, moe::Tier tier) {
    moe::ComparisonRecord record = Blank(subject, actual_name, expected_name, tier);
    record.metrics = moe::Compare(actual, expected);
    record.passed = moe::Passes(tier, *record.metrics, subject == "y");
    records_.push_back(std::move(record));
  }
  void Skip(const std::string& subject, const std::string& actual_name,
            const std::string& expected_name, moe::Tier tier, const std::string& why) {
    moe::ComparisonRecord record = Blank(subject, actual_name, expected_name, tier);
    record.skipped = why;
    records_.push_back(std::move(record));
  }
  std::vector<moe::ComparisonRecord> Take() { return std::move(records_); }

 private:
  moe::ComparisonRecord Blank(const std::string& subject, const std::string& actual,
                              const std::string& expected, moe::Tier tier) const {
    return {.subject = subject,
            .fixture = fixture_,
            .actual = actual,
            .expected = expected,
            .policy = policy_,
            .tier = tier};
  }

  std::string fixture_;
  std::string policy_;
  std::vector<moe::ComparisonRecord> records_;
};

constexpr char kReference[] = "fused ideal";
constexpr char kTuned[] = "cuda fused tensor_core";
constexpr char kPlain[] = "cuda fused plain";

std::vector<moe::ComparisonRecord> AllSkipped(Recorder recorder, moe::Tier tier,
                                              const std::string& why) {
  for (const char* kernels : {kTuned, kPlain}) {
    recorder.Skip("y", kernels, kReference, tier, why);
    recorder.Skip("slot", kernels, kReference, tier, why);
  }
  recorder.Skip("y", "cuda fused tensor_core, second run", kTuned, moe::Tier::kBitwise, why);
  return recorder.Take();
}

}  // namespace

absl::StatusOr<std::vector<moe::ComparisonRecord>> CheckOnCuda(const CudaCheckInputs& in,
                                                               int ordinal) {
  const moe::Tier tier = in.exact_fixture ? moe::Tier::kBitwise : moe::Tier::kEndToEnd;
  const absl::StatusOr<cuda::Device> device = cuda::OpenDevice(ordinal);
  const cuda::DeviceTraits traits = device.ok() ? device->traits : cuda::DesignTraits();
  cuda::Options options = cuda::OptionsFor(in.layer);
  ASSIGN_OR_RETURN(const cuda::Plan tuned,
                   cuda::MakePlan(in.layer.shape, in.x.rows, options, traits));
  options.kernels = cuda::Kernels::kPlain;
  ASSIGN_OR_RETURN(const cuda::Plan plain,
                   cuda::MakePlan(in.layer.shape, in.x.rows, options, traits));
  Recorder recorder(FixtureOf(in), tuned.fingerprint);
  if (!device.ok()) {
    return AllSkipped(std::move(recorder), tier, std::string(device.status().message()));
  }
  const moe::StoredExperts experts(in.weights.experts, {});
  ASSIGN_OR_RETURN(
      const moe::reference::ForwardOutputs reference,
      moe::reference::Forward({in.layer, in.weights.tensors, experts, in.x, in.routing},
                              moe::reference::kIdeal));
  ASSIGN_OR_RETURN(const Outputs first, RunForward(in, tuned));
  ASSIGN_OR_RETURN(const Outputs second, RunForward(in, tuned));
  ASSIGN_OR_RETURN(const Outputs oracle, RunForward(in, plain));
  recorder.Compare("y", kTuned, first.y, kReference, reference.y, tier);
  recorder.Compare("slot", kTuned, first.slot, kReference, reference.slot, tier);
  recorder.Compare("y", kPlain, oracle.y, kReference, reference.y, tier);
  recorder.Compare("slot", kPlain, oracle.slot, kReference, reference.slot, tier);
  recorder.Compare("y", "cuda fused tensor_core, second run", second.y, kTuned, first.y,
                   moe::Tier::kBitwise);
  return recorder.Take();
}

}  // namespace moescope::session
