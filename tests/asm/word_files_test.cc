#include "asm/word_files.h"

#include <gtest/gtest.h>

#include <random>

#include "base/diagnostic.h"

namespace moescope::assembler {
namespace {

using Words = std::vector<std::uint32_t>;
const Words kWords = {0x00014062, 0xFFFFFFFF, 0, 0xABCDEF01};

std::string ErrorOf(std::string_view text) {
  return std::string(ReadMem(text, "a.mem").status().message());
}

TEST(WordFilesTest, TextForms) {
  EXPECT_EQ(WriteMem(kWords), "0x00014062\n0xFFFFFFFF\n0x00000000\n0xABCDEF01\n");
  EXPECT_EQ(WriteHex(kWords), "00014062\nFFFFFFFF\n00000000\nABCDEF01\n");
  EXPECT_EQ(WriteReadmemh(Words{1}), "// 1 words of 32 bits\n@00000000\n00000001\n");
  EXPECT_EQ(WriteBinary(Words{0x04030201}), "\1\2\3\4");
  EXPECT_EQ(WriteMem({}), "");
}

TEST(WordFilesTest, WhatIsWrittenIsRead) {
  EXPECT_EQ(*ReadMem(WriteMem(kWords), "a.mem"), kWords);
  EXPECT_EQ(*ReadMem(WriteHex(kWords), "a.mem"), kWords);
  EXPECT_EQ(*ReadBinary(WriteBinary(kWords), "a.bin"), kWords);
}

TEST(WordFilesTest, BlanksPrefixesCaseAndComments) {
  EXPECT_EQ(*ReadMem("\xEF\xBB\xBF; head 0xZZ\n 0x1  0X2\t3 // 4\r\n\r\nabcDEF01;5\n6", "a.mem"),
            (Words{1, 2, 3, 0xABCDEF01, 6}));
}

TEST(WordFilesTest, WrongTokensHaveTheirPlace) {
  EXPECT_EQ(ErrorOf("0x1\n\xC3\xA9 0x123456789 zz ; zz\n0x\n"),
            "a.mem:2:1: error: '\xC3\xA9' is no word of one to eight hex digits [PC020]\n"
            "    2 | \xC3\xA9 0x123456789 zz ; zz\n      | ^\n"
            "a.mem:2:3: error: '0x123456789' is no word of one to eight hex digits [PC020]\n"
            "    2 | \xC3\xA9 0x123456789 zz ; zz\n      |   ^~~~~~~~~~~\n"
            "a.mem:2:15: error: 'zz' is no word of one to eight hex digits [PC020]\n"
            "    2 | \xC3\xA9 0x123456789 zz ; zz\n      |               ^~\n"
            "a.mem:3:1: error: '0x' is no word of one to eight hex digits [PC020]\n"
            "    3 | 0x\n      | ^~");
  EXPECT_EQ(ErrorOf("; nothing\n"), "a.mem: error: no word in the input [PC021]");
  EXPECT_EQ(ErrorOf(""), "a.mem: error: no word in the input [PC021]");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "zz ";
  EXPECT_EQ(DiagnosticsOf(ReadMem(many, "a.mem").status()).size(), 20u);
}

TEST(WordFilesTest, LongTokensAreShortened) {
  EXPECT_EQ(ErrorOf(std::string(300, 'z')),
            "a.mem:1:1: error: '" + std::string(40, 'z') +
                "...' is no word of one to eight hex digits [PC020]");
}

TEST(WordFilesTest, Binary) {
  EXPECT_EQ(std::string(ReadBinary("12345", "a.bin").status().message()),
            "a.bin: error: the size, 5 bytes, is no multiple of 4 [PC022]");
  EXPECT_EQ(std::string(ReadBinary("", "a.bin").status().message()),
            "a.bin: error: no word in the input [PC021]");
}

TEST(WordFilesTest, AnyBytesGiveAnAnswer) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text = WriteMem(kWords);
    for (std::size_t changes = random() % 5; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    const auto words = ReadMem(text, "a.mem");
    EXPECT_TRUE(words.ok() || !DiagnosticsOf(words.status()).empty());
  }
}

}  // namespace
}  // namespace moescope::assembler
