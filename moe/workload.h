#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/routing.h"

namespace moescope::moe {

// How the ids of a routing are made up (moe.md, 13). Every kind gives a token K distinct experts.
enum class WorkloadKind : std::uint8_t {
  kBalanced,  // expert = perm[(t K + k) mod E]: counts differ by at most 1
  kUniform,   // K drawn without replacement
  kHot,       // with probability p slot 0 goes to one of n hot experts, the rest is uniform
  kRagged,    // integer Zipf weights over a permutation, without replacement
  kEmpty,     // uniform over the experts that are not named
  kSingle,    // the same K experts for every token
  kRotating,  // slots come from a hot set of n, then uniform; the set moves by n every `period`
  kBurst,     // `length` tokens share one expert set, then `gap` uniform tokens
  kReplay,    // from a route-trace file
};

struct Workload {
  WorkloadKind kind = WorkloadKind::kUniform;
  double probability = 0.5;        // hot: p
  int hot_experts = 1;             // hot, rotating: n
  std::int64_t period = 1;         // rotating, tokens
  std::int64_t length = 4;         // burst, tokens
  std::int64_t gap = 4;            // burst, tokens
  std::vector<std::string> empty;  // empty: "first", "middle", "last" or a decimal id
  std::string file;                // replay
  double masked = 0;               // a slot becomes -1 with this probability

  friend bool operator==(const Workload&, const Workload&) = default;
};

// "balanced", "hot(p=0.5,n=2)", "empty(first,7)", "rotating(n=2,period=8)",
// "burst(length=4,gap=2)", "replay(trace.json)", each with an optional "+masked(0.2)". Parameters
// may be left out.
absl::StatusOr<Workload> ParseWorkload(std::string_view text);
// The text that ParseWorkload reads back to an equal value, all parameters written out.
std::string Format(const Workload& workload);

struct RoutingShape {
  std::int64_t tokens = 0;
  int top_k = 0;
  int experts = 0;
};

// Ids as the workload says; weights are the softmax of K sorted normals. kReplay is refused: read
// the file with ReadRouteTrace and mask it with MaskSlots. InvalidArgument when the parameters do
// not suit the shape.
absl::StatusOr<Routing> GenerateRouting(const Workload& workload, const RoutingShape& shape,
                                        std::uint64_t seed);

// Turns each slot into -1 with the given probability.
void MaskSlots(Routing& routing, double probability, std::uint64_t seed);

}  // namespace moescope::moe
