// R18: with more than one expert per token every expert's weight is applied to its own output, and
// every (token, expert) pair runs exactly once. The first half is shown with a sum in doubles that
// knows nothing of the program's steps; with the weights of two experts exchanged the same sum is
// far from what the machine wrote.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/session/image_inputs.h"
#include "cli/session/moe_folder.h"
#include "cli/session/program.h"
#include "emulator/run.h"
#include "isa/bfloat16.h"
#include "profiler/profile_json.h"
#include "tests/cli/command_call.h"

namespace moescope::cli {
namespace {

constexpr int kTokens = 3;

moe::LayerRequest Request(int top_k) {
  moe::LayerRequest request{.layer = moe::DefaultLayer(), .tokens = kTokens, .seed = 5};
  request.layer.shape = {64, 64, 8, top_k};
  return request;
}

// A generated layer after its program ran: what the machine chose and computed.
struct Executed {
  moe::LayerRequest request;
  std::vector<std::vector<int>> ids;         // [token][rank]
  std::vector<std::vector<double>> weights;  // [token][rank]
  std::vector<std::vector<double>> output;   // [token][hidden]
  std::vector<std::vector<double>> input;    // [token][hidden]
  std::vector<moe::ExpertMatrices> experts;  // by id
};

double Value(std::uint16_t bits) { return isa::Bf16ToFloat(bits); }

const moe::NamedOutput* Find(const std::vector<moe::NamedOutput>& outputs, std::string_view name) {
  for (const moe::NamedOutput& output : outputs) {
    if (output.name == name) return &output;
  }
  ADD_FAILURE() << "no output " << name;
  return nullptr;
}

// Runs the program of a layer's folder and reads its memories.
Executed Execute(const std::string& path, const session::LayerFolder& folder) {
  const auto loaded = session::OpenProgram(folder.run.program, stages::Vocabulary());
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  emulator::MachineState state(folder.machine);
  EXPECT_TRUE(session::LoadImages(folder.run.images, state).ok());
  const emulator::RunEnd end =
      emulator::Run(loaded->program, folder.machine, state, nullptr, {}, {});
  EXPECT_TRUE(end.complete()) << path;

  const auto twin = folder.layer.Machine();
  EXPECT_TRUE(twin.ok()) << twin.status();
  const std::vector<moe::NamedOutput> outputs = moe::NamedOutputs(folder.layer.compiled(), *twin);
  Executed executed{.request = folder.layer.request()};
  const int top_k = executed.request.layer.shape.top_k;
  const moe::NamedOutput* ids = Find(outputs, "ids");
  const moe::NamedOutput* weights = Find(outputs, "weights");
  const moe::NamedOutput* y = Find(outputs, "y");
  for (std::uint32_t t = 0; t < kTokens; ++t) {
    auto& token_ids = executed.ids.emplace_back();
    auto& token_weights = executed.weights.emplace_back();
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(top_k); ++k) {
      const std::uint32_t slot = t * static_cast<std::uint32_t>(top_k) + k;
      token_ids.push_back(static_cast<int>(state.int_mem.Read(ids->address + slot)));
      token_weights.push_back(Value(state.fp_mem.Read(weights->address + slot)));
    }
    auto& row = executed.output.emplace_back();
    for (std::int64_t c = 0; c < y->expected.columns; ++c) {
      const moe::VramMatrix& place = y->rows[t];
      const auto column = static_cast<std::uint32_t>(c);
      const std::uint32_t at = place.Row(column / place.m, 0) / place.m;
      row.push_back(Value(state.vram.Read(at)[column % place.m]));
    }
    auto& in = executed.input.emplace_back();
    for (const std::uint16_t bits : folder.layer.x().Row(t)) in.push_back(Value(bits));
  }
  for (int e = 0; e < executed.request.layer.shape.experts; ++e) {
    executed.experts.push_back(*folder.layer.experts().Load(e));
  }
  return executed;
}

class R18_OwnWeights : public ::testing::TestWithParam<int> {
 protected:
  R18_OwnWeights() : path_(scratch_.Path("layer")) {
    const auto layer =
        moe::GeneratedLayer::Make(Request(GetParam()), emulator::MachineDescription{}, "");
    EXPECT_TRUE(layer.ok()) << layer.status();
    EXPECT_TRUE(session::WriteLayerFolder(*layer, path_, {}).ok());
  }

  moescope::test::ScratchFolder scratch_;
  std::string path_;
};

TEST_P(R18_OwnWeights, ChosenExpertsAreDistinctAndTheirWeightsSumToOne) {
  const auto folder = session::ReadLayerFolder(path_);
  ASSERT_TRUE(folder.ok()) << folder.status();
  const Executed executed = Execute(path_, *folder);
  for (std::size_t t = 0; t < executed.ids.size(); ++t) {
    const std::set<int> distinct(executed.ids[t].begin(), executed.ids[t].end());
    EXPECT_EQ(distinct.size(), executed.ids[t].size());
    double sum = 0;
    for (const double weight : executed.weights[t]) sum += weight;
    EXPECT_NEAR(sum, 1, 0.02);
  }
}

TEST_P(R18_OwnWeights, EveryPairRunsExactlyOnce) {
  const auto folder = session::ReadLayerFolder(path_);
  ASSERT_TRUE(folder.ok());
  const Executed executed = Execute(path_, *folder);
  const std::string profile_path = scratch_.Path("p.json");
  ASSERT_EQ(
      test::CallMoescope({"run", path_ + "/run.json", "-q", "--profile=" + profile_path}).code,
      ExitCode::kSuccess);
  const auto profile = profiler::ReadProfile(scratch_.Read("p.json"));
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_TRUE(profile->pairs.has_value());
  const auto top_k = static_cast<std::size_t>(GetParam());
  ASSERT_EQ(profile->pairs->rows.size(), kTokens * top_k);
  std::map<std::string, std::set<std::uint64_t>> instructions;  // by stage, over the pairs
  for (std::size_t i = 0; i < profile->pairs->rows.size(); ++i) {
    const profiler::PairRow& row = profile->pairs->rows[i];
    EXPECT_EQ(row.pair, i);
    EXPECT_EQ(row.expert, static_cast<std::uint64_t>(executed.ids[i / top_k][i % top_k])) << i;
    for (const profiler::PairStage& stage : row.stages) {
      instructions[stage.name].insert(stage.instructions);
    }
  }
  // Every pair did the same work in every stage, and none did nothing.
  for (const char* stage : {"gather", "expert_weight_address", "expert_weight_prefetch",
                            "expert_projection", "expert_activation", "scatter_combine"}) {
    ASSERT_TRUE(instructions.contains(stage)) << stage;
    EXPECT_EQ(instructions[stage].size(), 1u) << stage;
    EXPECT_GT(*instructions[stage].begin(), 0u) << stage;
  }
  // What the routing counted is what ran.
  std::map<int, std::uint64_t> chosen;
  for (const auto& ids : executed.ids) {
    for (const int id : ids) ++chosen[id];
  }
  ASSERT_TRUE(profile->routing.has_value());
  for (std::size_t e = 0; e < profile->routing->counts.size(); ++e) {
    EXPECT_EQ(profile->routing->counts[e], chosen[static_cast<int>(e)]) << e;
  }
}

// weight[0] * expert(ids[0]) + weight[1] * expert(ids[1]) + ..., SwiGLU experts, in doubles.
std::vector<double> WeightedSum(const Executed& executed, std::size_t token,
                                const std::vector<double>& weights) {
  const std::vector<double>& x = executed.input[token];
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto id = static_cast<std::size_t>(executed.ids[token][k]);
    const moe::ExpertMatrices& expert = executed.experts[id];
    std::vector<double> hidden;
    for (std::int64_t i = 0; i < expert.gate.rows; ++i) {
      double gate = 0;
      double up = 0;
      for (std::size_t c = 0; c < x.size(); ++c) {
        gate += Value(expert.gate.Row(i)[c]) * x[c];
        up += Value(expert.up.Row(i)[c]) * x[c];
      }
      hidden.push_back(gate / (1 + std::exp(-gate)) * up);
    }
    for (std::size_t r = 0; r < y.size(); ++r) {
      const auto row = expert.down.Row(static_cast<std::int64_t>(r));
      for (std::size_t i = 0; i < hidden.size(); ++i) {
        y[r] += weights[k] * Value(row[i]) * hidden[i];
      }
    }
  }
  return y;
}

double RelativeError(const std::vector<double>& value, const std::vector<double>& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    difference += (value[i] - expected[i]) * (value[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

TEST_P(R18_OwnWeights, EveryWeightIsAppliedToItsOwnExpert) {
  const auto folder = session::ReadLayerFolder(path_);
  ASSERT_TRUE(folder.ok()) << folder.status();
  const Executed executed = Execute(path_, *folder);
  for (std::size_t t = 0; t < executed.ids.size(); ++t) {
    std::vector<double> weights = executed.weights[t];
    EXPECT_LT(RelativeError(executed.output[t], WeightedSum(executed, t, weights)), 0.02) << t;
    std::swap(weights.front(), weights.back());
    EXPECT_GT(RelativeError(executed.output[t], WeightedSum(executed, t, weights)), 0.04) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(TopK, R18_OwnWeights, ::testing::Values(2, 3, 4));

}  // namespace
}  // namespace moescope::cli
