// The text of the public stage profiles: the member names, their order and the indent of the files
// that the PLENA emulator writes; numbers with a fraction as its JSON library prints them.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/string_view.h"
#include "profiler/report/float_text.h"
#include "profiler/report/formats.h"
#include "profiler/report/stage_profile.h"
#include "stages/stage.h"

namespace moescope::profiler {

namespace {

// Two-space indented JSON; the members are given in order.
class JsonText {
 public:
  JsonText() { Open("{"); }

  void Open(std::string_view bracket) {
    text_ += bracket;
    ++depth_;
    is_empty_ = true;
  }
  void OpenMember(std::string_view key) {
    Key(key);
    Open("{");
  }
  void Close() {
    --depth_;
    if (!is_empty_) NewLine();
    text_ += "}";
    is_empty_ = false;
  }
  void Member(std::string_view key, std::string_view value) {
    Key(key);
    text_ += value;
  }
  void Number(std::string_view key, const std::optional<std::uint64_t>& value) {
    Member(key, value ? std::to_string(*value) : "null");
  }
  void Float(std::string_view key, double value) { Member(key, ShortestFloat(value)); }
  // The texts of these files need no escapes.
  void Text(std::string_view key, std::string_view value) {
    Member(key, absl::StrCat("\"", Absl(value), "\""));
  }
  std::string Take() { return std::move(text_); }

 private:
  void NewLine() { absl::StrAppend(&text_, "\n", std::string(2 * depth_, ' ')); }
  void Key(std::string_view key) {
    if (!is_empty_) text_ += ",";
    is_empty_ = false;
    NewLine();
    absl::StrAppend(&text_, "\"", Absl(key), "\": ");
  }

  std::string text_;
  std::size_t depth_ = 0;
  bool is_empty_ = true;
};

double Fraction(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

class Exporter {
 public:
  Exporter(const Profile& profile, const PublicStages& stages, int version)
      : profile_(profile), stages_(stages), version_(version) {}

  std::string Write() {
    Head();
    out_.OpenMember("stages");
    for (std::size_t i = 0; i < stages_.names.size(); ++i) {
      out_.OpenMember(stages_.names[i]);
      Counters(stages_.stages[i], true);
      out_.Close();
    }
    out_.Close();
    out_.OpenMember("pairs");
    for (const auto& [number, pair] : stages_.pairs) Pair(number, pair);
    out_.Close();
    out_.Text("caveat", Caveat());
    out_.Close();
    return out_.Take();
  }

 private:
  double Seconds(std::uint64_t cycles) const {
    return static_cast<double>(cycles * profile_.machine.clock_period_ps) / 1e12;
  }

  void Head() {
    const PublicCounters& total = stages_.total;
    out_.Number("schema_version", static_cast<std::uint64_t>(version_));
    out_.Number("label_count", profile_.program.words);
    out_.Number("total_instructions_executed", total.instructions);
    if (version_ == 2) {
      const std::optional<std::uint64_t> simulated =
          profile_.complete ? std::optional(total.cycles) : std::nullopt;
      out_.Number("total_simulation_cycles", simulated);
      out_.Number("total_profiled_cycles", total.cycles);
      out_.Number("total_stage_wall_cycles", total.cycles);
      out_.Number("total_unprofiled_cycles", 0);
      out_.Text("cycle_accounting_status",
                simulated ? "profiled_cycles_match_total" : "total_simulation_cycles_unset");
    }
    out_.Float("total_profiled_seconds", Seconds(total.cycles));
    out_.Number("total_hbm_bytes_read", total.physical_read);
    out_.Number("total_hbm_bytes_written", total.physical_written);
    if (version_ == 1) return;
    Proxy("total_resource_proxy_cycles", total);
    out_.Text("logical_byte_status", "payload bytes that the instructions asked for");
    out_.Text("physical_byte_status", "64-byte lines that the HBM model moved");
    out_.Text("resource_cycle_status",
              "cycles by the class of the opcode; not busy cycles of units");
  }

  void Counters(const PublicCounters& counters, bool with_fractions) {
    const PublicCounters& total = stages_.total;
    const double seconds = Seconds(counters.cycles);
    out_.Number("instructions", counters.instructions);
    if (version_ == 2) out_.Number("wall_cycles", counters.cycles);
    out_.Float("seconds", seconds);
    if (with_fractions) {
      out_.Float("instruction_fraction", Fraction(static_cast<double>(counters.instructions),
                                                  static_cast<double>(total.instructions)));
      out_.Float("time_fraction", Fraction(seconds, Seconds(total.cycles)));
      if (version_ == 2) {
        out_.Float("cycle_fraction", Fraction(static_cast<double>(counters.cycles),
                                              static_cast<double>(total.cycles)));
      }
    }
    if (version_ == 2) {
      out_.Number("logical_bytes_read", counters.logical_read);
      out_.Number("logical_bytes_written", counters.logical_written);
      out_.Number("physical_hbm_bytes_read", counters.physical_read);
      out_.Number("physical_hbm_bytes_written", counters.physical_written);
    }
    out_.Number("hbm_bytes_read", counters.physical_read);
    out_.Number("hbm_bytes_written", counters.physical_written);
    if (version_ == 2) Proxy("resource_proxy_cycles", counters);
  }

  void Proxy(std::string_view key, const PublicCounters& counters) {
    const auto value = [&](std::size_t i) {
      return counters.proxy ? std::optional((*counters.proxy)[i]) : std::nullopt;
    };
    out_.OpenMember(key);
    out_.Number("matrix", value(0));
    out_.Number("vector", value(1));
    out_.Number("scalar", value(2));
    out_.Number("dma", value(3));
    out_.Number("ramulator_proxy", value(3));
    out_.Number("other", value(4));
    out_.Close();
  }

  void Pair(std::uint64_t number, const PublicStages::Pair& pair) {
    out_.OpenMember(std::to_string(number));
    Counters(pair.total, false);
    out_.OpenMember("stages");
    for (std::size_t i = 0; i < stages_.names.size(); ++i) {
      out_.OpenMember(stages_.names[i]);
      Counters(pair.stages[i], false);
      out_.Close();
    }
    out_.Close();
    out_.Close();
  }

  std::string Caveat() const {
    std::string text(stages::kSharedVersusRoutedCaveat);
    if (stages_.folded.empty()) return text;
    return absl::StrCat(text, " Counted in 'other' unless said otherwise: ",
                        absl::StrJoin(stages_.folded, ", "), ".");
  }

  const Profile& profile_;
  const PublicStages& stages_;
  int version_;
  JsonText out_;
};

absl::StatusOr<std::string> Export(const Profile& profile, bool all_stages, const PcTable* table,
                                   int version) {
  ASSIGN_OR_RETURN(const PublicStages stages, FoldStages(profile, all_stages, table));
  return Exporter(profile, stages, version).Write();
}

}  // namespace

absl::StatusOr<std::string> StageProfileV1(const Profile& profile, bool all_stages,
                                           const PcTable* table) {
  return Export(profile, all_stages, table, 1);
}

absl::StatusOr<std::string> StageProfileV2(const Profile& profile, bool all_stages,
                                           const PcTable* table) {
  return Export(profile, all_stages, table, 2);
}

}  // namespace moescope::profiler
