// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, Stage stage, int row) { Emit(builder, stage, row); }
void EmitRow(Builder& builder, Stage stage) { EmitRow(builder, stage, 0); }
void EmitGather(Builder& builder, int row) { EmitRow(builder, kGather, row); }  // says so
