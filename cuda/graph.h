#pragma once

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cuda/tensor.h"

namespace moescope::cuda {

// Nodes of a captured graph by kind.
struct GraphNodes {
  int kernels = 0;
  int copies = 0;
  int fills = 0;
  int others = 0;

  friend bool operator==(const GraphNodes&, const GraphNodes&) = default;
};

// Owns a captured and instantiated CUDA graph, for callers that do not include CUDA headers.
class Graph {
 public:
  // Captures what `record` launches on the stream that it is given. Returns the status of `record`
  // when that fails, Internal with the text of the CUDA runtime when the capture does.
  static absl::StatusOr<Graph> Capture(const std::function<absl::Status(Stream)>& record);

  Graph(Graph&& other) noexcept : executable_(other.executable_), nodes_(other.nodes_) {
    other.executable_ = nullptr;
  }
  Graph& operator=(Graph&&) = delete;
  ~Graph();

  GraphNodes nodes() const { return nodes_; }
  // Does not wait.
  absl::Status Replay(Stream stream) const;

 private:
  Graph() = default;
  void* executable_ = nullptr;  // cudaGraphExec_t
  GraphNodes nodes_;
};

}  // namespace moescope::cuda
