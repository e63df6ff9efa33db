// Read by emitter_lint_test; never compiled.
#define EMIT_GATHER(row) \
  EmitRow(builder, kGather, row)
#define WITH(name) stages::Stage name
template <stages::Stage kStage>
void EmitRow(Builder& builder);
void Use(Builder& builder) { EmitColumn<kExpertBias>(builder); }
