// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, Stage stage, int row);
void Log(int row);
void Use(Builder& builder, Stage stage) {
  const auto emit_row = [&](Stage s, int row) { EmitRow(builder, s, row); };
  const auto log = [](int row) { Log(row); };
  writer.Repeat(counter, 4, [&] { EmitRow(builder, kGather, 1); });  // stored under no name
  emit_row(kGather, 1);
}
