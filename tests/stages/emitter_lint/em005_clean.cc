// Read by emitter_lint_test; never compiled.
#define EMIT_ROWS(stage_name, rows) EmitRows(stage_name, rows)
template <typename Row>
void EmitRow(Builder& builder, Stage stage, Row row);
void Use(Builder& builder) {
  EmitRow<int>(builder, kGather, 1);
  const std::vector<Stage> stages(1, kGather);
}
