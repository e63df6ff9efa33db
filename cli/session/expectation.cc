#include "cli/session/expectation.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/session/memory_reader.h"
#include "emulator/dumps.h"

namespace moescope::session {

namespace {

std::size_t BytesPerFileElement(Memory memory) { return memory == Memory::kHbm ? 1 : 4; }

// The values of a file: f32, u32 for intsram, bytes for hbm; little-endian.
absl::StatusOr<std::vector<double>> ReadValues(const std::string& path, Memory memory) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  const std::size_t width = BytesPerFileElement(memory);
  if (bytes.empty() || bytes.size() % width != 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected values '", path, "': ", bytes.size(),
                                                   " bytes are no whole number of elements of ",
                                                   width, " bytes"));
  }
  std::vector<double> values;
  values.reserve(bytes.size() / width);
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < width; ++i) {
      word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    const bool is_float = memory != Memory::kHbm && memory != Memory::kIntSram;
    values.push_back(is_float ? static_cast<double>(std::bit_cast<float>(word)) : word);
  }
  return values;
}

std::uint64_t AddressOf(const MemoryExpectation& expected, std::size_t index, std::uint64_t vlen) {
  if (!expected.matrix) return expected.address + index;
  const MatrixPlace& place = *expected.matrix;
  const std::uint64_t row = index / place.columns;
  const std::uint64_t column = index % place.columns;
  return place.base + (column / vlen * place.physical_rows + row) * vlen + column % vlen;
}

std::string NameOf(const MemoryExpectation& expected) {
  const std::string_view space = emulator::DumpTargetName(expected.space);
  return expected.matrix ? absl::StrCat(Absl(space), " matrix at ", expected.matrix->base)
                         : absl::StrCat(Absl(space), " at ", expected.address);
}

std::string ElementName(const MemoryExpectation& expected, std::size_t index) {
  if (!expected.matrix) return absl::StrCat("[", index, "]");
  return absl::StrCat("[", index / expected.matrix->columns, "][", index % expected.matrix->columns,
                      "]");
}

ExpectationResult Compared(std::string name, std::uint64_t expected, std::uint64_t actual) {
  if (expected == actual) return {std::move(name), true, absl::StrCat("= ", actual)};
  return {std::move(name), false, absl::StrCat("expected ", expected, ", got ", actual)};
}

std::optional<std::uint64_t> CounterOf(const profiler::CounterBlock& counters,
                                       std::string_view name) {
  if (name == "cycles") return counters.cycles;
  if (name == "instructions") return counters.instructions;
  if (name == "hbm_read_logical_bytes") return counters.read.logical_bytes;
  if (name == "hbm_read_physical_bytes") return counters.read.physical_bytes;
  if (name == "hbm_write_logical_bytes") return counters.write.logical_bytes;
  if (name == "hbm_write_physical_bytes") return counters.write.physical_bytes;
  return std::nullopt;
}

void EvaluateStage(const profiler::Profile& profile, const std::string& stage,
                   const std::vector<MetricExpectation>& metrics,
                   std::vector<ExpectationResult>& results) {
  const profiler::StageEntry* entry = profiler::FindStage(profile, stage);
  for (const MetricExpectation& metric : metrics) {
    const std::string name = absl::StrCat("stages.", stage, ".", metric.name);
    if (entry == nullptr) {
      results.push_back(
          {name, false,
           absl::StrCat("expected ", metric.value, ", but the program does not mark this stage")});
      continue;
    }
    std::optional<std::uint64_t> actual = CounterOf(entry->counters, metric.name);
    if (metric.name == "static_instructions") actual = entry->static_instructions;
    if (metric.name == "calls") actual = entry->calls;
    CHECK(actual.has_value());
    results.push_back(Compared(name, metric.value, *actual));
  }
}

// Compares element by element and keeps what a message needs.
class MemoryComparison {
 public:
  MemoryComparison(const MemoryReader& reader, const Comparison& compare)
      : reader_(reader), compare_(compare) {}

  void Add(std::size_t index, double expected, std::uint32_t actual) {
    const std::uint32_t wanted = reader_.BitsOf(expected);
    const double value = reader_.ValueOf(actual);
    const double exact = reader_.ValueOf(wanted);
    const double error = std::isnan(value) && std::isnan(exact) ? 0 : value - exact;
    squared_error_ += error * error;
    squared_expected_ += std::isnan(exact) ? 0 : exact * exact;
    ++count_;
    if (IsEqual(wanted, actual, error, exact)) return;
    if (differing_++ == 0) first_ = index, wanted_ = wanted, actual_ = actual;
  }

  bool passed() const {
    if (compare_.kind != Comparison::Kind::kRelativeRms) return differing_ == 0;
    const double allowed = compare_.rel_rms_ppm * 1e-6;
    return squared_error_ <= allowed * allowed * squared_expected_;
  }

  std::string Detail(const MemoryExpectation& expected) const {
    if (compare_.kind == Comparison::Kind::kRelativeRms) {
      const double rms = std::sqrt(squared_error_ / squared_expected_);
      return squared_expected_ == 0 && squared_error_ == 0
                 ? std::string("relative RMS 0%")
                 : absl::StrFormat("relative RMS %.4f%% of at most %.4f%%", rms * 100,
                                   compare_.rel_rms_ppm * 1e-4);
    }
    if (differing_ == 0) return absl::StrCat("= ", count_, count_ == 1 ? " value" : " values");
    return absl::StrCat(ElementName(expected, first_), ": expected ", reader_.Shown(wanted_),
                        ", got ", reader_.Shown(actual_), "; ", differing_, " of ", count_,
                        " differ");
  }

 private:
  bool IsEqual(std::uint32_t wanted, std::uint32_t actual, double error, double exact) const {
    switch (compare_.kind) {
      case Comparison::Kind::kExact:
        // A NaN has many codes; which one is no property of a result.
        return wanted == actual ||
               (std::isnan(reader_.ValueOf(wanted)) && std::isnan(reader_.ValueOf(actual)));
      case Comparison::Kind::kUlp:
        return reader_.Distance(wanted, actual) <= compare_.ulp;
      case Comparison::Kind::kAbsolute:
        return wanted == actual ||
               std::abs(error) <= compare_.absolute + compare_.relative * std::abs(exact);
      case Comparison::Kind::kRelativeRms:
        break;
    }
    return true;
  }

  const MemoryReader& reader_;
  const Comparison& compare_;
  std::size_t count_ = 0;
  std::size_t differing_ = 0;
  std::size_t first_ = 0;
  std::uint32_t wanted_ = 0;
  std::uint32_t actual_ = 0;
  double squared_error_ = 0;
  double squared_expected_ = 0;
};

ExpectationResult EvaluateMemory(const MemoryExpectation& expected,
                                 const std::vector<double>& values,
                                 const emulator::MachineState& state,
                                 const emulator::MachineDescription& machine) {
  const std::string name = NameOf(expected);
  if (expected.matrix && values.size() != expected.matrix->rows * expected.matrix->columns) {
    return {name, false,
            absl::StrCat(expected.matrix->rows, " x ", expected.matrix->columns,
                         " elements are to be compared, but ", values.size(), " are given")};
  }
  const MemoryReader reader(state, expected.space);
  MemoryComparison comparison(reader, expected.compare);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t address = AddressOf(expected, i, machine.shape.vlen);
    if (address >= reader.size() || address < expected.address) {
      return {name, false,
              absl::StrCat("element ", ElementName(expected, i), " at address ", address,
                           " lies beyond the memory of ", reader.size(), " elements")};
    }
    comparison.Add(i, values[i], reader.Bits(address));
  }
  return {name, comparison.passed(), comparison.Detail(expected)};
}

}  // namespace

absl::StatusOr<PreparedExpectations> PreparedExpectations::Prepare(const Expectations& expect) {
  PreparedExpectations prepared;
  prepared.expect_ = expect;
  for (const MemoryExpectation& memory : expect.memory) {
    if (memory.file.empty()) {
      prepared.values_.push_back(memory.values);
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<double> values, ReadValues(memory.file, memory.space));
    prepared.values_.push_back(std::move(values));
  }
  return prepared;
}

absl::StatusOr<std::vector<ExpectationResult>> PreparedExpectations::Evaluate(
    const profiler::Profile& profile, const emulator::MachineState& state,
    const emulator::MachineDescription& machine) const {
  std::vector<ExpectationResult> results;
  if (expect_.end) {
    const std::string& actual = profile.end.reason;
    const bool passed = *expect_.end == actual;
    results.push_back({"end", passed,
                       passed ? absl::StrCat("= ", actual)
                              : absl::StrCat("expected ", *expect_.end, ", got ", actual)});
  }
  for (const MetricExpectation& metric : expect_.totals) {
    std::optional<std::uint64_t> actual = CounterOf(profile.totals.counters, metric.name);
    if (metric.name == "static_instructions") actual = profile.totals.static_instructions;
    CHECK(actual.has_value());
    results.push_back(Compared(metric.name, metric.value, *actual));
  }
  for (const auto& [stage, metrics] : expect_.stages) {
    EvaluateStage(profile, stage, metrics, results);
  }
  for (std::size_t i = 0; i < expect_.memory.size(); ++i) {
    results.push_back(EvaluateMemory(expect_.memory[i], values_[i], state, machine));
  }
  for (const auto& [memory, hash] : expect_.sha256) {
    ASSIGN_OR_RETURN(const emulator::DumpRecord record,
                     emulator::DescribeDump(state, machine, {memory, std::nullopt}));
    const bool passed = record.sha256 == hash;
    results.push_back({absl::StrCat("sha256.", Absl(emulator::DumpTargetName(memory))), passed,
                       passed ? absl::StrCat("= ", hash)
                              : absl::StrCat("expected ", hash, ", got ", record.sha256)});
  }
  return results;
}

std::string ExpectationLines(std::span<const ExpectationResult> results) {
  std::string text;
  for (const ExpectationResult& result : results) {
    absl::StrAppend(&text, result.passed ? "passed: " : "FAILED: ", result.name,
                    result.passed ? " " : ": ", result.detail, "\n");
  }
  return text;
}

std::string ExpectationsJunit(std::span<const ExpectationResult> results) {
  const auto escaped = [](const std::string& text) {
    return absl::StrReplaceAll(text,
                               {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
  };
  std::size_t failures = 0;
  std::string cases;
  for (const ExpectationResult& result : results) {
    absl::StrAppend(&cases, "  <testcase classname=\"moescope.run\" name=\"", escaped(result.name),
                    "\"");
    if (result.passed) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    absl::StrAppend(&cases, ">\n    <failure message=\"", escaped(result.detail),
                    "\"/>\n  </testcase>\n");
  }
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"moescope run\" tests=\"",
      results.size(), "\" failures=\"", failures, "\">\n", cases, "</testsuite>\n");
}

}  // namespace moescope::session
