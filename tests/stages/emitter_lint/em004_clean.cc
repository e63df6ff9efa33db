// Read by emitter_lint_test; never compiled. A comment may say @stage=anything.
constexpr char kProgram[] = R"(; @stage=gather pair=0
C_BREAK
; @stage_push=ksplit_add
; @stage_end
)";
void Use(const Vocabulary& vocabulary, const InstructionSet& set) {
  auto a = vocabulary.Find("expert_bias");
  auto b = set.Find("bias");
  Write("; @stage=", name);
  Write("@stage");
}
