#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "moe/layer_names.h"
#include "moe/reference/backward_math.h"
#include "moe/reference/losses_math.h"
#include "moe/reference/lower_operands.h"
#include "moe/reference/router.h"
#include "moe/reference/router_math.h"
#include "tests/moe/reference/small_layer.h"
#include "tests/moe/torch/tensor_file.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"
#include "tests/support/scratch_folder.h"

// The reference against an outside implementation: PyTorch on the CPU, with its own functions,
// stable sort and autograd (agreement.py). Skips, saying so, where PyTorch is not installed.

namespace moescope::moe::reference {
namespace {

// A Python that has torch: that of the environment, or the system's.
std::string PythonWithTorch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string look =
        "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)";
    if (test::RunProcess({python, "-c", look}).code == 0) return python;
  }
  return "";
}

F32Matrix Floats(const Bf16Matrix& bits) { return Widen<float>(bits); }

std::vector<F32Matrix> Floats(const std::vector<Bf16Matrix>& bits) {
  std::vector<F32Matrix> result;
  for (const Bf16Matrix& matrix : bits) result.push_back(Floats(matrix));
  return result;
}

void AddRouting(const Routing& routing, TensorFile& file) {
  const std::vector<std::int64_t> shape = {routing.tokens, routing.top_k};
  file.Add<std::int32_t>("idx", routing.topk_idx, shape);
  file.Add<float>("w", routing.topk_w, shape);
}

void AddDescription(const Layer& layer, TensorFile& file) {
  file.Set("activation", std::string(Name(layer.activation)));
  file.Set("weighting", std::string(Name(layer.weighting)));
  if (layer.clamp.has_value()) file.Set("clamp", double{*layer.clamp});
  file.Set("mode", std::string(Name(layer.router.mode)));
  file.Set("norm", layer.router.norm);
  file.Set("scale", double{layer.router.routed_scale});
  file.Set("groups", layer.router.groups);
  file.Set("topk_group", layer.router.topk_group);
  file.Set("top_k", layer.shape.top_k);
}

// Inputs as floats: every value is a BF16 number and exact.
void AddLayer(const SmallLayer& small, TensorFile& file) {
  AddDescription(small.layer, file);
  file.Add("x", Floats(small.x));
  AddRouting(small.routing, file);
  std::vector<F32Matrix> gate;
  std::vector<F32Matrix> up;
  std::vector<F32Matrix> down;
  for (int e = 0; e < small.layer.shape.experts; ++e) {
    const ExpertMatrices expert = *small.experts.Load(e);
    gate.push_back(Floats(expert.gate));
    up.push_back(Floats(expert.up));
    down.push_back(Floats(expert.down));
  }
  file.Add("gate", gate);
  file.Add("up", up);
  file.Add("down", down);
  const LayerTensors& tensors = small.tensors;
  if (small.layer.expert_bias) {
    file.Add("b1", Floats(tensors.gate_bias));
    file.Add("b3", Floats(tensors.up_bias));
    file.Add("b2", Floats(tensors.down_bias));
  }
  if (!small.layer.shared.has_value()) return;
  file.Add("shared_gate", Floats(tensors.shared_gate));
  file.Add("shared_up", Floats(tensors.shared_up));
  file.Add("shared_down", Floats(tensors.shared_down));
  if (!small.layer.shared->gate) return;
  Bf16Matrix vector(1, static_cast<std::int64_t>(tensors.shared_gate_vector.size()));
  vector.values = tensors.shared_gate_vector;
  file.Add("wg", Floats(vector));
}

void AddForward(const std::string& name, const Layer& layer, TensorFile& file) {
  const SmallLayer small(layer, 9, 3);
  file.Begin("forward", name);
  AddLayer(small, file);
  const Exact exact;
  file.Add("y_f64", ForwardPass<Exact>(exact, Lower<double>(small.inputs())).Run()->y);
  file.Add("y_f32", Floats(small.Run({16}).y));
}

std::vector<Layer> RouterLayers() {
  const Router routers[] = {
      {.mode = RouterMode::kSoftmaxTopk, .logit_bias = true},
      {.mode = RouterMode::kSoftmaxAll},
      {.mode = RouterMode::kSoftmaxAll, .norm = true},
      {.mode = RouterMode::kSigmoidGroup, .norm = true, .routed_scale = 2.5f},
      {.mode = RouterMode::kSigmoidGroup,
       .norm = true,
       .routed_scale = 2.5f,
       .groups = 4,
       .topk_group = 2,
       .correction_bias = true},
      {.mode = RouterMode::kSqrtSoftplus,
       .norm = true,
       .routed_scale = 1.5f,
       .correction_bias = true},
      {.mode = RouterMode::kSqrtSoftplus},
      {.mode = RouterMode::kSigmoidInput},
  };
  std::vector<Layer> layers;
  for (const Router& router : routers) {
    const bool input = router.mode == RouterMode::kSigmoidInput;
    layers.push_back({.shape = {48, 32, 16, input ? 1 : 4},
                      .router = router,
                      .weighting = input ? Weighting::kInput : Weighting::kPre,
                      .weights = WeightFormat::kBf16});
  }
  return layers;
}

// Logits, ids, weights, gradient and losses of one router over 40 tokens.
void AddRouter(const Layer& layer, TensorFile& file) {
  constexpr std::int64_t kTokens = 40;
  const LayerTensors tensors = SeededTensors(layer, 5);
  const Bf16Matrix x = SeededHidden(layer, kTokens, 5);
  const RouterResult narrow = Route(layer, tensors, x, {});
  file.Begin("router", std::string(Name(layer.router.mode)));
  AddDescription(layer, file);
  file.Add("x", Floats(x));
  file.Add("router", tensors.router);
  if (layer.router.logit_bias) file.Add("br", tensors.router_bias);
  if (layer.router.correction_bias) file.Add("bias_corr", tensors.correction_bias);
  file.Add("logits", narrow.logits);
  AddRouting(narrow.routing, file);
  std::vector<float> dw;
  for (std::uint64_t i = 0; i < narrow.routing.topk_w.size(); ++i) {
    dw.push_back(Normal(6, Stream::kOutputGradient, i));
  }
  file.Add<float>("dw", dw, {kTokens, layer.shape.top_k});
  file.Add("dl_f32", RouterGradient(layer, narrow, dw));

  const Matrix<double> logits = [&] {
    Matrix<double> wide(narrow.logits.rows, narrow.logits.columns);
    wide.values.assign(narrow.logits.values.begin(), narrow.logits.values.end());
    return wide;
  }();
  const TokenRouter<Exact> router(layer, tensors.correction_bias);
  Matrix<double> scores(kTokens, layer.shape.experts);
  Matrix<double> dl(kTokens, layer.shape.experts);
  std::vector<double> weights;
  const auto k = static_cast<std::size_t>(layer.shape.top_k);
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const TokenRoute<double> route = router.Route(logits.Row(t));
    const auto first = static_cast<std::size_t>(t) * k;
    const std::vector<double> row_dw(dw.begin() + static_cast<std::ptrdiff_t>(first),
                                     dw.begin() + static_cast<std::ptrdiff_t>(first + k));
    const std::vector<double> row =
        TokenRouterGradient<double>(layer, logits.Row(t), route, row_dw);
    weights.insert(weights.end(), route.weights.begin(), route.weights.end());
    std::copy(row.begin(), row.end(), dl.Row(t).begin());
    std::copy(route.scores.begin(), route.scores.end(), scores.Row(t).begin());
  }
  file.Add<double>("w_f64", weights, {kTokens, layer.shape.top_k});
  file.Add("dl_f64", dl);
  const std::vector<std::int64_t> counts = CountPerExpert(narrow.routing);
  const LossValues<double> losses =
      LossPass<Exact>({layer, logits, scores, counts, {0.5f, 0.25f}}).Run();
  file.Set("aux", losses.aux);
  file.Set("z", losses.z);
  file.Add("losses_dl", losses.dl);
}

template <typename Gradients>
void AddGradients(const std::string& suffix, const Gradients& d, TensorFile& file) {
  file.Add("da1" + suffix, d.da1);
  file.Add("da3" + suffix, d.da3);
  file.Add("db2" + suffix, d.db2);
  file.Add("db1" + suffix, d.db1);
  file.Add("db3" + suffix, d.db3);
  file.Add("da2" + suffix, d.da2);
}

void AddBackward(const std::string& name, const Layer& layer, SideRows rows, TensorFile& file) {
  constexpr std::int64_t kTokens = 9;
  const SmallLayer small(layer, kTokens, 3);
  SideLora lora = SeededLora(layer, 5, 0.5f, 11);
  lora.side_rows = rows;
  const Bf16Matrix dy = SeededOutputGradient(layer, kTokens, 13);
  file.Begin("backward", name);
  AddLayer(small, file);
  file.Set("lora_scale", double{lora.scale});
  file.Add("a1", Floats(lora.a1));
  file.Add("a3", Floats(lora.a3));
  file.Add("b2_factor", Floats(lora.b2));
  file.Add("b1_factor", Floats(lora.b1));
  file.Add("b3_factor", Floats(lora.b3));
  file.Add("a2", Floats(lora.a2));
  file.Add("dy", Floats(dy));
  const Exact exact;
  const LayerOperands<double> operands = Lower<double>(small.inputs(&lora));
  const Matrix<double> wide = Widen<double>(dy);
  const ForwardValues<double> saved = *ForwardPass<Exact>(exact, operands).Run();
  const BackwardValues<double> d = *BackwardPass<Exact>(exact, operands, saved, wide).Run();
  file.Add("y_f64", saved.y);
  file.Add("dx_f64", d.grad_x);
  file.Add<double>("dw_f64", d.dw, {kTokens, layer.shape.top_k});
  AddGradients("_f64", d, file);
  const BackwardOutputs narrow = *Backward(small.inputs(&lora), dy, {16});
  file.Add("dx_f32", Floats(narrow.grad_x));
  file.Add<float>("dw_f32", narrow.dw, {kTokens, layer.shape.top_k});
  AddGradients("_f32", narrow, file);
}

// Stored bytes in every format, orientation and gate/up layout, and what they decode to.
void AddFormat(WeightFormat format, Orientation orientation, GateUpLayout layout,
               TensorFile& file) {
  Layer layer = TinyLayer();
  layer.shape = {64, 32, 2, 1};
  layer.weights = format;
  const Weights weights = SeededWeights(layer, 7, layout, orientation, {});
  const StoredExperts experts(weights.experts, {});
  for (int e = 0; e < 2; ++e) {
    const EncodedMatrix& stored = weights.experts.gate_up[static_cast<std::size_t>(e)];
    const ExpertMatrices decoded = *experts.Load(e);
    file.Begin("format", std::string(Name(format)) + " " + std::string(Name(layout)));
    file.Set("format", std::string(Name(format)));
    file.Set("layout", std::string(Name(layout)));
    file.Set("output_major", orientation == Orientation::kOutputMajor);
    file.Add("elements", stored.elements);
    file.Add("scales", stored.scales);
    file.Add("gate", Floats(decoded.gate));
    file.Add("up", Floats(decoded.up));
  }
}

Layer BaseLayer(Activation activation, Weighting weighting = Weighting::kPre) {
  Layer layer = TinyLayer(activation, weighting);
  layer.shape = {48, 32, 6, weighting == Weighting::kInput ? 1 : 3};
  return layer;
}

TensorFile AllCases() {
  TensorFile file;
  for (const Layer& layer : RouterLayers()) AddRouter(layer, file);
  for (const auto activation :
       {Activation::kSwiglu, Activation::kGptOss, Activation::kGegluTanh, Activation::kGegluErf}) {
    for (const auto weighting : {Weighting::kPre, Weighting::kPost, Weighting::kInput}) {
      Layer layer = BaseLayer(activation, weighting);
      AddForward(std::string(Name(activation)), layer, file);
      layer.expert_bias = true;
      layer.clamp = 0.75f;
      layer.shared = SharedExpert{24, false};
      AddForward(std::string(Name(activation)) + " bias clamp shared", layer, file);
      layer.shared->gate = true;
      AddForward(std::string(Name(activation)) + " bias clamp gated", layer, file);
    }
    for (const SideRows rows : {SideRows::kRow, SideRows::kToken}) {
      Layer layer = BaseLayer(activation);
      AddBackward(std::string(Name(activation)), layer, rows, file);
      layer.expert_bias = true;
      layer.clamp = 0.75f;
      layer.shared = SharedExpert{24, true};
      AddBackward(std::string(Name(activation)) + " bias clamp gated", layer, rows, file);
    }
  }
  for (const auto format : {WeightFormat::kBf16, WeightFormat::kMxfp8B8, WeightFormat::kMxfp8B32,
                            WeightFormat::kMxfp4B32}) {
    for (const auto orientation : {Orientation::kOutputMajor, Orientation::kContractionMajor}) {
      for (const auto layout :
           {GateUpLayout::kHalves, GateUpLayout::kInterleaved, GateUpLayout::kGranule8}) {
        AddFormat(format, orientation, layout, file);
      }
    }
  }
  return file;
}

class TorchTest : public testing::Test {
 protected:
  // Runs agreement.py on the cases; the result holds its table.
  test::ProcessResult Agree(const std::string& python, const std::string& index,
                            const std::string& bytes) {
    folder_.Write("cases.json", index);
    folder_.Write("tensors.bin", bytes);
    return test::RunProcess(
        {python, test::SourceFolder() + "/tests/moe/torch/agreement.py", folder_.path()},
        {.environment = {"OMP_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1"}});
  }
  test::ScratchFolder folder_;
};

TEST_F(TorchTest, ReferenceAgreesWithPyTorch) {
  const std::string python = PythonWithTorch();
  if (python.empty()) GTEST_SKIP() << "PyTorch is not installed (Debian: python3-torch)";
  const TensorFile file = AllCases();
  const test::ProcessResult result = Agree(python, file.index(), file.bytes());
  std::printf("%s", result.out.c_str());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find(std::to_string(file.size()) + " cases"), std::string::npos);
}

// The comparison itself must be able to fail: one changed value of one case is noticed.
TEST_F(TorchTest, AChangedValueIsNoticed) {
  const std::string python = PythonWithTorch();
  if (python.empty()) GTEST_SKIP() << "PyTorch is not installed (Debian: python3-torch)";
  TensorFile file;
  AddForward("swiglu", BaseLayer(Activation::kSwiglu), file);
  std::string bytes = file.bytes();
  // The exponent of the last element of y_f32, which is the last tensor.
  bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
  const test::ProcessResult result = Agree(python, file.index(), bytes);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("DIFFERS"), std::string::npos) << result.out << result.err;
}

}  // namespace
}  // namespace moescope::moe::reference
