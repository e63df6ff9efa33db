#include "base/sha256_blocks.h"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace moescope {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS
// 180-4, 4.2.2).
alignas(16) constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t LoadBigEndian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void PortableBlock(std::uint32_t* state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = LoadBigEndian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  std::array<std::uint32_t, 8> words;
  std::copy_n(state, 8, words.begin());
  auto [a, b, c, d, e, f, g, h] = words;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

#if defined(__x86_64__)

// SHA, SSE4.1 and SSSE3 (Intel SDM volume 2, CPUID leaves 1 and 7). The vector registers that they
// use are those of SSE2, which every operating system of this architecture saves.
bool HasShaInstructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  const bool has_sse = (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return has_sse && (b & bit_SHA) != 0;
}

// The instructions keep the state as (a b e f) and (c d g h), highest word first, and do two rounds
// at a time (Intel SDM volume 2, SHA256RNDS2, SHA256MSG1, SHA256MSG2).
__attribute__((target("sha,sse4.1,ssse3"))) void ShaInstructionBlocks(std::uint32_t* state,
                                                                      const std::uint8_t* data,
                                                                      std::size_t count) {
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const __m128i cdab = _mm_shuffle_epi32(load(state), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(state + 4), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; --count, data += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    // The last sixteen words of the message schedule, four by four.
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(data + 16 * i), big_endian);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) {
      __m128i& words = w[i % 4];
      const __m128i& last = w[(i + 3) % 4];
      if (i >= 4) {
        const __m128i seven_before = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
        const __m128i sum =
            _mm_add_epi32(_mm_sha256msg1_epu32(words, w[(i + 1) % 4]), seven_before);
        words = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i added = _mm_add_epi32(words, load(&kRoundConstants[4 * i]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

void PortableSha256Blocks(std::uint32_t* state, const std::uint8_t* data, std::size_t count) {
  for (; count > 0; --count, data += 64) PortableBlock(state, data);
}

Sha256Blocks NativeSha256Blocks() {
#if defined(__x86_64__)
  static const bool has_instructions = HasShaInstructions();
  if (has_instructions) return ShaInstructionBlocks;
#endif
  return nullptr;
}

}  // namespace moescope
