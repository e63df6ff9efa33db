#include "base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "base/sha256_blocks.h"

namespace moescope {
namespace {

// Published examples of FIPS 180-4.
TEST(Sha256Test, MatchesThePublishedExamples) {
  EXPECT_EQ(Sha256Name(""),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Name("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Name("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Name(std::string(1000000, 'a')),
            "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesGiveTheSameDigestAsTheWhole) {
  const std::string text(1000, 'x');
  for (std::size_t cut = 0; cut <= 200; ++cut) {
    Sha256 hash;
    hash.Update(std::string_view(text).substr(0, cut));
    hash.Update(std::string_view(text).substr(cut));
    EXPECT_EQ(hash.Name(), Sha256Name(text)) << "cut at " << cut;
  }
}

TEST(Sha256Test, ZerosNeedNoBuffer) {
  Sha256 hash;
  hash.Update("head");
  hash.UpdateZeros(10000);
  EXPECT_EQ(hash.Name(), Sha256Name("head" + std::string(10000, '\0')));
}

// ---- Portable code and the instructions of the processor ----------------------------------------

using State = std::array<std::uint32_t, 8>;

State StateAfter(Sha256Blocks blocks, State state, const std::string& bytes, std::size_t offset,
                 std::size_t count) {
  blocks(state.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()) + offset, count);
  return state;
}

TEST(Sha256BlocksTest, ProcessorInstructionsGiveTheSameState) {
  const Sha256Blocks native = NativeSha256Blocks();
  if (native == nullptr) GTEST_SKIP() << "this processor has no SHA instructions";
  std::mt19937 random(1);
  std::string bytes(64 * 40 + 64, '\0');
  for (int round = 0; round < 200; ++round) {
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    State state;
    for (std::uint32_t& word : state) word = static_cast<std::uint32_t>(random());
    const std::size_t offset = random() % 64;  // any alignment
    const std::size_t count = random() % 41;
    EXPECT_EQ(StateAfter(native, state, bytes, offset, count),
              StateAfter(PortableSha256Blocks, state, bytes, offset, count))
        << count << " blocks at " << offset;
  }
}

TEST(Sha256BlocksTest, NoBlockChangesNothing) {
  const State state = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(StateAfter(PortableSha256Blocks, state, "", 0, 0), state);
  if (NativeSha256Blocks() != nullptr) {
    EXPECT_EQ(StateAfter(NativeSha256Blocks(), state, "", 0, 0), state);
  }
}

// "abc", padded by hand, against the published digest (FIPS 180-4, example B.1).
TEST(Sha256BlocksTest, PublishedExampleOnBothPaths) {
  std::string block(64, '\0');
  block.replace(0, 4, "abc\x80");
  block[63] = 24;
  const State initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const State expected = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                          0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  EXPECT_EQ(StateAfter(PortableSha256Blocks, initial, block, 0, 1), expected);
  if (NativeSha256Blocks() != nullptr) {
    EXPECT_EQ(StateAfter(NativeSha256Blocks(), initial, block, 0, 1), expected);
  }
}

TEST(Sha256Test, ManyPiecesOfManySizes) {
  std::mt19937 random(2);
  std::string bytes(5000, '\0');
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
  for (int round = 0; round < 50; ++round) {
    Sha256 hash;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(random() % 300, bytes.size() - at);
      hash.Update(std::string_view(bytes).substr(at, size));
      at += size;
    }
    EXPECT_EQ(hash.Name(), Sha256Name(bytes));
  }
}

TEST(Sha256Test, ZerosOfEveryLengthAroundTheBlocks) {
  for (std::size_t size : {0u, 1u, 55u, 56u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 8192u, 12345u}) {
    Sha256 hash;
    hash.UpdateZeros(size);
    EXPECT_EQ(hash.Name(), Sha256Name(std::string(size, '\0'))) << size;
  }
}

}  // namespace
}  // namespace moescope
