// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, Stage stage, int row);
void Use(Builder& builder) {
  const auto emit_row = [&](int row) { EmitRow(builder, kGather, row); };
  const auto bound = std::bind_front(EmitRow, std::ref(builder), stages::kExpertBias);
  auto other = std::bind(EmitRow, std::ref(builder), BuiltinStage("gather"), std::placeholders::_1);
  std::function<void(int)> stored = [&builder](int row) {
    EmitRow(builder, stages::kExpertBias, row);
  };
}
