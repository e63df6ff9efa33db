// Every row of rtl_intervals.tsv: rows labelled `simulated` exactly, `simulated_pm2` within two
// cycles (timing.md, 9: T12).

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/file.h"
#include "emulator/timing/rtl/rtl_model.h"
#include "tests/emulator/timing/stream.h"
#include "tests/support/shared_folder.h"
#include "tests/support/tsv.h"

namespace moescope::test {
namespace {

using emulator::Cycle;

// What the table asks about a dynamic instruction.
struct Dynamic {
  std::size_t index = 0;  // in the stream
  std::uint32_t line = 0;
};

// Instructions of the table's own text: operands are registers, 0 and immediates.
class SequenceText {
 public:
  explicit SequenceText(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line, '/');) {
      std::istringstream words(line);
      std::string mnemonic;
      words >> mnemonic;
      mnemonics.push_back(mnemonic);
      operands.emplace_back();
      for (std::string word; words >> word;) {
        if (word.back() == ',') word.pop_back();
        operands.back().push_back(word);
      }
    }
  }
  std::vector<std::string> mnemonics;
  std::vector<std::vector<std::string>> operands;
};

std::uint8_t Register(const std::string& operand) {
  const std::size_t digit = operand.find_first_of("0123456789");
  return static_cast<std::uint8_t>(std::stoul(operand.substr(digit)));
}

isa::Operands OperandsOf(const std::string& mnemonic, const std::vector<std::string>& texts) {
  isa::Operands o;
  const isa::Instruction* row = isa::InstructionSet::Builtin().Find(mnemonic);
  std::size_t next = 0;
  for (const isa::Operand& operand : row->operands) {
    if (next == texts.size()) break;
    const std::string& text = texts[next++];
    if (operand.field == '\0') continue;
    const bool is_register = text[0] == 'g' || text[0] == 'f' || text[0] == 'a';
    isa::SetOperandValue(
        o, operand.field,
        is_register ? Register(text) : static_cast<std::uint32_t>(std::stoul(text)));
  }
  return o;
}

// All registers hold 0, so that every access is to row or tile 0.
emulator::Access AccessOf(const std::string& mnemonic, const emulator::Shape& shape) {
  if (mnemonic == "M_MM") return Multiply(0, {0, shape.blen, 1});
  if (mnemonic == "M_MM_WO") return Writes({0, shape.blen, 1});
  if (mnemonic.rfind("V_RED", 0) == 0) return Reads({0, 1});
  if (mnemonic.rfind("V_", 0) == 0) {
    const bool two = mnemonic.substr(mnemonic.size() - 3) == "_VV";
    return ReadsWrites({0, 1}, two ? emulator::Rows{0, 1} : emulator::Rows{}, {0, 1});
  }
  return mnemonic == "S_MAP_V_FP" ? Writes({0, 1}) : emulator::Access{};
}

// The executed stream of a text with loops, behind a few idle instructions: the table starts with
// an idle pipeline.
constexpr std::size_t kIdle = 8;

struct Unrolled {
  Stream stream;
  std::vector<Dynamic> dynamic;  // of the table's instructions
};

Unrolled Unroll(const SequenceText& text, const emulator::Shape& shape) {
  Unrolled out;
  for (std::uint32_t i = 0; i < kIdle; ++i) out.stream.Add("C_SET_SCALE_REG");
  std::vector<std::pair<std::size_t, std::uint32_t>> loops;  // start, passes left
  for (std::size_t i = 0; i < text.mnemonics.size();) {
    const std::string& mnemonic = text.mnemonics[i];
    const isa::Operands operands = OperandsOf(mnemonic, text.operands[i]);
    emulator::Access access = AccessOf(mnemonic, shape);
    const auto pc = static_cast<std::uint32_t>(kIdle + i);
    std::size_t next = i + 1;
    if (mnemonic == "C_LOOP_START") loops.emplace_back(i, operands.imm);
    if (mnemonic == "C_LOOP_END") {
      access.jumped = loops.back().second > 1;
      if (access.jumped) {
        --loops.back().second;
        next = loops.back().first + 1;
      } else {
        loops.pop_back();
      }
    }
    out.dynamic.push_back({out.stream.steps().size(), static_cast<std::uint32_t>(i)});
    out.stream.Add(mnemonic, operands, access).At(pc);
    i = next;
  }
  return out;
}

// Register or VRAM write, as the model announces completions: one cycle after the write.
Cycle WriteOf(const Announced& run, std::uint32_t pc) {
  for (const emulator::Completed& e : run.completed) {
    if (e.pc == pc) return e.cycle - 1;
  }
  return 0;
}

emulator::MachineDescription MachineOf(std::uint32_t b, std::uint32_t m, bool buffer) {
  emulator::MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kRtl;
  machine.hbm.model = emulator::HbmModelKind::kFixed;
  machine.shape = {.mlen = m, .blen = b, .vlen = m, .hlen = m, .broadcast = 1};
  machine.rtl.ibuf = buffer;
  return machine;
}

std::int64_t Measure(const std::vector<std::string>& row) {
  const emulator::MachineDescription machine =
      MachineOf(static_cast<std::uint32_t>(std::stoul(row[1])),
                static_cast<std::uint32_t>(std::stoul(row[2])), /*buffer=*/false);
  const SequenceText text(row[4]);
  const Unrolled unrolled = Unroll(text, machine.shape);
  emulator::RtlModel model(machine);
  const Announced run = Feed(model, unrolled.stream);
  const auto x = [&](std::size_t dynamic) {
    return static_cast<std::int64_t>(run.accepted[unrolled.dynamic[dynamic].index]);
  };
  const std::string& quantity = row[5];
  const std::string arguments = quantity.substr(quantity.find('(') + 1);
  if (quantity == "loop_period") {
    std::vector<std::int64_t> first;
    for (std::size_t i = 0; i < unrolled.dynamic.size(); ++i) {
      if (unrolled.dynamic[i].line == 1) first.push_back(x(i));
    }
    return first.at(3) - first.at(2);
  }
  if (quantity == "issue_distance(first,last)") return x(unrolled.dynamic.size() - 1) - x(0);
  const std::size_t a = std::stoul(arguments);
  const auto pc_of = [&](std::size_t dynamic) {
    return static_cast<std::uint32_t>(kIdle + unrolled.dynamic[dynamic].line);
  };
  if (quantity.rfind("result_latency", 0) == 0 || quantity.rfind("accumulate_latency", 0) == 0) {
    return static_cast<std::int64_t>(WriteOf(run, pc_of(a))) - x(a);
  }
  const std::size_t b = std::stoul(arguments.substr(arguments.find(',') + 1));
  if (quantity.rfind("gp_write_distance", 0) == 0) return x(b) - 2 - x(a);
  return x(b) - x(a);
}

std::int64_t MeasureRefill(const std::vector<std::string>& row) {
  emulator::MachineDescription machine = MachineOf(4, 8, /*buffer=*/true);
  if (row[4].find("16 words") != std::string::npos) machine.rtl.ibuf_words = 16;
  Stream stream;
  const std::uint32_t words = machine.rtl.ibuf_words;
  for (std::uint32_t i = 0; i < 2 * words + 1; ++i) stream.Add("C_SET_SCALE_REG");
  emulator::RtlModel model(machine);
  const Announced run = Feed(model, stream);
  const auto& x = run.accepted;
  if (row[5] == "refill_stall(first)") return static_cast<std::int64_t>(x[0]) - 7;
  const auto period = static_cast<std::int64_t>(x[2 * words] - x[words]);
  return row[5] == "refill_stall(next)" ? period - words : period;
}

TEST(RtlIntervalsTest, EveryRow) {
  const auto shared = SharedFolder();
  if (!shared) GTEST_SKIP() << kNoSharedFolder;
  const std::string text = ReadFile(*shared + "/vectors/rtl_intervals.tsv").value();
  auto rows = ReadTsv(text);
  rows.erase(rows.begin());
  EXPECT_EQ(rows.size(), 160u);
  std::map<std::string, int> exact;
  for (const auto& row : rows) {
    const bool refill = row[4].front() == '(';
    const std::int64_t cycles = refill ? MeasureRefill(row) : Measure(row);
    const std::int64_t expected = std::stoll(row[6]);
    if (row[7] == "simulated_pm2") {
      EXPECT_LE(std::abs(cycles - expected), 2) << row[0] << ": " << cycles << " for " << expected;
    } else {
      EXPECT_EQ(cycles, expected) << row[0];
    }
    exact[row[7]] += cycles == expected;
  }
  for (const auto& [label, count] : exact) std::cout << label << ": " << count << " exact\n";
}

}  // namespace
}  // namespace moescope::test
