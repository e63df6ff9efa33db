// What a change does to the words of an instruction: named changes with known counts, and random
// pairs of documents against looking at every word.

#include "isa/document_meaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<MeaningChange> From(Document (*change)()) {
  return CompareMeanings(test::Builtin(), change());
}

TEST(CompareMeaningsTest, NothingChangesWithoutAChange) {
  EXPECT_THAT(CompareMeanings(test::Builtin(), test::Builtin()), IsEmpty());
  EXPECT_THAT(CompareMeanings(test::Version10(), test::Version10()), IsEmpty());
}

// Every word of ISA 1.0 means the same in 1.1; not the other way round.
TEST(CompareMeaningsTest, TheStepFromOneZeroToOneOneAddsOnly) {
  EXPECT_THAT(CompareMeanings(test::Version10(), test::Builtin()), IsEmpty());
  EXPECT_THAT(CompareMeanings(test::Builtin(), test::Version10()),
              ElementsAre(MeaningChange{"V_TOPK", 2 * 4096, 0, 4096, 0x003C0037},
                          MeaningChange{"C_SET_TOPK_REG", 0, 0, 16, 0x00000038}));
}

TEST(CompareMeaningsTest, TheShippedChanges) {
  EXPECT_THAT(From(test::MovedOpcode),
              ElementsAre(MeaningChange{"S_MUL_INT", 0, 0, 4096, 0x00000024}));
  EXPECT_THAT(From(test::ChangedLatency), IsEmpty());
  EXPECT_THAT(From(test::NewField), ElementsAre(MeaningChange{"V_SHFT_V", 0, 4096, 0, 0x00000032}));
}

TEST(CompareMeaningsTest, TwoInstructionsThatTradePlaces) {
  Document document = test::Builtin();
  std::swap(test::Row(document, "S_ADD_INT").encoding, test::Row(document, "S_SUB_INT").encoding);
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"S_ADD_INT", 0, 4096, 0, 0x00000021},
                          MeaningChange{"S_SUB_INT", 0, 4096, 0, 0x00000023}));
}

// rs1 and rs2 trade places: words in which they are equal stay what they were.
TEST(CompareMeaningsTest, TwoFieldsThatTradePlaces) {
  Document document = test::Builtin();
  test::Row(document, "S_SUB_INT").encoding = "--------------aaaabbbbdddd100011";
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"S_SUB_INT", 256, 4096 - 256, 0, 0x00000423}));
}

// A field that moves by one bit keeps 0 and what the overlapping bits agree on.
TEST(CompareMeaningsTest, AFieldThatMovesByOneBit) {
  Document document = test::Builtin();
  test::Row(document, "C_SET_SCALE_REG").encoding = "---------------------dddd-101100";
  // Bits 9:6 hold rd; now bits 10:7 do. Strictly, bit 10 of an old word is 0 and rd's top bit is
  // that, so only 0 agrees: each bit of the value equals the next one and the last is 0.
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"C_SET_SCALE_REG", 1, 15, 0, 0x0000006C}));
}

TEST(CompareMeaningsTest, OneLegalValueLess) {
  Document document = test::Builtin();
  for (Operand& operand : test::Row(document, "V_SUB_VF").operands) {
    if (operand.kind == OperandKind::kOrder) operand.values = 0b01;
  }
  const std::uint64_t words = 16 * 16 * 8 * 16;  // rd, rs1, f, mask
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"V_SUB_VF", words, 0, words, 0x00400010}));
}

TEST(CompareMeaningsTest, AnotherKindUnderTheSameField) {
  Document document = test::Builtin();
  for (Operand& operand : test::Row(document, "S_EXP_FP").operands) {
    if (operand.field == 'a') operand.kind = OperandKind::kGpSource;
  }
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"S_EXP_FP", 0, 64, 0, 0x0000001B}));
}

TEST(CompareMeaningsTest, AnotherMeaningUnderTheSameName) {
  Document document = test::Builtin();
  test::Row(document, "V_RECI_V").semantics_version = 2;
  test::Row(document, "C_BREAK").semantics = "STOP";
  EXPECT_THAT(CompareMeanings(test::Builtin(), document),
              ElementsAre(MeaningChange{"V_RECI_V", 0, 4096, 0, 0x00000014},
                          MeaningChange{"C_BREAK", 0, 1, 0, 0x00000034}));
}

TEST(CompareMeaningsTest, NamesTimingAndTextsDoNotMatter) {
  Document document = test::Builtin();
  for (DocumentInstruction& row : document.instructions) {
    row.mnemonic = "X_" + row.mnemonic;
    row.summary = "Something else.";
    row.group = Group::kInt;
    row.since = {1, 1};
    std::reverse(document.instructions.begin(), document.instructions.end());
  }
  test::Row(document, "X_V_EXP_V").timing = TimingClass::kInteger;
  EXPECT_THAT(CompareMeanings(test::Builtin(), document), IsEmpty());
}

// ---- Every word, looked at ----------------------------------------------------------------------

// Documents of a few instructions whose upper half is fixed to 0, so that 2^16 words are all.
class RandomDocuments {
 public:
  explicit RandomDocuments(std::uint32_t seed) : random_(seed) {}

  Document Fresh() {
    Document document;
    document.version = {1, 0};
    for (int i = 0; i < 5; ++i) {
      document.instructions.push_back(Instruction(absl::StrCat("I", i)));
    }
    return document;
  }

  // The same instructions, some of them changed.
  Document Changed(const Document& before) {
    Document after = before;
    for (DocumentInstruction& row : after.instructions) {
      const std::size_t choice = Below(7);
      if (choice == 0) row.semantics_version = 2;
      if (choice == 1) {
        const std::string opcode = row.encoding.substr(26);
        row = Instruction(row.mnemonic);
        row.encoding.replace(26, 6, opcode);
      }
      if (choice == 2) row = Instruction(row.mnemonic);
      if (choice == 3) {
        DocumentInstruction& other = after.instructions[Below(5)];
        std::swap(row.encoding, other.encoding);
        std::swap(row.operands, other.operands);
      }
      if (choice == 4) {
        for (Operand& operand : row.operands) operand.values = Values(operand.kind);
      }
    }
    if (Below(3) == 0) after.instructions.pop_back();
    return after;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  std::uint32_t Values(OperandKind kind) {
    return IsEnumerated(kind) ? static_cast<std::uint32_t>(1 + Below(0xFFFF)) : 0;
  }

  DocumentInstruction Instruction(const std::string& name) {
    DocumentInstruction row;
    row.mnemonic = row.semantics = name;
    row.summary = "Does something.";
    std::string bits(10, '-');  // bits 15 to 6
    if (Below(2) == 0) bits[Below(10)] = '1';
    // Up to two fields of four bits, side by side or apart.
    const std::size_t first = Below(3);
    const std::size_t second = first + 4 + Below(10 - first - 7);
    const bool swapped = Below(2) == 0;
    Field(row, bits, swapped ? 'a' : 'd', first);
    if (Below(4) != 0) Field(row, bits, swapped ? 'd' : 'a', second);
    for (char& bit : bits) {
      if (bit == '-' && Below(2) == 0) bit = '0';
    }
    std::string opcode(6, '0');
    const std::size_t code = Below(64);
    for (std::size_t i = 0; i < 6; ++i) opcode[i] = (code >> (5 - i) & 1) != 0 ? '1' : '0';
    row.encoding = std::string(16, '0') + bits + opcode;
    return row;
  }

  void Field(DocumentInstruction& row, std::string& bits, char letter, std::size_t at) {
    constexpr OperandKind kKinds[] = {OperandKind::kGpSource, OperandKind::kFpSource,
                                      OperandKind::kMask,     OperandKind::kPolicy,
                                      OperandKind::kOrder,    OperandKind::kLoopRegister};
    Operand operand{kKinds[Below(std::size(kKinds))], letter};
    operand.values = Values(operand.kind);
    row.operands.push_back(operand);
    for (std::size_t i = at; i < at + 4; ++i) bits[i] = letter;
  }

  std::mt19937 random_;
};

// What a word says, read off the document character by character. Of rows that overlap the test
// has none.
struct Reading {
  std::string meaning;  // "I3/1 a=gp_source:5 d=...", or empty
  const DocumentInstruction* row = nullptr;
  bool has_unused_bits = false;
};

Reading Read(const Document& document, std::uint32_t word) {
  for (const DocumentInstruction& row : document.instructions) {
    bool matches = true;
    bool unused = false;
    std::uint32_t fields[128] = {};
    for (std::size_t i = 0; i < 32; ++i) {
      const std::uint32_t bit = word >> (31 - i) & 1;
      const char c = row.encoding[i];
      if ((c == '0' && bit == 1) || (c == '1' && bit == 0)) matches = false;
      if (c == '-' && bit == 1) unused = true;
      const auto letter = static_cast<std::size_t>(c);
      fields[letter] = fields[letter] << 1 | bit;
    }
    if (!matches) continue;
    std::string text = absl::StrCat(row.semantics, "/", row.semantics_version);
    for (const char letter : {'a', 'd'}) {
      for (const Operand& operand : row.operands) {
        if (operand.field != letter) continue;
        const std::uint32_t value = fields[static_cast<std::size_t>(letter)];
        bool legal = value <= (operand.kind == OperandKind::kFpSource ? 7u : 15u);
        if (operand.kind == OperandKind::kLoopRegister) legal = value != 0;
        if (operand.values != 0) legal = (operand.values >> value & 1) != 0;
        if (!legal) return {"", &row, unused};
        absl::StrAppend(&text, " ", std::string(1, letter), "=", value, ":",
                        static_cast<int>(operand.kind));
      }
    }
    return {text, &row, unused};
  }
  return {};
}

// An operand that only one side has counts as 0 of any kind.
bool Same(const Reading& a, const Reading& b) {
  if (a.meaning == b.meaning) return true;
  if (a.row->semantics != b.row->semantics ||
      a.row->semantics_version != b.row->semantics_version) {
    return false;
  }
  for (const char letter : {'a', 'd'}) {
    const std::string key = std::string(" ") + letter + "=";
    const auto value = [&key](const std::string& text) -> std::string {
      const std::size_t at = text.find(key);
      if (at == std::string::npos) return "";
      return text.substr(at + 3, text.find(' ', at + 1) - at - 3);
    };
    const std::string x = value(a.meaning);
    const std::string y = value(b.meaning);
    if (x == y) continue;
    if (!x.empty() && !y.empty()) return false;
    if (!(x + y).starts_with("0:")) return false;
  }
  return true;
}

std::vector<MeaningChange> LookAtEveryWord(const Document& before, const Document& after) {
  std::vector<DocumentInstruction> rows = before.instructions;
  SortCanonically(rows);
  std::vector<MeaningChange> changes;
  for (const DocumentInstruction& row : rows) changes.push_back({.mnemonic = row.mnemonic});
  std::vector<bool> has_witness(rows.size(), false);
  for (std::uint32_t word = 0; word < 1u << 16; ++word) {
    const Reading old_reading = Read(before, word);
    if (old_reading.meaning.empty() || old_reading.has_unused_bits) continue;
    std::size_t index = 0;
    while (rows[index].mnemonic != old_reading.row->mnemonic) ++index;
    const Reading new_reading = Read(after, word);
    MeaningChange& change = changes[index];
    if (new_reading.meaning.empty()) {
      ++change.undefined;
    } else if (Same(old_reading, new_reading)) {
      ++change.same;
      continue;
    } else {
      ++change.different;
    }
    if (!has_witness[index]) change.witness = word;
    has_witness[index] = true;
  }
  std::erase_if(changes, [](const MeaningChange& change) {
    return change.different + change.undefined == 0;
  });
  return changes;
}

bool HasOverlap(const Document& document) {
  for (const DocumentInstruction& a : document.instructions) {
    for (const DocumentInstruction& b : document.instructions) {
      if (&a == &b) continue;
      const FixedBits x = FixedBitsOf(a.encoding);
      const FixedBits y = FixedBitsOf(b.encoding);
      if ((x.mask & y.mask & (x.match ^ y.match)) == 0) return true;
    }
  }
  return false;
}

TEST(CompareMeaningsTest, RandomDocumentsWordByWord) {
  int compared = 0;
  int changes = 0;
  for (std::uint32_t seed = 0; compared < 50; ++seed) {
    RandomDocuments random(seed);
    const Document before = random.Fresh();
    const Document after = random.Changed(before);
    if (HasOverlap(before) || HasOverlap(after)) continue;
    const std::vector<MeaningChange> expected = LookAtEveryWord(before, after);
    ASSERT_EQ(CompareMeanings(before, after), expected) << "seed " << seed;
    ++compared;
    changes += static_cast<int>(expected.size());
  }
  EXPECT_GT(changes, 50);
}

// Where encodings overlap on purpose the first match decodes, on both sides.
TEST(CompareMeaningsTest, DeclaredOverlaps) {
  Document before = test::Builtin();
  DocumentInstruction special = test::Bare("V_TOPK_ZERO", "----------0000000000000000110111");
  special.overlaps = {{"V_TOPK", "the row of zeros"}};
  before.instructions.push_back(special);
  test::Row(before, "V_TOPK").overlaps = {{"V_TOPK_ZERO", "the row of zeros"}};
  EXPECT_THAT(CompareMeanings(before, test::Builtin()),
              ElementsAre(MeaningChange{"V_TOPK_ZERO", 0, 1, 0, 0x00000037}));
  EXPECT_THAT(CompareMeanings(test::Builtin(), before),
              ElementsAre(MeaningChange{"V_TOPK", 3 * 4096 - 1, 1, 0, 0x00000037}));
}

// ---- Single words -------------------------------------------------------------------------------

TEST(HaveSameMeaningTest, SingleWords) {
  const auto moved = MakeInstructionSet(test::MovedOpcode(), "moved.json");
  const auto masked = MakeInstructionSet(test::NewField(), "field.json");
  const InstructionSet& builtin = InstructionSet::Builtin();
  const auto same = [&builtin](std::uint32_t word, const InstructionSet& other) {
    return HaveSameMeaning(builtin.Decode(word), other.Decode(word));
  };
  EXPECT_TRUE(same(0x0000C861, **moved));   // S_ADD_INT
  EXPECT_FALSE(same(0x0000C864, **moved));  // S_MUL_INT, now nothing
  EXPECT_FALSE(same(0x0000C879, **moved));  // nothing, now S_MUL_INT
  EXPECT_TRUE(same(0x00000000, **moved));   // nothing under both
  EXPECT_FALSE(same(0x00008872, **masked));
  EXPECT_TRUE(same(0x00020017, **moved));  // a reserved register under both
}

// ---- What a corpus has to execute ---------------------------------------------------------------

std::vector<std::string> Parts(const Document& before, const Document& after) {
  std::vector<std::string> texts;
  for (const TouchedPart& part : TouchedParts(before, after)) {
    texts.push_back((part.removed ? "removed " : "") +
                    TouchedPartText(part, part.removed ? before : after));
  }
  return texts;
}

TEST(TouchedPartsTest, OfTheShippedChanges) {
  EXPECT_THAT(Parts(test::Version10(), test::Builtin()),
              ElementsAre("V_TOPK policy 15", "C_SET_TOPK_REG"));
  EXPECT_THAT(Parts(test::Builtin(), test::Version10()),
              ElementsAre("V_TOPK", "removed C_SET_TOPK_REG"));
  EXPECT_THAT(Parts(test::Builtin(), test::MovedOpcode()), ElementsAre("S_MUL_INT"));
  EXPECT_THAT(Parts(test::Builtin(), test::ChangedLatency()), ElementsAre("V_EXP_V"));
  EXPECT_THAT(Parts(test::Builtin(), test::NewField()), ElementsAre("V_SHFT_V"));
}

TEST(TouchedPartsTest, SeveralValuesAndSeveralOperands) {
  Document before = test::Builtin();
  for (Operand& operand : test::Row(before, "H_STORE_V").operands) {
    if (IsEnumerated(operand.kind)) operand.values = 0b01;
  }
  EXPECT_THAT(Parts(before, test::Builtin()),
              ElementsAre("H_STORE_V rstride 1", "H_STORE_V precision 1"));
  // A value that goes and one that comes: the instruction as a whole.
  for (Operand& operand : test::Row(before, "V_TOPK").operands) {
    if (IsEnumerated(operand.kind)) operand.values = 0b111;
  }
  EXPECT_THAT(Parts(before, test::Builtin()),
              ElementsAre("H_STORE_V rstride 1", "H_STORE_V precision 1", "V_TOPK"));
}

TEST(TouchedPartsTest, DocumentationAndGroupsAreNothingToExecute) {
  Document after = test::Builtin();
  test::Row(after, "V_EXP_V").summary = "Another sentence.";
  test::Row(after, "V_EXP_V").group = Group::kVal;
  EXPECT_THAT(Parts(test::Builtin(), after), IsEmpty());
  test::Row(after, "V_EXP_V").mnemonic = "V_EXPONENTIAL";
  EXPECT_THAT(Parts(test::Builtin(), after), ElementsAre("V_EXPONENTIAL"));
}

}  // namespace
}  // namespace moescope::isa
