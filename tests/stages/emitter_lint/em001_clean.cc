// Read by emitter_lint_test; never compiled.
void EmitRow(Builder& builder, Stage stage, int rows = 1);
void QktMultiply(Builder& builder, Phase stage = Phase::kFirst);  // another type
using Purpose = std::optional<stages::Attribution>;
struct Request {
  Stage stage;
  Purpose purpose;
  int pair = 0;
  static constexpr Stage kStage = kGather;
};
void Use(const Vocabulary& vocabulary) {
  const Stage stage = kGather;
  for (Stage s = kGather; Next(s);) EmitRow(builder, s);
  EmitRow(builder, Attribution{kGather}.stage);
}
