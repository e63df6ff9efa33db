// Times the forward of one layer on the device. Called by bench/cuda_layer; prints one line of
// tab-separated fields per measurement:
//   shape tokens format phase median_ms min_ms max_ms samples noise tile fingerprint
// `phase` is `all`, and with --phases also dispatch, gate_up, down and combine: the same captured
// graph with only those kernels. `noise` is the relative difference of the medians of the even and
// the odd samples.
//
//   layer_benchmark SHAPE TOKENS[,TOKENS]... FORMAT [--tile N] [--sms N] [--samples N] [--phases 1]
//                   [--routing uniform|consecutive] [--hash 1]
//
// SHAPE is a preset or H,I,E,K. `consecutive` routes so that the rows of an expert are neighbouring
// tokens. Weights and inputs are random and rotate over enough sets to exceed four times the L2;
// samples are replays of a CUDA graph between two events, after three warm-ups.
//
// --hash 1 times nothing: the first set runs ten times from a graph and three times by direct
// calls, outputs and workspace filled with FF before each; prints `shape tokens format hash sms`
// and the SHA-256 of y, and fails when two runs differ.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "cuda/buffer_layout.h"
#include "cuda/device.h"
#include "cuda/forward.h"
#include "cuda/memory.h"
#include "moe/layer_names.h"
#include "moe/presets.h"
#include "moe/workload.h"

namespace moescope::cuda {
namespace {

void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}
void Require(const absl::Status& status) { Require(status.ok(), std::string(status.message())); }
void Require(cudaError_t error) { Require(error == cudaSuccess, cudaGetErrorString(error)); }
template <typename T>
T Require(absl::StatusOr<T> value) {
  Require(value.status());
  return *std::move(value);
}

__device__ std::uint64_t Mix(std::uint64_t z) {
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9u;
  z ^= z >> 27;
  z *= 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

// BF16 numbers of random sign and fraction with exponents of [scale / 2, scale].
__global__ void FillBf16(std::uint16_t* to, std::int64_t count, std::uint64_t seed, int exponent) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const std::uint64_t random = Mix(seed + 0x9E3779B97F4A7C15u * (i + 1));
    const int e = 127 + exponent - static_cast<int>(random >> 60 & 3);
    to[i] = static_cast<std::uint16_t>((random & 0x807F) | e << 7);
  }
}

// Random codes and scales of packed chunks. Kernels take the E4M3 code of NaN, which packing
// refuses, for 480.
__global__ void FillChunks(std::uint8_t* to, std::int64_t bytes, std::uint64_t seed, int chunk,
                           int elements, int scale) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < bytes;
       i += stride) {
    const std::uint64_t random = Mix(seed + 0x9E3779B97F4A7C15u * (i + 1));
    std::uint8_t byte = static_cast<std::uint8_t>(random);
    if (i % chunk >= elements) byte = static_cast<std::uint8_t>(scale - (random >> 8 & 1));
    to[i] = byte;
  }
}

struct Sample {
  float median, smallest, largest, noise;
};

float Median(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Sample Summarise(const std::vector<float>& times) {
  std::vector<float> halves[2];
  for (std::size_t i = 0; i < times.size(); ++i) halves[i % 2].push_back(times[i]);
  const float even = Median(halves[0]);
  const auto [smallest, largest] = std::minmax_element(times.begin(), times.end());
  return {Median(times), *smallest, *largest, std::abs(even - Median(halves[1])) / even};
}

struct Case {
  std::string shape;
  std::int64_t tokens = 0;
  moe::WeightFormat format = moe::WeightFormat::kBf16;
  int tile = 0;
  int sms = 0;
  int samples = 40;
  bool phases = false;
  bool consecutive = false;  // routing
  bool hash = false;
};

// The phase that a kernel belongs to, by its mangled name.
const char* PhaseOf(std::string_view kernel) {
  const auto has = [&](std::string_view part) { return kernel.find(part) != kernel.npos; };
  if (has("ExpertKernel")) return has("ProjectionE0E") ? "gate_up" : "down";
  return has("CombineKernel") ? "combine" : "dispatch";
}

moe::Layer LayerOf(const Case& c) {
  moe::Layer layer{.weighting = moe::Weighting::kPre, .weights = c.format};
  moe::LayerShape& s = layer.shape;
  if (std::sscanf(c.shape.c_str(), "%d,%d,%d,%d", &s.hidden, &s.intermediate, &s.experts,
                  &s.top_k) == 4) {
    return layer;
  }
  layer = moe::Plain(moe::RoutedOnly(Require(moe::FindPreset(c.shape))));
  layer.router = {};
  layer.weights = c.format;
  layer.weighting = moe::Weighting::kPre;
  return layer;
}

// One set of device buffers.
struct Set {
  Memory x, idx, w, weights, y, workspace;
};

class Benchmark {
 public:
  Benchmark(const Case& c, const DeviceTraits& device)
      : case_(c), plan_(PlanOf(c, device)), l2_bytes_(device.l2_bytes) {
    routing_ = Require(moe::GenerateRouting(Require(moe::ParseWorkload("uniform")),
                                            {c.tokens, plan_.shape.top_k, plan_.shape.experts}, 7));
    if (c.consecutive) RouteConsecutively();
    Require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    MakeSets();
  }

  ~Benchmark() {
    for (cudaGraph_t graph : graphs_) cudaGraphDestroy(graph);
    cudaStreamDestroy(stream_);
  }

  void Measure() {
    for (Set& set : sets_) graphs_.push_back(Capture(set));
    Print("all", TimeOnly(nullptr));
    if (case_.phases) {
      for (const char* phase : {"dispatch", "gate_up", "down", "combine"}) {
        Print(phase, TimeOnly(phase));
      }
    }
    Require(Finish(plan_, sets_.front().workspace.span(), {stream_}).status());
  }

  void Hash() {
    const Set& set = sets_.front();
    graphs_.push_back(Capture(set));
    const cudaGraphExec_t executable = Instantiate(graphs_.front(), nullptr);
    std::string first;
    for (int run = 0; run < 13; ++run) {
      for (const Memory* memory : {&set.y, &set.workspace}) {
        Require(FillBytes(memory->data(), 0xFF, memory->span().bytes));
      }
      if (run < 10) {
        Require(cudaGraphLaunch(executable, stream_));
      } else {
        Require(Forward(plan_, TensorsOf(set), set.workspace.span(), {stream_}));
      }
      Require(Finish(plan_, set.workspace.span(), {stream_}).status());
      std::string y(static_cast<std::size_t>(set.y.span().bytes), '\0');
      Require(CopyToHost(y.data(), set.y.data(), set.y.span().bytes));
      if (run == 0) first = y;
      Require(y == first, "run " + std::to_string(run) + " differs from the first");
    }
    Require(cudaGraphExecDestroy(executable));
    std::printf("%s\t%lld\t%s\thash\t%d\t%s\n", case_.shape.c_str(),
                static_cast<long long>(case_.tokens), std::string(moe::Name(case_.format)).c_str(),
                case_.sms, Sha256Name(first).c_str());
    std::fflush(stdout);
  }

 private:
  static Plan PlanOf(const Case& c, const DeviceTraits& device) {
    const moe::Layer layer = LayerOf(c);
    Options options = OptionsFor(layer);
    options.token_tile = c.tile;
    options.sm_limit = c.sms;
    return Require(MakePlan(layer.shape, c.tokens, options, device));
  }

  std::int64_t Sets() const {
    // Bytes that one forward touches at least: active weights and activations.
    if (case_.hash) return 1;
    const std::int64_t active = std::min<std::int64_t>(plan_.shape.experts, plan_.pairs());
    const std::int64_t weights = LayoutOf(plan_, Buffer::kPackedWeights).bytes;
    const std::int64_t touched =
        weights / plan_.shape.experts * active + 4 * plan_.tokens * plan_.shape.hidden;
    return std::clamp<std::int64_t>(4 * l2_bytes_ / touched + 1, 1, 16);
  }

  void MakeSets() {
    const std::int64_t h = plan_.shape.hidden;
    const BufferLayout packed = LayoutOf(plan_, Buffer::kPackedWeights);
    for (std::int64_t i = 0; i < Sets(); ++i) {
      Set set{Require(Memory::Allocate(2 * plan_.tokens * h)),
              Require(Memory::Allocate(4 * plan_.pairs())),
              Require(Memory::Allocate(4 * plan_.pairs())),
              Require(Memory::Allocate(packed.bytes)),
              Require(Memory::Allocate(2 * plan_.tokens * h)),
              Require(Memory::Allocate(LayoutOf(plan_, Buffer::kWorkspace).bytes))};
      FillBf16<<<1056, 256>>>(static_cast<std::uint16_t*>(set.x.data()), plan_.tokens * h,
                              11 * i + 1, 0);
      FillWeights(set, packed, 13 * i + 5);
      Require(CopyToDevice(set.idx.data(), Rotated(i).data(), 4 * plan_.pairs()));
      Require(CopyToDevice(set.w.data(), routing_.topk_w.data(), 4 * plan_.pairs()));
      sets_.push_back(std::move(set));
    }
    Require(cudaDeviceSynchronize());
  }

  // Slot k of token t goes to expert t E / T + k E / K: every expert gets one run of tokens per
  // slot.
  void RouteConsecutively() {
    const std::int64_t experts = plan_.shape.experts;
    const std::int64_t k = plan_.shape.top_k;
    for (std::int64_t pair = 0; pair < plan_.pairs(); ++pair) {
      const std::int64_t e = pair / k * experts / plan_.tokens + pair % k * (experts / k);
      routing_.topk_idx[static_cast<std::size_t>(pair)] = static_cast<std::int32_t>(e % experts);
    }
  }

  // The routing of a set: the same counts on other experts.
  std::vector<std::int32_t> Rotated(std::int64_t set) const {
    std::vector<std::int32_t> ids = routing_.topk_idx;
    for (std::int32_t& id : ids) {
      id = static_cast<std::int32_t>((id + 37 * set) % plan_.shape.experts);
    }
    return ids;
  }

  void FillWeights(const Set& set, const BufferLayout& packed, std::uint64_t seed) const {
    auto* bytes = static_cast<std::uint8_t*>(set.weights.data());
    for (const char* name : {"gate_up", "down"}) {
      const Slice& slice = packed.Find(name);
      if (case_.format == moe::WeightFormat::kBf16) {
        FillBf16<<<4096, 256>>>(reinterpret_cast<std::uint16_t*>(bytes + slice.offset),
                                slice.bytes / 2, seed, -5);
      } else {
        const bool fp4 = case_.format == moe::WeightFormat::kMxfp4B32;
        const int elements = fp4 ? 2048 : 4096;
        const int chunk = elements + (case_.format == moe::WeightFormat::kMxfp8B8 ? 512 : 128);
        FillChunks<<<4096, 256>>>(bytes + slice.offset, slice.bytes, seed, chunk, elements,
                                  fp4 ? 121 : 116);
      }
    }
  }

  ForwardTensors TensorsOf(const Set& set) const {
    const std::int64_t t = plan_.tokens;
    const std::int64_t h = plan_.shape.hidden;
    const std::int64_t k = plan_.shape.top_k;
    return {.x = Tensor::Dense(set.x.data(), ElementType::kBf16, t, h),
            .topk_idx = Tensor::Dense(set.idx.data(), ElementType::kInt32, t, k),
            .topk_w = Tensor::Dense(set.w.data(), ElementType::kFloat32, t, k),
            .weights = set.weights.span(),
            .y = Tensor::Dense(set.y.data(), ElementType::kBf16, t, h)};
  }

  cudaGraph_t Capture(const Set& set) const {
    cudaGraph_t graph;
    Require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    Require(Forward(plan_, TensorsOf(set), set.workspace.span(), {stream_}));
    Require(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

  // The graph with the kernels of one phase, or of all.
  static cudaGraphExec_t Instantiate(cudaGraph_t graph, const char* phase) {
    cudaGraph_t part;
    cudaGraphExec_t executable;
    Require(cudaGraphClone(&part, graph));
    std::size_t count = 0;
    Require(cudaGraphGetNodes(part, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    Require(cudaGraphGetNodes(part, nodes.data(), &count));
    for (cudaGraphNode_t node : nodes) {
      cudaKernelNodeParams kernel;
      const char* name = nullptr;
      Require(cudaGraphKernelNodeGetParams(node, &kernel));
      Require(cudaFuncGetName(&name, kernel.func));
      const bool wanted = phase == nullptr || std::string_view(PhaseOf(name)) == phase;
      if (!wanted) Require(cudaGraphDestroyNode(node));
    }
    Require(cudaGraphInstantiate(&executable, part, 0));
    Require(cudaGraphDestroy(part));
    return executable;
  }

  Sample TimeOnly(const char* phase) const {
    std::vector<cudaGraphExec_t> executables;
    for (cudaGraph_t graph : graphs_) executables.push_back(Instantiate(graph, phase));
    for (int i = 0; i < 3; ++i) {
      for (cudaGraphExec_t executable : executables) {
        Require(cudaGraphLaunch(executable, stream_));
      }
    }
    Require(cudaStreamSynchronize(stream_));
    const Sample sample = Time(executables);
    for (cudaGraphExec_t executable : executables) Require(cudaGraphExecDestroy(executable));
    return sample;
  }

  // One event pair around as many replays as last about 0.2 ms; sets rotate.
  Sample Time(const std::vector<cudaGraphExec_t>& graphs) const {
    cudaEvent_t start;
    cudaEvent_t stop;
    Require(cudaEventCreate(&start));
    Require(cudaEventCreate(&stop));
    std::vector<float> times;
    std::size_t next = 0;
    for (int sample = 0; sample < case_.samples; ++sample) {
      const int replays = static_cast<int>(graphs.size());
      Require(cudaEventRecord(start, stream_));
      for (int i = 0; i < replays; ++i) {
        Require(cudaGraphLaunch(graphs[next++ % graphs.size()], stream_));
      }
      Require(cudaEventRecord(stop, stream_));
      Require(cudaEventSynchronize(stop));
      float milliseconds = 0;
      Require(cudaEventElapsedTime(&milliseconds, start, stop));
      times.push_back(milliseconds / static_cast<float>(replays));
    }
    Require(cudaEventDestroy(start));
    Require(cudaEventDestroy(stop));
    return Summarise(times);
  }

  void Print(const char* phase, const Sample& sample) const {
    std::printf("%s\t%lld\t%s\t%s\t%.5f\t%.5f\t%.5f\t%d\t%.4f\t%d\t%s\n", case_.shape.c_str(),
                static_cast<long long>(case_.tokens), std::string(moe::Name(case_.format)).c_str(),
                phase, sample.median, sample.smallest, sample.largest, case_.samples, sample.noise,
                plan_.token_tile, plan_.fingerprint.c_str());
    std::fflush(stdout);
  }

  Case case_;
  Plan plan_;
  std::int64_t l2_bytes_;
  moe::Routing routing_;
  std::vector<Set> sets_;
  std::vector<cudaGraph_t> graphs_;  // one per set
  cudaStream_t stream_ = nullptr;
};

std::vector<std::int64_t> Numbers(const std::string& list) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < list.size(); at = list.find(',', at) + 1) {
    numbers.push_back(std::atoll(list.c_str() + at));
    if (list.find(',', at) == list.npos) break;
  }
  return numbers;
}

int Run(int argc, char** argv) {
  Require(argc >= 4 && argc % 2 == 0,
          "usage: layer_benchmark SHAPE TOKENS[,TOKENS]... FORMAT [--OPTION VALUE]...");
  Case c{.shape = argv[1], .format = Require(moe::ParseWeightFormat(argv[3]))};
  for (int i = 4; i < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--routing") {
      Require(value == "uniform" || value == "consecutive", "unknown routing " + value);
      c.consecutive = value == "consecutive";
    } else if (option == "--phases") {
      c.phases = value == "1";
    } else if (option == "--hash") {
      c.hash = value == "1";
    } else {
      int* const to = option == "--tile"      ? &c.tile
                      : option == "--sms"     ? &c.sms
                      : option == "--samples" ? &c.samples
                                              : nullptr;
      Require(to != nullptr, "unknown option " + option);
      *to = std::atoi(value.c_str());
    }
  }
  const DeviceTraits traits = Require(OpenDevice(0)).traits;
  for (const std::int64_t tokens : Numbers(argv[2])) {
    c.tokens = tokens;
    Benchmark benchmark(c, traits);
    c.hash ? benchmark.Hash() : benchmark.Measure();
  }
  return 0;
}

}  // namespace
}  // namespace moescope::cuda

int main(int argc, char** argv) {
  try {
    return moescope::cuda::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "layer_benchmark: %s\n", error.what());
    return 1;
  }
}
