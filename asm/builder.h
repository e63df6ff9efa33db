#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "asm/operand_types.h"
#include "asm/registers.h"
#include "base/check.h"
#include "isa/program.h"
#include "isa/table.h"
#include "stages/stage.h"
#include "stages/stage_table.h"

namespace moescope::assembler {

// A finished program and the text that assembles to the same words, stage table and positions.
struct BuiltProgram {
  isa::Program program;
  std::string text;
};

struct BuilderOptions {
  std::string file = "generated.asm";  // what the positions of the program name
  std::string header;                  // comment lines at the top of the text
  isa::StatedShape stated_shape;
  const stages::Vocabulary* vocabulary = nullptr;  // null: the built-in stages
};

// The programmatic assembler. It cannot emit anything itself: every instruction goes through a
// Writer, which knows what it is for. Misuse is a defect of the caller and fails a CHECK.
//
//   Builder builder;
//   Builder::Writer w = builder.In({.stage = stages::kGather, .pair = 3});
//   w.Comment("Copy the token row.");
//   w.LoadConstant(Gp(1), 4096);
//   w.Repeat(Gp(2), 16, [&] { w.Emit<"V_ADD_VV">(Gp(3), Gp(4), Gp(5)); });
//   BuiltProgram built = builder.Finish();
class Builder {
 public:
  class Writer;
  class Region;
  class Loop;

  explicit Builder(BuilderOptions options = {});
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // Instructions of a stage, or of none. Writers may be used in turn; markers are written where the
  // stage changes. A writer must not outlive its builder.
  Writer In(const stages::Attribution& attribution);
  Writer Unattributed();

  // Writes "; @stage_end" even where nothing is in force: for a program that starts in the bucket
  // on purpose, such as one that loads its input first.
  void EndStage();

  // The words so far.
  std::uint32_t pc() const { return static_cast<std::uint32_t>(program_.words.size()); }

  RegisterPool<Gp>& gp() { return gp_; }
  RegisterPool<Fp>& fp() { return fp_; }
  RegisterPool<Ar>& ar() { return ar_; }

  // Call once; all loops and regions must be closed.
  BuiltProgram Finish();

 private:
  using Purpose = std::optional<stages::Attribution>;  // empty: the bucket

  void SwitchTo(const Purpose& purpose);
  void Emit(const Purpose& purpose, const isa::Instruction& row, const isa::Operands& operands);
  void AddComment(std::string_view text);
  void Push(const Purpose& purpose, const stages::Attribution& nested);
  void Pop();
  void OpenLoop(const Purpose& purpose, Gp counter, std::uint32_t count);
  void CloseLoop(const Purpose& purpose, Gp counter);
  void WriteMarker(std::string_view marker);
  void WriteLine(std::string_view line);
  void FlushComments();
  SourceLocation Here() const;

  BuilderOptions options_;
  stages::StageTableBuilder stage_table_;
  isa::Program program_;
  std::string text_;
  std::uint32_t lines_ = 0;
  std::vector<std::string> comments_;  // wait for the next instruction
  Purpose current_;                    // what the markers say, apart from open regions
  std::size_t regions_ = 0;            // open
  std::vector<Gp> loops_;              // counters of the open loops
  RegisterPool<Gp> gp_;
  RegisterPool<Fp> fp_;
  RegisterPool<Ar> ar_;
};

// Emits instructions of one purpose.
class Builder::Writer {
 public:
  // One instruction with its encoded operands in the order of its assembly line, without
  // placeholders; optional ones at the end may be left out. Mnemonic, number and classes of
  // operands are checked while compiling, values by CHECK.
  //   w.Emit<"M_MM">(matrix, vector);
  //   w.Emit<"V_SUB_VF">(d, a, f, /*mask=*/0, /*order=*/1);
  template <MnemonicText kMnemonic, typename... Operands>
  void Emit(const Operands&... operands) {
    constexpr std::size_t kIndex = IndexOfMnemonic(kMnemonic.view());
    static_assert(kIndex < isa::kInstructionCount, "unknown mnemonic");
    constexpr auto kOp = static_cast<isa::InstructionIndex>(kIndex);
    static_assert(OperandCountFits(kOp, sizeof...(Operands)), "wrong number of operands");
    static_assert(OperandKindsFit<Operands...>(kOp), "an operand is of the wrong class");
    Emit(kOp, {AnyOperand(operands)...});
  }
  // The same for an instruction chosen at run time; everything is checked by CHECK.
  //   w.Emit(is_gate ? isa::Op("V_MUL_VV") : isa::Op("V_ADD_VV"), {d, a, b});
  void Emit(isa::InstructionIndex op, std::initializer_list<AnyOperand> operands);

  // A comment in front of the next instruction; line ends split it. It must not look like a stage
  // marker.
  void Comment(std::string_view text) { builder_->AddComment(text); }

  // gd = value, in one or two instructions.
  void LoadConstant(Gp destination, std::uint32_t value);
  // gd = source + value; a value above 262143 needs `scratch`, which must differ from `source`.
  void AddConstant(Gp destination, Gp source, std::uint32_t value, Gp scratch = kGp0);
  // a = address; `high` is not touched when the upper half is 0.
  void LoadAddress(Ar destination, std::uint64_t address, Gp high, Gp low);

  // A hardware loop of `count` passes around what is emitted while the Loop lives, or around what
  // `body` emits.
  [[nodiscard]] Loop OpenLoop(Gp counter, std::uint32_t count);
  template <std::invocable Body>
  void Repeat(Gp counter, std::uint32_t count, Body body);

  // A nested region: while it lives, what this writer's purpose emits belongs to `stage`. Pair and
  // expert are inherited unless given.
  [[nodiscard]] Region Nested(stages::Stage stage);
  [[nodiscard]] Region Nested(const stages::Attribution& attribution);

  Builder& builder() const { return *builder_; }

 private:
  friend class Builder;
  Writer(Builder* builder, Purpose purpose) : builder_(builder), purpose_(purpose) {}

  Builder* builder_;
  Purpose purpose_;
};

// Closes its region when it goes out of scope.
class Builder::Region {
 public:
  Region(Region&& other) noexcept : builder_(std::exchange(other.builder_, nullptr)) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  Region& operator=(Region&&) = delete;
  ~Region() {
    if (builder_ != nullptr) builder_->Pop();
  }

 private:
  friend class Writer;
  explicit Region(Builder* builder) : builder_(builder) {}
  Builder* builder_;
};

// Closes its loop when it goes out of scope.
class Builder::Loop {
 public:
  Loop(Loop&& other) noexcept
      : builder_(std::exchange(other.builder_, nullptr)),
        purpose_(other.purpose_),
        counter_(other.counter_) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  Loop& operator=(Loop&&) = delete;
  ~Loop() {
    if (builder_ != nullptr) builder_->CloseLoop(purpose_, counter_);
  }

 private:
  friend class Writer;
  Loop(Builder* builder, Purpose purpose, Gp counter)
      : builder_(builder), purpose_(purpose), counter_(counter) {}
  Builder* builder_;
  Purpose purpose_;
  Gp counter_;
};

template <std::invocable Body>
void Builder::Writer::Repeat(Gp counter, std::uint32_t count, Body body) {
  const Loop loop = OpenLoop(counter, count);
  body();
}

}  // namespace moescope::assembler
