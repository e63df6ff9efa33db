// Read by emitter_lint_test; never compiled.
constexpr char kProgram[] = R"(; @stage=gahter pair=0
C_BREAK
; @stage_push=ksplit_ad
)";
void Use(const Vocabulary& vocabulary, const Vocabulary* other) {
  auto a = vocabulary.Find("expert_bais");
  auto b = other->Find("nothing");
  Write("; @stage=scater_combine");
}
