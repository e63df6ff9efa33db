#include "asm/listing.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "asm/lexer.h"
#include "base/string_view.h"

namespace moescope::assembler {

namespace {

constexpr std::size_t kNarrowestStage = 22;

std::string NumberOrDash(const std::optional<std::uint32_t>& value) {
  return value ? absl::StrCat(*value) : "-";
}

// Lines of the sources by number, found once per file.
class LineIndex {
 public:
  explicit LineIndex(const std::vector<SourceText>& sources)
      : sources_(sources), begins_(sources.size()) {}

  std::string_view Line(const isa::SourcePosition& at) {
    const std::string_view text = sources_[at.file].text;
    std::vector<std::size_t>& begins = begins_[at.file];
    if (begins.empty()) {
      begins.push_back(0);
      for (std::size_t i = text.find('\n'); i != std::string_view::npos;
           i = text.find('\n', i + 1)) {
        begins.push_back(i + 1);
      }
    }
    std::string_view line = text.substr(begins[at.line - 1]);
    line = line.substr(0, line.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return Trim(line);
  }

 private:
  const std::vector<SourceText>& sources_;
  std::vector<std::vector<std::size_t>> begins_;
};

class Listing {
 public:
  Listing(const Assembly& assembly, const isa::InstructionSet& set)
      : assembly_(assembly),
        program_(assembly.program),
        set_(set),
        lines_(assembly.sources),
        words_per_stage_(program_.names.size()) {
    stage_width_ = kNarrowestStage;
    for (const isa::StageRange& range : program_.ranges) {
      stage_width_ = std::max(stage_width_, program_.names[range.name].name.size());
    }
  }

  std::string Write() {
    absl::StrAppend(&text_, "pc     word        ", Padded("stage"), "  pair  expert  line  text\n");
    for (const isa::StageRange& range : program_.ranges) {
      words_per_stage_[range.name] += range.end_pc - range.begin_pc;
      for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) AppendWord(pc, range);
    }
    AppendSymbols();
    AppendFindings();
    AppendStages();
    return std::move(text_);
  }

 private:
  std::string Padded(std::string_view stage) const {
    std::string text(stage);
    text.resize(std::max(stage_width_, text.size()), ' ');
    return text;
  }

  void AppendWord(std::uint32_t pc, const isa::StageRange& range) {
    AppendProducers(assembly_.word_origins[pc]);
    absl::StrAppendFormat(&text_, "%05u  0x%08X  %s  %4s  %6s  %4u  %s\n", pc, program_.words[pc],
                          Padded(program_.names[range.name].name), NumberOrDash(range.pair),
                          NumberOrDash(range.expert), program_.positions[pc].line,
                          set_.Text(program_.words[pc]));
  }

  // The uses and includes that lead to a word, outermost first, as far as the word before did not
  // come through them.
  void AppendProducers(std::uint32_t origin) {
    std::vector<std::uint32_t> chain;
    for (std::uint32_t i = origin; i != 0; i = assembly_.origins[i].parent) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    const auto [shared, unused] =
        std::mismatch(chain.begin(), chain.end(), chain_.begin(), chain_.end());
    for (auto i = shared; i != chain.end(); ++i) {
      const isa::SourcePosition& at = assembly_.origins[*i].at;
      const std::string blank(std::string("00042  0x00041A28  ").size() + stage_width_ +
                                  std::string("  pair  expert  ").size(),
                              ' ');
      absl::StrAppendFormat(&text_, "%s%4u  %s\n", blank, at.line, Absl(lines_.Line(at)));
    }
    chain_ = std::move(chain);
  }

  void AppendSymbols() {
    if (assembly_.symbols.empty()) return;
    text_ += "\n.equ values\n";
    for (const EquValue& symbol : assembly_.symbols) {
      const std::string place =
          symbol.defined.line == 0
              ? "command line"
              : absl::StrCat(program_.files[symbol.defined.file], ":", symbol.defined.line);
      absl::StrAppendFormat(&text_, "  %-24s %20d  %s\n", symbol.name, symbol.value, place);
    }
  }

  void AppendFindings() {
    if (assembly_.findings.empty()) return;
    text_ += "\nfindings\n";
    for (const Diagnostic& finding : assembly_.findings) text_ += RenderText(finding);
  }

  void AppendStages() {
    text_ += "\nwords per stage\n";
    for (std::size_t i = 0; i < words_per_stage_.size(); ++i) {
      if (words_per_stage_[i] == 0) continue;
      absl::StrAppendFormat(&text_, "  %s  %10u\n", Padded(program_.names[i].name),
                            words_per_stage_[i]);
    }
    absl::StrAppendFormat(&text_, "  %s  %10u\n", Padded("total"), program_.words.size());
  }

  const Assembly& assembly_;
  const isa::Program& program_;
  const isa::InstructionSet& set_;
  LineIndex lines_;
  std::vector<std::uint64_t> words_per_stage_;
  std::size_t stage_width_ = 0;
  std::vector<std::uint32_t> chain_;  // of the word before
  std::string text_;
};

}  // namespace

std::string WriteListing(const Assembly& assembly, const isa::InstructionSet& set) {
  return Listing(assembly, set).Write();
}

}  // namespace moescope::assembler
