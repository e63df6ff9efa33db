// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, const stages::Attribution& attribution, int row) {
  builder.In(attribution).Emit<"C_BREAK">();
}
void EmitRow(Builder& builder, int row) { EmitRow(builder, {.stage = stages::kGather}, row); }
void EmitRow(Builder& builder) {
  const Stage usual = Choose();
  EmitRow(builder, usual, 0);
}
