#include "cuda/graph.h"

#include <cuda_runtime_api.h>

#include <vector>

#include "base/status.h"
#include "cuda/host/cuda_status.h"
#include "cuda/memory.h"

namespace moescope::cuda {
namespace {

cudaStream_t Handle(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

absl::StatusOr<GraphNodes> CountNodes(cudaGraph_t graph) {
  std::size_t count = 0;
  RETURN_IF_ERROR(ToStatus(cudaGraphGetNodes(graph, nullptr, &count), "counting graph nodes"));
  std::vector<cudaGraphNode_t> nodes(count);
  RETURN_IF_ERROR(ToStatus(cudaGraphGetNodes(graph, nodes.data(), &count), "reading graph nodes"));
  GraphNodes result;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    RETURN_IF_ERROR(ToStatus(cudaGraphNodeGetType(node, &type), "reading a graph node"));
    int& kind = type == cudaGraphNodeTypeKernel   ? result.kernels
                : type == cudaGraphNodeTypeMemcpy ? result.copies
                : type == cudaGraphNodeTypeMemset ? result.fills
                                                  : result.others;
    ++kind;
  }
  return result;
}

}  // namespace

absl::StatusOr<Graph> Graph::Capture(const std::function<absl::Status(Stream)>& record) {
  ASSIGN_OR_RETURN(const OwnedStream stream, OwnedStream::Create());
  RETURN_IF_ERROR(ToStatus(
      cudaStreamBeginCapture(Handle(stream.get()), cudaStreamCaptureModeThreadLocal), "capture"));
  const absl::Status recorded = record(stream.get());
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(Handle(stream.get()), &captured);
  if (!recorded.ok()) {
    if (captured != nullptr) cudaGraphDestroy(captured);
    return recorded;
  }
  RETURN_IF_ERROR(ToStatus(ended, "capture"));
  const absl::StatusOr<GraphNodes> nodes = CountNodes(captured);
  cudaGraphExec_t executable = nullptr;
  const cudaError_t instantiated = cudaGraphInstantiate(&executable, captured, 0);
  cudaGraphDestroy(captured);
  Graph graph;
  graph.executable_ = instantiated == cudaSuccess ? executable : nullptr;
  RETURN_IF_ERROR(ToStatus(instantiated, "instantiating a graph"));
  ASSIGN_OR_RETURN(graph.nodes_, nodes);
  return graph;
}

Graph::~Graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
}

absl::Status Graph::Replay(Stream stream) const {
  return ToStatus(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable_), Handle(stream)),
                  "launching a graph");
}

}  // namespace moescope::cuda
