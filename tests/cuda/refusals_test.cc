// Every tensor and span of Forward and Route with every defect: shape, type, stride, absence,
// alignment, size one byte short, overlap with every other. The texts are built from the tables
// below, not from the code under test. Addresses are made up: nothing is dereferenced.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cuda/buffer_layout.h"
#include "cuda/host/preconditions.h"

namespace moescope::cuda {
namespace {

constexpr std::int64_t kTokens = 40;
constexpr moe::LayerShape kShape{96, 48, 8, 2};

Plan PlanOf(bool save, moe::RouterMode mode) {
  Options options{.weighting = moe::Weighting::kPre, .weights = moe::WeightFormat::kMxfp4B32};
  options.save_gate_up = save;
  options.router.mode = mode;
  return *MakePlan(kShape, kTokens, options, DesignTraits());
}

char* At(int buffer) {
  return reinterpret_cast<char*>(std::uintptr_t{0x40000000} * static_cast<std::uintptr_t>(buffer));
}

// A call under test: named tensors and spans with what they must be, and the check.
struct Argument {
  const char* name;
  bool written;
  Tensor* tensor = nullptr;
  Span* span = nullptr;

  void* data() const { return tensor != nullptr ? tensor->data : span->data; }
  void Move(void* to) const { (tensor != nullptr ? tensor->data : span->data) = to; }
  std::int64_t bytes() const { return tensor != nullptr ? tensor->bytes() : span->bytes; }
};

class Call {
 public:
  virtual ~Call() = default;
  virtual absl::Status Check() const = 0;
  const std::vector<Argument>& arguments() const { return arguments_; }

 protected:
  std::vector<Argument> arguments_;
  Span workspace_;
};

class ForwardCall : public Call {
 public:
  explicit ForwardCall(bool save) : plan_(PlanOf(save, moe::RouterMode::kGiven)) {
    workspace_ = {At(1), LayoutOf(plan_, Buffer::kWorkspace).bytes};
    tensors_ = {.x = Tensor::Dense(At(2), ElementType::kBf16, kTokens, kShape.hidden),
                .topk_idx = Tensor::Dense(At(3), ElementType::kInt32, kTokens, kShape.top_k),
                .topk_w = Tensor::Dense(At(4), ElementType::kFloat32, kTokens, kShape.top_k),
                .weights = {At(5), LayoutOf(plan_, Buffer::kPackedWeights).bytes},
                .y = Tensor::Dense(At(6), ElementType::kBf16, kTokens, kShape.hidden)};
    arguments_ = {
        {"workspace", true, nullptr, &workspace_},      {"x", false, &tensors_.x},
        {"topk_idx", false, &tensors_.topk_idx},        {"topk_w", false, &tensors_.topk_w},
        {"weights", false, nullptr, &tensors_.weights}, {"y", true, &tensors_.y}};
    if (!save) return;
    tensors_.gate = Tensor::Dense(At(7), ElementType::kBf16, plan_.rows_max, kShape.intermediate);
    tensors_.up = Tensor::Dense(At(8), ElementType::kBf16, plan_.rows_max, kShape.intermediate);
    arguments_.push_back({"gate", true, &tensors_.gate});
    arguments_.push_back({"up", true, &tensors_.up});
  }
  absl::Status Check() const override { return CheckForward(plan_, tensors_, workspace_); }

 private:
  Plan plan_;
  ForwardTensors tensors_;
};

class RouteCall : public Call {
 public:
  RouteCall() : plan_(PlanOf(false, moe::RouterMode::kSoftmaxTopk)) {
    workspace_ = {At(1), LayoutOf(plan_, Buffer::kWorkspace).bytes};
    tensors_ = {.x = Tensor::Dense(At(2), ElementType::kBf16, kTokens, kShape.hidden),
                .weights = {At(3), LayoutOf(plan_, Buffer::kPackedWeights).bytes},
                .topk_idx = Tensor::Dense(At(4), ElementType::kInt32, kTokens, kShape.top_k),
                .topk_w = Tensor::Dense(At(5), ElementType::kFloat32, kTokens, kShape.top_k)};
    arguments_ = {{"workspace", true, nullptr, &workspace_},
                  {"x", false, &tensors_.x},
                  {"weights", false, nullptr, &tensors_.weights},
                  {"topk_idx", true, &tensors_.topk_idx},
                  {"topk_w", true, &tensors_.topk_w}};
  }
  absl::Status Check() const override { return CheckRoute(plan_, tensors_, workspace_); }

 private:
  Plan plan_;
  RouteTensors tensors_;
};

enum class Which { kForward, kForwardSaving, kRoute };

std::unique_ptr<Call> MakeCall(Which which) {
  if (which == Which::kRoute) return std::make_unique<RouteCall>();
  return std::make_unique<ForwardCall>(which == Which::kForwardSaving);
}

class Refusals : public ::testing::TestWithParam<Which> {
 protected:
  // Runs `damage` on a fresh call for every argument and expects the text that it returns; an empty
  // text means that the argument cannot be damaged that way.
  template <typename Damage>
  int ForEach(Damage damage) const {
    int damaged = 0;
    const std::size_t count = MakeCall(GetParam())->arguments().size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::unique_ptr<Call> call = MakeCall(GetParam());
      EXPECT_TRUE(call->Check().ok()) << call->Check();
      const std::string text = damage(call->arguments()[i]);
      if (text.empty()) continue;
      ++damaged;
      EXPECT_EQ(call->Check(), absl::InvalidArgumentError(text));
    }
    return damaged;
  }
};

INSTANTIATE_TEST_SUITE_P(Calls, Refusals,
                         ::testing::Values(Which::kForward, Which::kForwardSaving, Which::kRoute));

std::string Shape(const Tensor& tensor) {
  return absl::StrFormat("%s [%d,%d]", std::string(Name(tensor.type)), tensor.rows, tensor.columns);
}

TEST_P(Refusals, Rows) {
  for (const std::int64_t change : {-1, 1}) {
    EXPECT_GE(ForEach([&](const Argument& a) -> std::string {
                if (a.tensor == nullptr) return "";
                const std::string expected = Shape(*a.tensor);
                a.tensor->rows += change;
                return absl::StrCat(a.name, ": expected ", expected, ", got ", Shape(*a.tensor));
              }),
              3);
  }
}

TEST_P(Refusals, Columns) {
  for (const std::int64_t change : {-1, 1, 16}) {
    ForEach([&](const Argument& a) -> std::string {
      if (a.tensor == nullptr) return "";
      const std::string expected = Shape(*a.tensor);
      a.tensor->columns += change;
      return absl::StrCat(a.name, ": expected ", expected, ", got ", Shape(*a.tensor));
    });
  }
}

TEST_P(Refusals, Types) {
  for (const ElementType type :
       {ElementType::kBf16, ElementType::kFloat32, ElementType::kInt32, ElementType::kUint8}) {
    ForEach([&](const Argument& a) -> std::string {
      if (a.tensor == nullptr || a.tensor->type == type) return "";
      const std::string expected = Shape(*a.tensor);
      a.tensor->type = type;
      return absl::StrCat(a.name, ": expected ", expected, ", got ", Shape(*a.tensor));
    });
  }
}

TEST_P(Refusals, Strides) {
  for (const std::int64_t change : {-1, 1, 64}) {
    ForEach([&](const Argument& a) -> std::string {
      if (a.tensor == nullptr) return "";
      a.tensor->stride += change;
      return absl::StrCat(a.name, ": expected row stride ", a.tensor->columns, ", got ",
                          a.tensor->stride);
    });
  }
}

TEST_P(Refusals, Absent) {
  ForEach([&](const Argument& a) -> std::string {
    const std::int64_t bytes = a.bytes();
    a.Move(nullptr);
    return a.tensor != nullptr ? absl::StrCat(a.name, ": expected ", Shape(*a.tensor), ", got none")
                               : absl::StrCat(a.name, ": need ", bytes, " bytes, got 0");
  });
}

TEST_P(Refusals, EveryMisalignedAddress) {
  for (std::uintptr_t offset = 1; offset < 16; ++offset) {
    ForEach([&](const Argument& a) {
      a.Move(static_cast<char*>(a.data()) + offset);
      return absl::StrFormat("%s: address 0x%x is not aligned to 16 bytes", a.name,
                             reinterpret_cast<std::uintptr_t>(a.data()));
    });
  }
}

TEST_P(Refusals, SpansOneByteShort) {
  const int spans = ForEach([&](const Argument& a) -> std::string {
    if (a.span == nullptr) return "";
    const std::int64_t need = a.span->bytes--;
    return absl::StrCat(a.name, ": need ", need, " bytes, got ", need - 1);
  });
  EXPECT_EQ(spans, 2);
}

TEST_P(Refusals, SpansMayBeLarger) {
  const std::unique_ptr<Call> call = MakeCall(GetParam());
  for (const Argument& a : call->arguments()) {
    if (a.span != nullptr) a.span->bytes += 12345;
  }
  EXPECT_TRUE(call->Check().ok()) << call->Check();
}

// Each written argument at the address of every other one; the last 16 bytes are enough.
TEST_P(Refusals, EveryOverlap) {
  const std::size_t count = MakeCall(GetParam())->arguments().size();
  int refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const std::unique_ptr<Call> call = MakeCall(GetParam());
      const Argument& moved = call->arguments()[i];
      const Argument& other = call->arguments()[j];
      char* const last = static_cast<char*>(other.data()) + (other.bytes() - 1) / 16 * 16;
      moved.Move(last);
      const absl::Status status = call->Check();
      if (!moved.written && !other.written) {
        EXPECT_TRUE(status.ok()) << moved.name << " and " << other.name << " are only read";
        continue;
      }
      ++refused;
      const std::string one = absl::StrCat(moved.name, " overlaps ", other.name);
      const std::string two = absl::StrCat(other.name, " overlaps ", moved.name);
      EXPECT_TRUE(status == absl::InvalidArgumentError(one) ||
                  status == absl::InvalidArgumentError(two))
          << status;
      moved.Move(last + 16);  // the next place is free
      EXPECT_TRUE(call->Check().ok()) << call->Check();
    }
  }
  EXPECT_GE(refused, 10);
}

TEST(RefusalsTest, FinishNeedsTheWorkspace) {
  const Plan plan = PlanOf(false, moe::RouterMode::kGiven);
  const std::int64_t need = LayoutOf(plan, Buffer::kWorkspace).bytes;
  EXPECT_TRUE(CheckWorkspace(plan, {At(1), need}).ok());
  EXPECT_EQ(
      CheckWorkspace(plan, {At(1), need - 1}),
      absl::InvalidArgumentError(absl::StrCat("workspace: need ", need, " bytes, got ", need - 1)));
}

TEST(RefusalsTest, NoTokensNeedNoTensors) {
  Options options{.weighting = moe::Weighting::kPre, .weights = moe::WeightFormat::kBf16};
  const Plan plan = *MakePlan(kShape, 0, options, DesignTraits());
  const std::int64_t packed = LayoutOf(plan, Buffer::kPackedWeights).bytes;
  const std::int64_t work = LayoutOf(plan, Buffer::kWorkspace).bytes;
  const ForwardTensors tensors{
      .x = Tensor::Dense(nullptr, ElementType::kBf16, 0, kShape.hidden),
      .topk_idx = Tensor::Dense(nullptr, ElementType::kInt32, 0, kShape.top_k),
      .topk_w = Tensor::Dense(nullptr, ElementType::kFloat32, 0, kShape.top_k),
      .weights = {At(5), packed},
      .y = Tensor::Dense(nullptr, ElementType::kBf16, 0, kShape.hidden)};
  EXPECT_TRUE(CheckForward(plan, tensors, {At(1), work}).ok())
      << CheckForward(plan, tensors, {At(1), work});
}

// A workspace of a plan with fewer tokens is too small, and the text says by how much.
TEST(RefusalsTest, TheWorkspaceOfASmallerPlan) {
  Options options{.weighting = moe::Weighting::kPre, .weights = moe::WeightFormat::kBf16};
  const Plan small = *MakePlan(kShape, kTokens - 1, options, DesignTraits());
  const Plan large = *MakePlan(kShape, kTokens, options, DesignTraits());
  const std::int64_t got = LayoutOf(small, Buffer::kWorkspace).bytes;
  const std::int64_t need = LayoutOf(large, Buffer::kWorkspace).bytes;
  ASSERT_LT(got, need);
  EXPECT_EQ(
      CheckWorkspace(large, {At(1), got}),
      absl::InvalidArgumentError(absl::StrCat("workspace: need ", need, " bytes, got ", got)));
}

}  // namespace
}  // namespace moescope::cuda
