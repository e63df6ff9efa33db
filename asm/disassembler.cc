#include "asm/disassembler.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "stages/marker.h"

namespace moescope::assembler {

namespace {

std::string MarkerOf(stages::MarkerKind kind, const isa::Program& program,
                     const isa::StageRange& range) {
  return stages::MarkerText({kind, program.names[range.name].name, range.pair, range.expert});
}

// The markers that lead from the beginning of a text to the state inside range `index`.
std::vector<std::string> MarkersInto(const isa::Program& program, std::size_t index) {
  std::vector<std::string> markers;
  for (std::size_t i = index;;) {
    const isa::StageRange& range = program.ranges[i];
    const bool nested = range.parent.has_value();
    if (range.name > 0) {
      markers.insert(markers.begin(),
                     MarkerOf(nested ? stages::MarkerKind::kPush : stages::MarkerKind::kStage,
                              program, range));
    }
    if (!nested) return markers;
    i = *range.parent;
  }
}

std::size_t DepthOf(const isa::Program& program, std::size_t index) {
  std::size_t depth = 0;
  for (std::optional<std::uint32_t> parent = program.ranges[index].parent; parent;
       parent = program.ranges[*parent].parent) {
    ++depth;
  }
  return depth;
}

class Disassembly {
 public:
  Disassembly(const isa::Program& program, const DisassembleOptions& options)
      : program_(program), options_(options) {}

  std::string Run() {
    const auto size = static_cast<std::uint32_t>(program_.words.size());
    const std::uint32_t end = std::min(options_.end_pc, size);
    const std::uint32_t begin = std::min(options_.begin_pc, end);
    if (!options_.markers) {
      AppendWords(begin, end);
    } else if (begin == 0 && end == size) {
      AppendAll();
    } else {
      AppendPart(begin, end);
    }
    return std::move(text_);
  }

 private:
  void AppendAll() {
    const std::vector<std::string> markers = stages::MarkerLines(program_);
    for (std::size_t i = 0; i < program_.ranges.size(); ++i) {
      AppendLine(markers[i]);
      AppendWords(program_.ranges[i].begin_pc, program_.ranges[i].end_pc);
    }
  }

  // Regions that are open at the beginning are opened, those open at the end are closed.
  void AppendPart(std::uint32_t begin, std::uint32_t end) {
    const std::vector<std::string> markers = stages::MarkerLines(program_);
    bool first = true;
    std::size_t last = 0;
    for (std::size_t i = 0; i < program_.ranges.size(); ++i) {
      const isa::StageRange& range = program_.ranges[i];
      if (range.end_pc <= begin || range.begin_pc >= end) continue;
      if (first) {
        for (const std::string& marker : MarkersInto(program_, i)) AppendLine(marker);
      } else {
        for (std::size_t k = last + 1; k <= i; ++k) AppendLine(markers[k]);
      }
      first = false;
      last = i;
      AppendWords(std::max(begin, range.begin_pc), std::min(end, range.end_pc));
    }
    if (first) return;
    for (std::size_t depth = DepthOf(program_, last); depth > 0; --depth) {
      AppendLine("; @stage_pop");
    }
  }

  void AppendWords(std::uint32_t begin, std::uint32_t end) {
    const isa::InstructionSet& set = *options_.instruction_set;
    for (std::uint32_t pc = begin; pc < end; ++pc) {
      const std::uint32_t word = program_.words[pc];
      text_ += options_.lenient ? set.LenientText(word) : set.Text(word);
      if (options_.addresses) absl::StrAppendFormat(&text_, "  ; %05u: 0x%08X", pc, word);
      text_ += '\n';
    }
  }

  void AppendLine(const std::string& line) {
    if (!line.empty()) absl::StrAppend(&text_, line, "\n");
  }

  const isa::Program& program_;
  const DisassembleOptions& options_;
  std::string text_;
};

}  // namespace

std::string Disassemble(const isa::Program& program, const DisassembleOptions& options) {
  return Disassembly(program, options).Run();
}

}  // namespace moescope::assembler
