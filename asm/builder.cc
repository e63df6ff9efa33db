#include "asm/builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "isa/instruction_set.h"
#include "stages/marker.h"

namespace moescope::assembler {

namespace {

constexpr std::uint32_t kLargestImmediate18 = (1u << 18) - 1;
constexpr std::size_t kMostIndentedLoops = 8;

const stages::Vocabulary& BuiltinVocabulary() {
  static const stages::Vocabulary* const kBuiltin = new stages::Vocabulary();
  return *kBuiltin;
}

std::string MarkerOf(stages::MarkerKind kind, const stages::Attribution& attribution) {
  return stages::MarkerText({kind, attribution.stage.name(), attribution.pair, attribution.expert});
}

void CheckOperandFits(const isa::Instruction& row, const isa::Operand& operand,
                      const AnyOperand& given) {
  const isa::OperandTraits traits = isa::TraitsOf(operand.kind);
  const bool fits = given.file == traits.file && given.value <= traits.largest &&
                    isa::IsLegalValue(operand.kind, static_cast<std::uint32_t>(given.value));
  if (fits) return;
  const std::string text =
      absl::StrCat(Absl(row.mnemonic), " cannot take ", given.value, " as its ", Absl(traits.name));
  CHECK_BECAUSE(fits, text.c_str());
}

}  // namespace

Builder::Builder(BuilderOptions options)
    : options_(std::move(options)),
      stage_table_(options_.vocabulary != nullptr ? *options_.vocabulary : BuiltinVocabulary()) {
  program_.files.push_back(options_.file);
  program_.stated_shape = options_.stated_shape;
  if (!options_.header.empty()) AddComment(options_.header);
  FlushComments();
}

Builder::~Builder() = default;

Builder::Writer Builder::In(const stages::Attribution& attribution) { return {this, attribution}; }

Builder::Writer Builder::Unattributed() { return {this, std::nullopt}; }

SourceLocation Builder::Here() const { return {options_.file, lines_ + 1, 1, 0}; }

void Builder::WriteLine(std::string_view line) {
  absl::StrAppend(&text_, Absl(line), "\n");
  ++lines_;
}

void Builder::WriteMarker(std::string_view marker) {
  stages::Comment comment;
  comment.text = marker.substr(1);
  comment.location = Here();
  stage_table_.OnComment(comment, pc());
  WriteLine(marker);
  for (const Diagnostic& diagnostic : stage_table_.diagnostics()) {
    CHECK_BECAUSE(false, diagnostic.message.c_str());
  }
}

void Builder::AddComment(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = absl::StrCat("; ", Absl(text.substr(begin, end - begin)));
    CHECK(std::holds_alternative<std::monostate>(stages::ParseMarker(line.substr(1))));
    CHECK(line.find('\r') == std::string::npos);
    comments_.push_back(std::move(line));
    begin = end + 1;
  }
}

void Builder::FlushComments() {
  for (const std::string& comment : comments_) WriteLine(comment);
  comments_.clear();
}

void Builder::SwitchTo(const Purpose& purpose) {
  if (purpose == current_) return;
  CHECK_BECAUSE(regions_ == 0, "another stage inside a nested region");
  current_ = purpose;
  WriteMarker(purpose ? MarkerOf(stages::MarkerKind::kStage, *purpose) : "; @stage_end");
}

void Builder::EndStage() {
  CHECK_BECAUSE(regions_ == 0, "the end of a stage inside a nested region");
  current_ = std::nullopt;
  WriteMarker("; @stage_end");
}

void Builder::Emit(const Purpose& purpose, const isa::Instruction& row,
                   const isa::Operands& operands) {
  SwitchTo(purpose);
  FlushComments();
  const std::size_t indent = 2 * std::min(loops_.size(), kMostIndentedLoops);
  program_.words.push_back(isa::Encode(row, operands));
  program_.positions.push_back({0, lines_ + 1, static_cast<std::uint32_t>(indent + 1)});
  text_.append(indent, ' ');
  WriteLine(isa::FormatInstruction(row, operands));
}

void Builder::OpenLoop(const Purpose& purpose, Gp counter, std::uint32_t count) {
  CHECK_BECAUSE(std::find(loops_.begin(), loops_.end(), counter) == loops_.end(),
                "the register already counts an open loop");
  Writer(this, purpose).Emit<"C_LOOP_START">(counter, count);
  stage_table_.OnLoopStart({options_.file, lines_, 1, 0}, pc() - 1);
  loops_.push_back(counter);
}

void Builder::CloseLoop(const Purpose& purpose, Gp counter) {
  CHECK_BECAUSE(!loops_.empty() && loops_.back() == counter, "loops cross");
  loops_.pop_back();
  Writer(this, purpose).Emit<"C_LOOP_END">(counter);
  stage_table_.OnLoopEnd({options_.file, lines_, 1, 0}, pc() - 1);
}

void Builder::Push(const Purpose& purpose, const stages::Attribution& nested) {
  SwitchTo(purpose);
  WriteMarker(MarkerOf(stages::MarkerKind::kPush, nested));
  ++regions_;
}

void Builder::Pop() {
  --regions_;
  WriteMarker("; @stage_pop");
}

BuiltProgram Builder::Finish() {
  CHECK_BECAUSE(loops_.empty(), "a loop is open");
  CHECK_BECAUSE(regions_ == 0, "a region is open");
  FlushComments();
  stage_table_.Finish(program_);
  CHECK(stage_table_.diagnostics().empty());
  return {std::move(program_), std::move(text_)};
}

void Builder::Writer::Emit(isa::InstructionIndex op, std::initializer_list<AnyOperand> operands) {
  const isa::Instruction& row = isa::kInstructions[op];
  CHECK_BECAUSE(OperandCountFits(op, operands.size()), row.mnemonic.data());
  isa::Operands values;
  const AnyOperand* next = operands.begin();
  for (const isa::Operand& operand : row.operands) {
    if (operand.field == '\0' || next == operands.end()) continue;
    CheckOperandFits(row, operand, *next);
    isa::SetOperandValue(values, operand.field, static_cast<std::uint32_t>(next->value));
    ++next;
  }
  builder_->Emit(purpose_, row, values);
}

void Builder::Writer::LoadConstant(Gp destination, std::uint32_t value) {
  if (value <= kLargestImmediate18) return Emit<"S_ADDI_INT">(destination, kGp0, value);
  Emit<"S_LUI_INT">(destination, value >> 12);
  if ((value & 0xFFF) != 0) Emit<"S_ADDI_INT">(destination, destination, value & 0xFFF);
}

void Builder::Writer::AddConstant(Gp destination, Gp source, std::uint32_t value, Gp scratch) {
  if (value <= kLargestImmediate18) return Emit<"S_ADDI_INT">(destination, source, value);
  CHECK_BECAUSE(scratch != kGp0 && scratch != source, "a large value needs a scratch register");
  LoadConstant(scratch, value);
  Emit<"S_ADD_INT">(destination, source, scratch);
}

void Builder::Writer::LoadAddress(Ar destination, std::uint64_t address, Gp high, Gp low) {
  const auto upper = static_cast<std::uint32_t>(address >> 32);
  if (upper != 0) LoadConstant(high, upper);
  LoadConstant(low, static_cast<std::uint32_t>(address));
  Emit<"C_SET_ADDR_REG">(destination, upper != 0 ? high : kGp0, low);
}

Builder::Loop Builder::Writer::OpenLoop(Gp counter, std::uint32_t count) {
  builder_->OpenLoop(purpose_, counter, count);
  return {builder_, purpose_, counter};
}

Builder::Region Builder::Writer::Nested(stages::Stage stage) { return Nested({.stage = stage}); }

Builder::Region Builder::Writer::Nested(const stages::Attribution& attribution) {
  builder_->Push(purpose_, attribution);
  return Region(builder_);
}

}  // namespace moescope::assembler
