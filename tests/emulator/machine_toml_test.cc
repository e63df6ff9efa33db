#include "emulator/machine_toml.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "base/file.h"
#include "emulator/effective_parameters.h"
#include "emulator/machine_check.h"
#include "emulator/machine_keys.h"

namespace moescope::test {
namespace {

using emulator::MachineDescription;
using emulator::MachineFile;
using emulator::MachineFileOptions;
using emulator::ParseMachine;

std::string Builtin() { return std::string(emulator::BuiltinMachineText("plena-64")); }

std::string WithoutOurTables() {
  const std::string text = Builtin();
  return text.substr(0, text.find("[MOESCOPE]"));
}

MachineDescription Parsed(const std::string& text, const MachineFileOptions& options = {}) {
  const absl::StatusOr<MachineFile> file = ParseMachine(text, "plena-64.toml", options);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? file->machine : MachineDescription{};
}

// Parses with one override; the message of the error, or empty.
std::string OverrideError(const std::string& text) {
  MachineFileOptions options;
  const auto override = emulator::ParseOverride("--set", text);
  if (!override.ok()) return std::string(override.status().message());
  options.overrides.push_back(*override);
  return std::string(ParseMachine(Builtin(), "m.toml", options).status().message());
}

MachineDescription Overridden(const std::string& text) {
  MachineFileOptions options;
  options.overrides.push_back(*emulator::ParseOverride("--set", text));
  return Parsed(Builtin(), options);
}

// The built-in machine; a description that does not name a timing model is serial.
MachineDescription BuiltinDescription() {
  MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kPipelined;
  return machine;
}

TEST(MachineFiles, TheBuiltInMachineIsTheDefaultDescriptionPipelined) {
  EXPECT_EQ(Parsed(Builtin()), BuiltinDescription());
}

TEST(MachineFiles, ShippedMachinesNameTheirModels) {
  using emulator::HbmModelKind;
  using emulator::LatencyProfile;
  using emulator::TimingModelKind;
  const MachineDescription plena = emulator::LoadMachine("plena-64")->machine;
  EXPECT_EQ(plena.timing, TimingModelKind::kPipelined);
  EXPECT_EQ(plena.profile, LatencyProfile::kDse);
  EXPECT_EQ(plena.hbm.model, HbmModelKind::kDram);
  const MachineDescription rtl = emulator::LoadMachine("rtl-8")->machine;
  EXPECT_EQ(rtl.timing, TimingModelKind::kRtl);
  EXPECT_EQ(rtl.profile, LatencyProfile::kReleased);
  EXPECT_EQ(rtl.hbm.model, HbmModelKind::kFixed);
  const MachineDescription analytic = emulator::LoadMachine("analytic")->machine;
  EXPECT_EQ(analytic.timing, TimingModelKind::kPipelined);
  EXPECT_EQ(analytic.profile, LatencyProfile::kLibrary);
  EXPECT_EQ(analytic.hbm.model, HbmModelKind::kFast);
}

TEST(MachineFiles, ShippedMachinesHaveTheirShapes) {
  const MachineDescription rtl = emulator::LoadMachine("rtl-8")->machine;
  EXPECT_EQ(rtl.name, "rtl-8");
  EXPECT_EQ(rtl.shape, (emulator::Shape{8, 4, 8, 8, 1}));
  EXPECT_EQ(rtl.memory.int_words, 32u);
  EXPECT_EQ(rtl.memory.fp_words, 512u);
  EXPECT_EQ(rtl.memory.matrix_rows, 1024u);
  EXPECT_EQ(rtl.memory.vector_rows, 1024u);
  EXPECT_EQ(rtl.max_loop_depth, 4u);
  EXPECT_EQ(rtl.rows, (emulator::TransferRows{8, 4, 4}));
  const MachineDescription analytic = emulator::LoadMachine("analytic")->machine;
  EXPECT_EQ(analytic.shape, (emulator::Shape{2048, 128, 2048, 128, 16}));
  EXPECT_EQ(analytic.memory.hbm_bytes, std::uint64_t{128} << 30);
  EXPECT_EQ(analytic.memory.matrix_rows, 4096u);
  EXPECT_EQ(analytic.rows, (emulator::TransferRows{2048, 16, 16}));
  for (const std::string_view name : emulator::BuiltinMachineNames()) {
    const MachineDescription machine = emulator::LoadMachine(std::string(name))->machine;
    EXPECT_EQ(machine.dialect.convention, isa::Convention::kOcp) << name;
    EXPECT_EQ(machine.hbm.channels, 8u) << name;
  }
}

TEST(MachineFiles, APublicFileSelectsTheWholeReferenceDialectAndSerial) {
  const MachineDescription machine =
      Parsed("[MODE]\nactive = \"analytic\"\n[ANALYTIC.X]\ny = 1\n" + WithoutOurTables());
  EXPECT_EQ(machine.dialect.convention, isa::Convention::kReference);
  EXPECT_EQ(machine.dialect.masked_reduction, emulator::MaskedReduction::kReference);
  EXPECT_EQ(machine.dialect.scale_read, emulator::ScaleRead::kSingleBlock);
  EXPECT_EQ(machine.timing, emulator::TimingModelKind::kSerial);
  EXPECT_EQ(machine.profile, emulator::LatencyProfile::kDse);
}

TEST(MachineFiles, OurTableWithoutConventionSelectsOnlyTheConvention) {
  const MachineDescription machine = Parsed(WithoutOurTables() + "[MOESCOPE]\n");
  EXPECT_EQ(machine.dialect.convention, isa::Convention::kReference);
  EXPECT_EQ(machine.dialect.masked_reduction, emulator::MaskedReduction::kEnabled);
  EXPECT_EQ(machine.dialect.scale_read, emulator::ScaleRead::kComplete);
}

TEST(MachineFiles, OptionalKeysHaveTheirDefaults) {
  std::string text = WithoutOurTables();
  const std::string guard = "MAX_LOOP_INSTRUCTIONS.value = 100000\n";
  text.replace(text.find(guard), guard.size(), "");
  const std::size_t scalar = text.find("[TRANSACTIONAL.PRECISION.SCALAR_FP]");
  text.replace(scalar, text.find("[TRANSACTIONAL.LATENCY]") - scalar, "");
  const MachineDescription machine = Parsed(text);
  EXPECT_EQ(machine.max_loop_instructions, 0u);
  EXPECT_EQ(machine.max_loop_depth, 0u);
  EXPECT_EQ(machine.memory.int_words, 1024u);
  EXPECT_EQ(emulator::BmmScale(machine), 0.25f);
}

TEST(MachineFiles, EveryFormatOfTheLayoutIsRead) {
  const auto with_weights = [](const std::string& slot) {
    std::string text = Builtin();
    const std::size_t at = text.find("format = \"Mx\"");
    return text.replace(at, text.find("[TRANSACTIONAL.PRECISION.HBM_M_KV_TYPE]") - at, slot);
  };
  EXPECT_EQ(
      Parsed(with_weights("format = \"Mx\"\nblock = 32\nELEM = { type = \"Int\", width = 8 }\n"
                          "SCALE = { type = \"Fp\", sign = false, exponent = 8, mantissa = "
                          "0 }\n"))
          .formats.matrix_weight,
      isa::Mx(isa::kInt8, 32));
  EXPECT_EQ(Parsed(with_weights("format = \"Plain\"\nDATA_TYPE = { type = \"Fp\", sign = true, "
                                "exponent = 5, mantissa = 10 }\n"))
                .formats.matrix_weight,
            isa::Plain(isa::kFp16));
}

TEST(MachineFiles, CarriageReturnsByteOrderMarksAndCommentsAreAccepted) {
  std::string text = "\xEF\xBB\xBF# \xC3\xA9t\xC3\xA9\n" + Builtin();
  while (text.ends_with('\n')) text.pop_back();
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(Parsed(windows), BuiltinDescription());
  std::string bad = windows;
  bad.replace(bad.find("BLEN.value = 4"), 14, "BLEN.value = 0");
  EXPECT_EQ(ParseMachine(bad, "m.toml").status().message(),
            "m.toml:5:14: error: TRANSACTIONAL.CONFIG.BLEN.value = 0: must be at least 1 [CF012]\n"
            "    5 | BLEN.value = 0\n"
            "      |              ^");
}

TEST(MachineFiles, UnknownKeysMayBecomeWarnings) {
  MachineFileOptions options;
  options.allow_unknown_keys = true;
  const auto file = ParseMachine(Builtin() + "chanels = 3\n", "m.toml", options);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_EQ(RenderText(file->warnings[0]),
            "m.toml:83:1: warning: unknown key MOESCOPE.hbm.chanels; did you mean 'channels'? "
            "[CF005]\n   83 | chanels = 3\n      | ^\n");
}

TEST(MachineFiles, MissingKeysMayTakeTheBuiltInValue) {
  MachineFileOptions options;
  options.default_missing_keys = true;
  const auto file = ParseMachine("[TRANSACTIONAL.CONFIG]\nBLEN.value = 8\n", "m.toml", options);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->machine.shape.blen, 8u);
  EXPECT_EQ(file->machine.shape.mlen, 64u);
  const std::size_t required = static_cast<std::size_t>(
      std::ranges::count_if(emulator::MachineKeys(), [](const auto& key) { return key.required; }));
  EXPECT_EQ(file->warnings.size(), required - 1);
  EXPECT_EQ(file->warnings[0].message,
            "TRANSACTIONAL.CONFIG.HLEN.value: missing; the built-in machine's 16 is used");
}

TEST(MachineFiles, AtMostTwentyErrorsAreShownInOrderOfTheirPlaces) {
  const absl::Status status =
      ParseMachine("[TRANSACTIONAL.CONFIG]\nBLEN.value = 4\n", "m.toml").status();
  const std::vector<Diagnostic> errors = DiagnosticsOf(status);
  ASSERT_EQ(errors.size(), 20u);
  EXPECT_NE(status.message().find("more errors are not shown"), std::string::npos);
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_LE(errors[i - 1].location.line, errors[i].location.line);
  }
}

TEST(MachineFiles, CostsAreRead) {
  const MachineDescription machine =
      Parsed(Builtin() +
             "[MOESCOPE.timing.cost.M_MM]\nresult = \"B+4\"\ninterval = 9\nlabel = \"measured\"\n"
             "source = \"our synthesis run 12\"\n");
  ASSERT_EQ(machine.costs.size(), 1u);
  EXPECT_EQ(machine.costs[0],
            (emulator::CostOverride{"M_MM", "B+4", "9", "measured", "our synthesis run 12"}));
}

TEST(MachineFiles, AreLoadedByPathOrBuiltInName) {
  const std::string path = testing::TempDir() + "moescope_machine_test.toml";
  ASSERT_TRUE(WriteFile(path, Builtin()).ok());
  EXPECT_EQ(emulator::LoadMachine(path)->machine.name, "moescope_machine_test");
  std::filesystem::remove(path);
  const std::string missing(emulator::LoadMachine("plena-46").status().message());
  EXPECT_NE(missing.find("did you mean 'plena-64'? [CF001]"), std::string::npos) << missing;
  EXPECT_NE(emulator::LoadMachine("/").status().message().find("[CF001]"), std::string::npos);
  EXPECT_EQ(ParseMachine(std::string((1 << 20) + 1, '#'), "big.toml").status().message(),
            "big.toml: error: the file has 1048577 bytes; at most 1048576 are read [CF001]");
}

// Whatever stands in a file, it is read or refused.
TEST(MachineFiles, MutatedFilesNeverCrash) {
  std::mt19937 random(99);
  const std::string text = Builtin();
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string mutated = text;
    for (auto n = random() % 3 + 1; n > 0; --n) {
      const std::size_t at = random() % mutated.size();
      switch (random() % 4) {
        case 0:
          mutated[at] = static_cast<char>(random());
          break;
        case 1:
          mutated.erase(at, random() % 20);
          break;
        case 2:
          mutated.insert(at, 1, "=[]{}\"'.#\n0_-"[random() % 13]);
          break;
        default:
          mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 40));
      }
    }
    const auto file = ParseMachine(mutated, "m.toml");
    if (file.ok()) {
      ++accepted;
      EXPECT_TRUE(emulator::CheckMachine(file->machine).ok());
    } else {
      EXPECT_FALSE(DiagnosticsOf(file.status()).front().id.empty());
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(MachineOverrides, WinOverTheFile) {
  EXPECT_EQ(Overridden("BLEN=0x8").shape.blen, 8u);
  EXPECT_EQ(Overridden("TRANSACTIONAL.CONFIG.BLEN=16").shape.blen, 16u);
  EXPECT_EQ(Overridden("TRANSACTIONAL.CONFIG.BLEN.value=16").shape.blen, 16u);
  EXPECT_EQ(Overridden("HBM_SIZE=1G").memory.hbm_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(Overridden("hbm.channels=16").hbm.channels, 16u);
  EXPECT_EQ(Overridden("hbm.model=fast").hbm.model, emulator::HbmModelKind::kFast);
  EXPECT_TRUE(Overridden("strict_encoding=true").dialect.strict_encoding);
  EXPECT_EQ(Overridden("bmm_scale=0.5").dialect.bmm_scale, 0.5f);
  EXPECT_EQ(Overridden("DC_EN=0").dc_enabled, false);
  EXPECT_EQ(Overridden("serial.store_done=issued").serial.store_done_issued, true);
  EXPECT_EQ(Overridden("HBM_M_KV_TYPE=Plain BF16").formats.matrix_kv, isa::Plain(isa::kBf16));
  EXPECT_EQ(Overridden("HBM_M_KV_TYPE=Mx E2M1 block 32").formats.matrix_kv,
            isa::Mx(isa::kE2M1, 32));
}

TEST(MachineOverrides, AreRefusedWithTheirOwnText) {
  EXPECT_EQ(OverrideError("BLEN"), "--set BLEN: error: must be KEY=VALUE [CF008]");
  EXPECT_EQ(OverrideError("=4"), "--set =4: error: must be KEY=VALUE [CF008]");
  EXPECT_EQ(OverrideError("BLENN=4"),
            "--set BLENN=4: error: unknown key 'BLENN'; did you mean 'BLEN', 'HLEN' or 'MLEN'? "
            "[CF009]");
  EXPECT_EQ(OverrideError("VECTOR_ADD_CYCLES.dc=1"),
            "--set VECTOR_ADD_CYCLES.dc=1: error: unknown key 'VECTOR_ADD_CYCLES.dc' [CF009]");
  EXPECT_EQ(OverrideError("model=fast"),
            "--set model=fast: error: key 'model' is ambiguous: MOESCOPE.timing.model, "
            "MOESCOPE.hbm.model [CF010]");
  EXPECT_EQ(OverrideError("BLEN=four"),
            "--set BLEN=four: error: TRANSACTIONAL.CONFIG.BLEN.value = four: must be an integer "
            "[CF004]");
  EXPECT_EQ(OverrideError("BLEN=8G"),
            "--set BLEN=8G: error: TRANSACTIONAL.CONFIG.BLEN.value = 8G: must be at most "
            "4294967295 [CF013]");
  EXPECT_EQ(OverrideError("BLEN=5"),
            "--set BLEN=5: error: TRANSACTIONAL.CONFIG.BLEN.value = 5: must divide MLEN, which is "
            "64 [CF015]");
  EXPECT_EQ(OverrideError("refresh=yes"),
            "--set refresh=yes: error: MOESCOPE.hbm.refresh = yes: must be true or false [CF004]");
  EXPECT_EQ(OverrideError("hbm.model=slow"),
            "--set hbm.model=slow: error: MOESCOPE.hbm.model = slow: must be one of dram, fast, "
            "fixed [CF007]");
  EXPECT_EQ(OverrideError("bmm_scale=big"),
            "--set bmm_scale=big: error: MOESCOPE.bmm_scale = big: must be a number [CF004]");
  EXPECT_EQ(OverrideError("HBM_M_KV_TYPE=Mx E4M3"),
            "--set HBM_M_KV_TYPE=Mx E4M3: error: TRANSACTIONAL.PRECISION.HBM_M_KV_TYPE = Mx E4M3: "
            "must be like \"Plain BF16\" or \"Mx E4M3 block 8\" [CF004]");
  EXPECT_EQ(OverrideError("SCALAR_FP=Plain FP16"),
            "--set SCALAR_FP=Plain FP16: error: TRANSACTIONAL.PRECISION.SCALAR_FP = Plain FP16: "
            "must be Plain BF16 [CF016]");
}

TEST(MachineOverrides, TheReferenceDialectWinsOverTheFile) {
  MachineFileOptions options;
  options.reference_dialect = true;
  std::string text = Builtin();
  text.replace(text.find("convention = \"ocp\""), 18,
               "convention = \"ocp\"\nscale_rule = \"ceil\"");
  const MachineDescription machine = Parsed(text, options);
  EXPECT_EQ(machine.dialect.convention, isa::Convention::kReference);
  EXPECT_EQ(machine.dialect.scale_read, emulator::ScaleRead::kSingleBlock);
  options.overrides.push_back(*emulator::ParseOverride("--dialect", "scale_rule=even"));
  EXPECT_EQ(ParseMachine(text, "m.toml", options).status().message(),
            "--dialect scale_rule=even: error: MOESCOPE.scale_rule: cannot be set under convention "
            "= \"reference\", which has its own rule [CF018]");
}

TEST(EffectiveParameters, HoldEveryKeyOnceWithLabelAndSource) {
  const auto values = emulator::EffectiveParameters(MachineDescription{});
  EXPECT_EQ(values.size(), emulator::MachineKeys().size());
  std::set<std::string> keys;
  for (const emulator::EffectiveValue& value : values) {
    EXPECT_TRUE(keys.insert(value.key).second) << value.key;
    EXPECT_TRUE(value.has_label) << value.key;
    EXPECT_FALSE(value.source.empty()) << value.key;
  }
}

TEST(EffectiveParameters, FollowTheDescription) {
  MachineDescription machine = Overridden("BLEN=8");
  machine.dialect.convention = isa::Convention::kReference;
  machine.costs.push_back({"M_MM", "B+4", "9", "assumed", "a guess"});
  std::map<std::string, emulator::EffectiveValue> values;
  for (const auto& value : emulator::EffectiveParameters(machine)) values[value.key] = value;
  EXPECT_EQ(values["TRANSACTIONAL.CONFIG.BLEN"].integer, 8u);
  EXPECT_EQ(values["MOESCOPE.scale_rule"].text, "reference");
  EXPECT_EQ(values["MOESCOPE.bmm_scale"].text, "0.25");
  EXPECT_EQ(values["MOESCOPE.hbm.refresh"].kind, emulator::EffectiveValue::Kind::kBoolean);
  EXPECT_EQ(values["TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE"].text, "Mx E4M3 block 8");
  EXPECT_EQ(values["MOESCOPE.timing.cost.M_MM.result"].text, "B+4");
  EXPECT_EQ(values["MOESCOPE.timing.cost.M_MM.result"].label, emulator::CostClass::kAssumed);
}

TEST(CheckMachine, NamesTheFirstProblem) {
  MachineDescription machine;
  EXPECT_TRUE(emulator::CheckMachine(machine).ok());
  machine.shape.blen = 3;
  EXPECT_EQ(emulator::CheckMachine(machine).message(),
            "TRANSACTIONAL.CONFIG.BLEN.value = 3: must divide MLEN, which is 64 [CF015]");
  machine = {};
  machine.shape = {8192, 1, 8192, 1, 8192};
  machine.memory.vector_rows = 1024;
  machine.memory.matrix_rows = 8192;
  EXPECT_EQ(emulator::CheckMachine(machine).message(),
            "TRANSACTIONAL.CONFIG.BROADCAST_AMOUNT.value = 8192: times MLEN * MLEN accumulator "
            "elements is 549755813888, must be at most 268435456 [CF013]");
}

}  // namespace
}  // namespace moescope::test
