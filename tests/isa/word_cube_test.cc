// Cubes against plain sets: everything is checked by looking at each word of a small universe.

#include "isa/word_cube.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>
#include <vector>

#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

// The universe: words whose bits above the lowest ten are those of kHigh.
constexpr std::uint32_t kHigh = 0xA5A5'A400;
constexpr std::uint32_t kLowBits = 10;

std::set<std::uint32_t> WordsOf(const Cube& cube) {
  std::set<std::uint32_t> words;
  for (std::uint32_t low = 0; low < 1u << kLowBits; ++low) {
    if (((kHigh | low) & cube.mask) == cube.match) words.insert(kHigh | low);
  }
  return words;
}

std::set<std::uint32_t> Minus(std::set<std::uint32_t> a, const std::set<std::uint32_t>& b) {
  for (const std::uint32_t word : b) a.erase(word);
  return a;
}

// The union of cubes, which must not share a word.
std::set<std::uint32_t> UnionOf(const std::vector<Cube>& cubes) {
  std::set<std::uint32_t> all;
  for (const Cube& cube : cubes) {
    for (const std::uint32_t word : WordsOf(cube)) {
      EXPECT_TRUE(all.insert(word).second) << "two pieces hold the word " << word;
    }
  }
  return all;
}

class RandomCubes {
 public:
  Cube Next() {
    const std::uint32_t low = (1u << kLowBits) - 1;
    const std::uint32_t mask = ~low | (Bits() & Bits() & low);
    return {mask, (kHigh | (Bits() & low)) & mask};
  }

 private:
  std::uint32_t Bits() { return static_cast<std::uint32_t>(random_()); }
  std::mt19937 random_{17};
};

TEST(WordCubeTest, SizesAndMeetings) {
  RandomCubes random;
  int meetings = 0;
  for (int round = 0; round < 2'000; ++round) {
    const Cube a = random.Next();
    const Cube b = random.Next();
    const std::set<std::uint32_t> in_a = WordsOf(a);
    EXPECT_EQ(a.size(), in_a.size());
    EXPECT_EQ(*in_a.begin(), a.match);
    std::set<std::uint32_t> both;
    for (const std::uint32_t word : WordsOf(b)) {
      if (in_a.contains(word)) both.insert(word);
    }
    ASSERT_EQ(Meet(a, b), !both.empty());
    if (both.empty()) continue;
    ++meetings;
    EXPECT_EQ(WordsOf(Intersection(a, b)), both);
  }
  EXPECT_GT(meetings, 200);
}

TEST(WordCubeTest, Differences) {
  RandomCubes random;
  for (int round = 0; round < 1'000; ++round) {
    const Cube a = random.Next();
    const Cube b = random.Next();
    std::vector<Cube> pieces;
    Subtract(a, b, pieces);
    ASSERT_EQ(UnionOf(pieces), Minus(WordsOf(a), WordsOf(b)));
    std::vector<Cube> others;
    std::set<std::uint32_t> expected = WordsOf(a);
    for (int i = 0; i < round % 6; ++i) {
      others.push_back(random.Next());
      expected = Minus(std::move(expected), WordsOf(others.back()));
    }
    ASSERT_EQ(UnionOf(Outside(a, others)), expected);
  }
}

TEST(WordCubeTest, SubtractingACubeFromItselfLeavesNothing) {
  RandomCubes random;
  for (int round = 0; round < 100; ++round) {
    const Cube cube = random.Next();
    std::vector<Cube> pieces;
    Subtract(cube, cube, pieces);
    EXPECT_TRUE(pieces.empty());
    EXPECT_TRUE(Outside(cube, {{0, 0}}).empty());
    EXPECT_EQ(Outside(cube, {}).size(), 1u);
  }
}

// The legal words of every built-in instruction, counted field by field and drawn at random.
TEST(WordCubeTest, LegalWordsOfEveryInstruction) {
  const InstructionSet& set = InstructionSet::Builtin();
  std::mt19937 random(3);
  std::uint64_t total = 0;
  for (const DocumentInstruction& row : test::Builtin().instructions) {
    const std::vector<Cube> strict = LegalCubes(row, /*strict=*/true);
    const std::vector<Cube> lenient = LegalCubes(row, /*strict=*/false);
    std::uint64_t strict_words = 0;
    std::uint64_t lenient_words = 0;
    for (const Cube& cube : strict) strict_words += cube.size();
    for (const Cube& cube : lenient) lenient_words += cube.size();
    total += strict_words;
    const FixedBits bits = FixedBitsOf(row.encoding);
    EXPECT_EQ(lenient_words, strict_words << std::popcount(bits.unused)) << row.mnemonic;
    for (int round = 0; round < 2'000; ++round) {
      const std::uint32_t word = (static_cast<std::uint32_t>(random()) & ~bits.mask) | bits.match;
      const auto holds = [word](const std::vector<Cube>& cubes) {
        int holders = 0;
        for (const Cube& cube : cubes) holders += (word & cube.mask) == cube.match;
        EXPECT_LE(holders, 1);
        return holders == 1;
      };
      ASSERT_EQ(holds(strict), set.Decode(word, true).problem == DecodeProblem::kNone) << word;
      ASSERT_EQ(holds(lenient), set.Decode(word, false).problem == DecodeProblem::kNone) << word;
    }
  }
  EXPECT_EQ(total, 545'732'353u);
}

}  // namespace
}  // namespace moescope::isa
