// Every way a machine file can be wrong, with the exact text of its error. Each row changes one
// piece of the built-in machine's file.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "emulator/machine_toml.h"

namespace moescope::test {
namespace {

struct BadFile {
  std::string_view piece;  // what is replaced, once
  std::string_view replacement;
  std::string_view error;  // a line of the message; "m.toml:" stands in front
};

std::string Changed(std::string_view piece, std::string_view replacement) {
  std::string text(emulator::BuiltinMachineText("plena-64"));
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), replacement);
}

constexpr BadFile kBadFiles[] = {
    // Not TOML.
    {"BLEN.value = 4", "BLEN.value = ", "4:14: error: not TOML: "},
    {"BLEN.value = 4", "BLEN.value = 99999999999999999999", "4:34: error: not TOML: "},
    {"[TRANSACTIONAL.LATENCY]", "[TRANSACTIONAL.LATENCY", "53:23: error: not TOML: "},
    // Given twice.
    {"BLEN.value = 4", "BLEN.value = 4\nBLEN.value = 4",
     "5:14: error: duplicated key: cannot redefine existing integer 'BLEN.value' [CF006]"},
    {"[TRANSACTIONAL.LATENCY]", "[TRANSACTIONAL.CONFIG]",
     "53:1: error: duplicated key: cannot redefine existing table 'TRANSACTIONAL.CONFIG' [CF006]"},
    // Missing.
    {"BLEN.value = 4\n", "", "3:16: error: TRANSACTIONAL.CONFIG.BLEN.value: missing [CF003]"},
    {"BLEN.value = 4", "[TRANSACTIONAL.CONFIG.BLEN]\n[TRANSACTIONAL.CONFIG2]",
     "4:23: error: TRANSACTIONAL.CONFIG.BLEN.value: missing [CF003]"},
    {"VECTOR_ADD_CYCLES = { dc_lib_en = 1, dc_lib_dis = 2 }",
     "VECTOR_ADD_CYCLES = { dc_lib_en = 1 }",
     "55:1: error: TRANSACTIONAL.LATENCY.VECTOR_ADD_CYCLES.dc_lib_dis: missing [CF003]"},
    {"block = 8", "",
     "23:1: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.block: missing [CF003]"},
    {"format = \"Mx\"", "",
     "23:1: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.format: missing [CF003]"},
    {"DATA_TYPE = { type = \"Fp\", sign = true, exponent = 8, mantissa = 7 }", "x = 1",
     "20:20: error: TRANSACTIONAL.PRECISION.MATRIX_SRAM_TYPE.DATA_TYPE: missing [CF003]"},
    {"exponent = 8, mantissa = 7 } }", "exponent = 8 } }",
     "20:52: error: TRANSACTIONAL.PRECISION.MATRIX_SRAM_TYPE.DATA_TYPE.mantissa: missing [CF003]"},
    // Wrong type.
    {"BLEN.value = 4", "BLEN.value = \"4\"",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = \"4\": must be an integer [CF004]"},
    {"BLEN.value = 4", "BLEN.value = 4.5",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 4.5: must be an integer [CF004]"},
    {"BLEN.value = 4", "BLEN = 4",
     "4:8: error: TRANSACTIONAL.CONFIG.BLEN = 4: must be a table [CF004]"},
    {"HBM_WIDTH.value = 512", "HBM_WIDTH.value = true",
     "10:19: error: TRANSACTIONAL.CONFIG.HBM_WIDTH.value = true: must be an integer [CF004]"},
    {"convention = \"ocp\"", "convention = 1",
     "69:14: error: MOESCOPE.convention = 1: must be \"ocp\" or \"reference\" [CF004]"},
    {"refresh = false", "refresh = 0",
     "82:11: error: MOESCOPE.hbm.refresh = 0: must be true or false [CF004]"},
    {"convention = \"ocp\"", "convention = \"ocp\"\nbmm_scale = \"big\"",
     "70:13: error: MOESCOPE.bmm_scale = \"big\": must be a number [CF004]"},
    {"convention = \"ocp\"", "convention = \"ocp\"\nstrict_encoding = 1",
     "70:19: error: MOESCOPE.strict_encoding = 1: must be true or false [CF004]"},
    {"sign = true, exponent = 8", "sign = 1, exponent = 8",
     "20:74: error: TRANSACTIONAL.PRECISION.MATRIX_SRAM_TYPE.DATA_TYPE.sign = 1: must be true or "
     "false [CF004]"},
    {"MATRIX_SRAM_TYPE = {", "MATRIX_SRAM_TYPE = 3\nX = {",
     "20:20: error: TRANSACTIONAL.PRECISION.MATRIX_SRAM_TYPE = 3: must be a table [CF004]"},
    {"[MOESCOPE.hbm]", "[MOESCOPE.timing.cost]\nM_MM = 3\n[MOESCOPE.hbm]",
     "79:8: error: MOESCOPE.timing.cost.M_MM = 3: must be a table [CF004]"},
    // Unknown.
    {"BLEN.value = 4", "BLEN.value = 4\nBLENN.value = 4",
     "5:1: error: unknown key TRANSACTIONAL.CONFIG.BLENN; did you mean 'BLEN', 'HLEN' or 'MLEN'? "
     "[CF005]"},
    {"BLEN.value = 4", "BLEN.value = 4\nBLEN.valu = 4",
     "5:6: error: unknown key TRANSACTIONAL.CONFIG.BLEN.valu; did you mean 'value'? [CF005]"},
    {"[MOESCOPE.hbm]", "[MOESCOP.hbm]",
     "78:2: error: unknown key MOESCOP; did you mean 'MOESCOPE'? [CF005]"},
    {"channels = 8", "chanels = 8",
     "80:1: error: unknown key MOESCOPE.hbm.chanels; did you mean 'channels'? [CF005]"},
    {"block = 8", "block = 8\nblok = 8",
     "26:1: error: unknown key TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.blok; did you mean "
     "'block'? [CF005]"},
    {"SYSTOLIC_PROCESSING_OVERHEAD", "SYSTOLIC_OVERHEAD",
     "54:1: error: unknown key TRANSACTIONAL.LATENCY.SYSTOLIC_OVERHEAD [CF005]"},
    {"# The public", "[TRANSACTIONAL.OTHER]\nx = 1\n# The public",
     "1:16: error: unknown key TRANSACTIONAL.OTHER [CF005]"},
    // A word that is none of the choices.
    {"convention = \"ocp\"", "convention = \"opc\"",
     "69:14: error: MOESCOPE.convention = \"opc\": must be \"ocp\" or \"reference\"; did you mean "
     "'ocp'? [CF007]"},
    {"model = \"pipelined\"", "model = \"SERIAL\"",
     "75:9: error: MOESCOPE.timing.model = \"SERIAL\": must be \"serial\", \"pipelined\" or "
     "\"rtl\"; did you mean 'serial'? [CF007]"},
    {"format = \"Mx\"", "format = \"MX\"",
     "24:10: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.format = \"MX\": must be \"Plain\" "
     "or "
     "\"Mx\" [CF007]"},
    {"type = \"Fp\", sign = false", "type = \"Float\", sign = false",
     "27:18: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.SCALE.type = \"Float\": must be "
     "\"Fp\" or \"Int\" [CF007]"},
    // Too small, too large.
    {"BLEN.value = 4", "BLEN.value = 0",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 0: must be at least 1 [CF012]"},
    {"BLEN.value = 4", "BLEN.value = -4",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = -4: must not be negative [CF012]"},
    {"HBM_V_Prefetch_Amount.value = 4", "HBM_V_Prefetch_Amount.value = 0",
     "14:31: error: TRANSACTIONAL.CONFIG.HBM_V_Prefetch_Amount.value = 0: must be at least 1 "
     "[CF012]"},
    {"core_ps = 1000", "core_ps = 0",
     "72:11: error: MOESCOPE.clock.core_ps = 0: must be at least 1 [CF012]"},
    {"block = 8", "block = 0",
     "25:9: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.block = 0: must be at least 1 "
     "[CF012]"},
    {"BLEN.value = 4", "BLEN.value = 4294967296",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 4294967296: must be at most 4294967295 "
     "[CF013]"},
    {"VECTOR_SRAM_SIZE.value = 4194304", "VECTOR_SRAM_SIZE.value = 67108865",
     "12:26: error: TRANSACTIONAL.CONFIG.VECTOR_SRAM_SIZE.value = 67108865: must be at most "
     "67108864 [CF013]"},
    {"MATRIX_SRAM_SIZE.value = 4096", "MATRIX_SRAM_SIZE.value = 63",
     "11:26: error: TRANSACTIONAL.CONFIG.MATRIX_SRAM_SIZE.value = 63: must be at least 64 [CF012]"},
    {"HBM_SIZE.value = 17179869184", "HBM_SIZE.value = 9223372036854775744",
     "9:18: error: TRANSACTIONAL.CONFIG.HBM_SIZE.value = 9223372036854775744: must be at most "
     "4398046511104 [CF013]"},
    {"convention = \"ocp\"", "convention = \"ocp\"\nint_sram_words = 16777217",
     "70:18: error: MOESCOPE.int_sram_words = 16777217: must be at most 16777216 [CF013]"},
    {"convention = \"ocp\"", "convention = \"ocp\"\nbmm_scale = inf",
     "70:13: error: MOESCOPE.bmm_scale = inf: must be a finite f32 [CF013]"},
    // Not a multiple, not a power of two.
    {"HBM_SIZE.value = 17179869184", "HBM_SIZE.value = 100",
     "9:18: error: TRANSACTIONAL.CONFIG.HBM_SIZE.value = 100: must be a multiple of 64 [CF014]"},
    {"channels = 8", "channels = 6",
     "80:12: error: MOESCOPE.hbm.channels = 6: must be a power of two from 1 to 64 [CF014]"},
    {"channels = 8", "channels = 128",
     "80:12: error: MOESCOPE.hbm.channels = 128: must be a power of two from 1 to 64 [CF014]"},
    // Rules between values.
    {"VLEN.value = 64", "VLEN.value = 128",
     "7:14: error: TRANSACTIONAL.CONFIG.VLEN.value = 128: must equal MLEN, which is 64 [CF015]"},
    {"BLEN.value = 4", "BLEN.value = 5",
     "4:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 5: must divide MLEN, which is 64 [CF015]"},
    {"HLEN.value = 16", "HLEN.value = 24",
     "5:14: error: TRANSACTIONAL.CONFIG.HLEN.value = 24: must divide VLEN, which is 64 [CF015]"},
    // Formats.
    {"block = 8", "block = 7",
     "23:1: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE = Mx E4M3 block 7: block 7 does not "
     "divide MLEN = 64 [CF016]"},
    {"ELEM = { type = \"Fp\", sign = true, exponent = 4",
     "ELEM = { type = \"Fp\", sign = true, exponent = 1",
     "23:1: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE = Mx E1M3 block 8: an Mx element must "
     "be a signed Fp of 4 to 8 bits with at least two exponent bits and one mantissa bit, or Int "
     "of 8 bits, not E1M3 (5 bits) [CF016]"},
    {"sign = false, exponent = 8, mantissa = 0", "sign = true, exponent = 8, mantissa = 0",
     "27:9: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.SCALE: the scale of an Mx format must "
     "be E8M0 (an Fp without sign, 8 exponent bits and no mantissa), not E8M0 [CF016]"},
    {"VECTOR_SRAM_TYPE = { format = \"Plain\", DATA_TYPE = { type = \"Fp\", sign = true, exponent "
     "= 8, mantissa = 7",
     "VECTOR_SRAM_TYPE = { format = \"Plain\", DATA_TYPE = { type = \"Fp\", sign = true, exponent "
     "= 5, mantissa = 10",
     "21:20: error: TRANSACTIONAL.PRECISION.VECTOR_SRAM_TYPE: only Plain BF16 is legal here, not "
     "Plain FP16 [CF016]"},
    {"format = \"Mx\"\nblock = 8", "format = \"Plain\"",
     "25:8: error: TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.ELEM: does not go with format = "
     "\"Plain\" [CF017]"},
    {"format = \"Plain\", DATA_TYPE", "format = \"Mx\", DATA_TYPE",
     "20:49: error: TRANSACTIONAL.PRECISION.MATRIX_SRAM_TYPE.DATA_TYPE: does not go with format = "
     "\"Mx\" [CF017]"},
    // Dialect and models.
    {"convention = \"ocp\"", "convention = \"reference\"\nscale_rule = \"floor\"",
     "70:14: error: MOESCOPE.scale_rule: cannot be set under convention = \"reference\", which has "
     "its own rule [CF018]"},
    {"[MOESCOPE.hbm]", "[MOESCOPE.timing.cost.M_MMM]\nresult = 3\n[MOESCOPE.hbm]",
     "78:23: error: MOESCOPE.timing.cost.M_MMM: is not an instruction; did you mean 'M_MM', "
     "'M_TMM' or 'M_BMM'? [CF020]"},
    {"[MOESCOPE.hbm]",
     "[MOESCOPE.timing.cost.M_MM]\nresult = 3\ninterval = \"B+4\"\nlabel = \"sure\"\nsource = "
     "\"x\"\n[MOESCOPE.hbm]",
     "81:9: error: MOESCOPE.timing.cost.M_MM.label = \"sure\": must be \"measured\", \"derived\" "
     "or "
     "\"assumed\" [CF007]"},
    {"[MOESCOPE.hbm]",
     "[MOESCOPE.timing.cost.M_MM]\nresult = \"M/7\"\ninterval = \"B+4\"\nlabel = "
     "\"measured\"\nsource = \"x\"\n[MOESCOPE.hbm]",
     "79:10: error: MOESCOPE.timing.cost.M_MM.result = \"M/7\": 64 / 7 does not divide exactly "
     "[CF021]"},
    {"[MOESCOPE.hbm]",
     "[MOESCOPE.timing.cost.M_MM]\nresult = 3\ninterval = \"B+\"\nlabel = "
     "\"measured\"\nsource = \"x\"\n[MOESCOPE.hbm]",
     "80:12: error: MOESCOPE.timing.cost.M_MM.interval = \"B+\": the formula ends too early at "
     "column 3 of 'B+' [CF021]"},
    {"[MOESCOPE.hbm]",
     "[MOESCOPE.timing.cost.H_STORE_V]\nresult = 3\ninterval = 3\nlabel = "
     "\"measured\"\nsource = \"x\"\n[MOESCOPE.hbm]",
     "78:23: error: MOESCOPE.timing.cost.H_STORE_V = {...}: has no cost of its own: see "
     "[MOESCOPE.timing.pipelined] and [MOESCOPE.hbm] [CF021]"},
    {"model = \"pipelined\"\nlatency = \"dse\"",
     "model = \"rtl\"\n[MOESCOPE.timing.cost.M_MM]\nresult = 3\ninterval = 3\nlabel = "
     "\"measured\"\nsource = \"x\"",
     "76:23: error: MOESCOPE.timing.cost.M_MM = {...}: is not used by model \"rtl\", whose costs "
     "are rules [CF021]"},
    {"[MOESCOPE.hbm]", "[MOESCOPE.timing.pipelined]\nissue_overhead = 0\n[MOESCOPE.hbm]",
     "79:18: error: MOESCOPE.timing.pipelined.issue_overhead = 0: must be at least 1 [CF012]"},
};

class BadMachineFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadMachineFile, IsRefusedWithItsPlaceKeyAndReason) {
  const auto result =
      emulator::ParseMachine(Changed(GetParam().piece, GetParam().replacement), "m.toml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string expected = "m.toml:" + std::string(GetParam().error);
  const std::vector<std::string> lines = absl::StrSplit(result.status().message(), '\n');
  // The wording of syntax errors is the library's.
  const bool is_prefix = expected.ends_with(": ");
  const bool found = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return is_prefix ? line.starts_with(expected) : line == expected;
  });
  EXPECT_TRUE(found) << "expected: " << expected << "\nfound:\n" << result.status().message();
}

INSTANTIATE_TEST_SUITE_P(All, BadMachineFile, testing::ValuesIn(kBadFiles));

TEST(BadMachineFileTable, HasAtLeastFortyRows) { EXPECT_GE(std::size(kBadFiles), 40u); }

}  // namespace
}  // namespace moescope::test
