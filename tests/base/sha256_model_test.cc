// SHA-256 against a second implementation that is written from the standard in the plainest way and
// derives its constants itself: the first 32 bits of the fractional parts of square and cube roots
// of the first primes.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/sha256.h"

namespace moescope {
namespace {

__extension__ using Wide = unsigned __int128;

std::vector<std::uint32_t> FirstPrimes(std::size_t count) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t candidate = 2; primes.size() < count; ++candidate) {
    bool is_prime = true;
    for (const std::uint32_t prime : primes) is_prime = is_prime && candidate % prime != 0;
    if (is_prime) primes.push_back(candidate);
  }
  return primes;
}

// floor(root(value) * 2^32) mod 2^32, found bit by bit in 128-bit integers: the largest r with
// r^power <= value * 2^(32 * power). Roots are below 8, so r has 35 bits and r^3 fits 105.
std::uint32_t FractionOfRoot(std::uint32_t value, int power) {
  const auto target = static_cast<Wide>(value) << (32 * power);
  Wide root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const Wide next = root | static_cast<Wide>(1) << bit;
    const Wide raised = power == 2 ? next * next : next * next * next;
    if (raised <= target) root = next;
  }
  return static_cast<std::uint32_t>(root);
}

std::uint32_t Rotate(std::uint32_t x, int by) { return x >> by | x << (32 - by); }

std::string ModelDigest(std::string_view message) {
  std::string padded(message);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);

  const std::vector<std::uint32_t> primes = FirstPrimes(64);
  std::array<std::uint32_t, 8> h{};
  for (std::size_t i = 0; i < 8; ++i) h[i] = FractionOfRoot(primes[i], 2);
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 64; ++t) {
      if (t < 16) {
        for (std::size_t byte = 0; byte < 4; ++byte) {
          w[t] = w[t] << 8 | static_cast<unsigned char>(padded[block + 4 * t + byte]);
        }
        continue;
      }
      const std::uint32_t s0 = Rotate(w[t - 15], 7) ^ Rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
      const std::uint32_t s1 = Rotate(w[t - 2], 17) ^ Rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    std::array<std::uint32_t, 8> v = h;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum1 = Rotate(v[4], 6) ^ Rotate(v[4], 11) ^ Rotate(v[4], 25);
      const std::uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const std::uint32_t first = v[7] + sum1 + choice + FractionOfRoot(primes[t], 3) + w[t];
      const std::uint32_t sum0 = Rotate(v[0], 2) ^ Rotate(v[0], 13) ^ Rotate(v[0], 22);
      const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      v = {first + sum0 + majority, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) h[i] += v[i];
  }
  std::string name = "sha256:";
  for (const std::uint32_t word : h) name += absl::StrFormat("%08x", word);
  return name;
}

TEST(Sha256ModelTest, TheModelKnowsThePublishedExample) {
  EXPECT_EQ(ModelDigest("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(FractionOfRoot(2, 2), 0x6A09E667u);
  EXPECT_EQ(FractionOfRoot(311, 3), 0xC67178F2u);
}

// All lengths around the block and padding limits.
TEST(Sha256ModelTest, EveryLengthUpToThreeBlocks) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length <= 192; ++length) {
    std::string message(length, '\0');
    for (char& c : message) c = static_cast<char>(random());
    EXPECT_EQ(Sha256Name(message), ModelDigest(message)) << length;
  }
}

// Pieces of any size, some of them zeros that have no buffer.
TEST(Sha256ModelTest, AnyMixOfPiecesAndZeros) {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    std::string whole;
    Sha256 hash;
    for (std::size_t pieces = random() % 6; pieces > 0; --pieces) {
      const std::size_t size = random() % 150;
      if (random() % 3 == 0) {
        hash.UpdateZeros(size);
        whole.append(size, '\0');
        continue;
      }
      std::string piece(size, '\0');
      for (char& c : piece) c = static_cast<char>(random());
      hash.Update(piece);
      whole += piece;
    }
    ASSERT_EQ(hash.Name(), ModelDigest(whole)) << "round " << round;
  }
}

// One changed bit anywhere changes the digest.
TEST(Sha256ModelTest, EveryBitCounts) {
  const std::string message(70, 'm');
  const std::string digest = Sha256Name(message);
  for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
    std::string other = message;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
    ASSERT_NE(Sha256Name(other), digest) << bit;
  }
}

}  // namespace
}  // namespace moescope
