#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace moescope
