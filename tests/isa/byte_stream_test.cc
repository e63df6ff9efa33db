#include "isa/byte_stream.h"

#include <gtest/gtest.h>

#include <limits>

namespace moescope::isa {
namespace {

TEST(ByteStreamTest, LittleEndian) {
  ByteWriter out;
  out.U32(0x04030201);
  out.U64(0x0C0B0A0908070605);
  EXPECT_EQ(out.bytes(), "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C");
}

TEST(ByteStreamTest, WhatIsWrittenIsRead) {
  ByteWriter out;
  out.U32(std::numeric_limits<std::uint32_t>::max());
  out.Text("");
  out.Text(std::string_view("a\0b", 3));
  out.Optional(std::nullopt);
  out.Optional(0);
  out.Optional(2147483647);
  out.U64(std::numeric_limits<std::uint64_t>::max());
  ByteReader in(out.bytes());
  EXPECT_EQ(in.U32(), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Text(), std::string_view("a\0b", 3));
  EXPECT_EQ(in.Optional(), std::nullopt);
  EXPECT_EQ(in.Optional(), 0u);
  EXPECT_EQ(in.Optional(), 2147483647u);
  EXPECT_FALSE(in.IsComplete());
  EXPECT_EQ(in.U64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(in.IsComplete());
}

TEST(ByteStreamTest, ReadingPastTheEndGivesZerosAndStaysFailed) {
  ByteReader in("abc");
  EXPECT_EQ(in.U32(), 0u);
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.Bytes(1), "");
  EXPECT_EQ(in.Text(), "");
  EXPECT_EQ(in.Optional(), std::nullopt);
  EXPECT_FALSE(in.IsComplete());
}

TEST(ByteStreamTest, CountsMustFitTheRest) {
  ByteWriter out;
  out.U32(3);
  out.Bytes(std::string(24, 'x'));
  for (const std::size_t size : {8u, 9u}) {
    ByteReader in(out.bytes());
    EXPECT_EQ(in.Count(size), size == 8 ? 3u : 0u);
    EXPECT_EQ(in.failed(), size == 9);
  }
}

}  // namespace
}  // namespace moescope::isa
