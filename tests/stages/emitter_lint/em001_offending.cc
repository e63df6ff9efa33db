// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, Stage stage = kGather);
void EmitRows(Builder& builder, int rows, const stages::Attribution& attribution = {kGather});
void EmitMore(Builder& builder, std::optional<stages::Stage> stage = std::nullopt);
using Purpose = std::optional<stages::Attribution>;
struct Request {
  int rows = 4;
  Stage stage = kExpertBias;
  stages::Attribution attribution{kExpertBias};
  Purpose purpose = std::nullopt;
};
