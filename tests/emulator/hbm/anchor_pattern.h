#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/hbm/line_plan.h"

// The pattern language of hbm_anchors.tsv.

namespace moescope::emulator {

struct AnchorStep {
  enum class Kind { kIdle, kRead, kWrite, kStore } kind = Kind::kRead;
  DramClock idle = 0;
  std::vector<PlannedLine> lines;  // kRead, kWrite
  HbmTransfer transfer;            // kStore
};

struct AnchorPattern {
  std::vector<AnchorStep> steps;
  bool has_engine = false;
  std::uint64_t lines_per_clock = 0;
  std::uint64_t outstanding = 0;
};

inline std::map<std::string, std::string> AnchorFields(const std::string& text) {
  std::map<std::string, std::string> fields;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) fields[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return fields;
}

inline std::vector<PlannedLine> LinesAt(const std::vector<std::uint64_t>& addresses) {
  std::vector<PlannedLine> lines;
  for (const std::uint64_t address : addresses) {
    lines.push_back({.line = address / kLineBytes, .covered = ~std::uint64_t{0}});
  }
  return lines;
}

inline HbmTransfer AnchorTransfer(const std::map<std::string, std::string>& fields,
                                  std::uint64_t tile) {
  const auto number = [&fields](const char* key) {
    return static_cast<std::uint64_t>(std::stoull(fields.at(key)));
  };
  HbmTransfer transfer{.rows = static_cast<std::uint32_t>(number("rows"))};
  transfer.element_bytes = static_cast<std::uint32_t>(number("row_bytes"));
  transfer.element_step = number("stride");
  transfer.scale_bytes = static_cast<std::uint32_t>(number("scale_bytes"));
  transfer.element_address = 4096 * tile;
  if (fields.count("scale_base") != 0) {
    transfer.scale_address = number("scale_base");
    transfer.scale_step = fields.count("scale_stride") != 0 ? number("scale_stride") : 8;
  } else {  // the rows of 16 tiles
    transfer.scale_address = 1048576 + (fields.at("plan") == "merged" ? 512 * tile : 0);
    transfer.scale_step = number("scale_bytes");
  }
  return transfer;
}

inline std::vector<std::uint64_t> GatherAddresses(const std::string& text) {
  const auto fields = AnchorFields(text);
  std::vector<std::uint64_t> addresses;
  const std::uint64_t count = std::stoull(fields.at("lines"));
  if (text.find("x0=") != std::string::npos) {
    std::uint64_t x = 12345;
    for (std::uint64_t i = 0; i < count; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      addresses.push_back((x >> 20) % (std::uint64_t{1} << 30) / 64 * 64);
    }
    return addresses;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    addresses.push_back(std::stoull(fields.at("base")) + i * std::stoull(fields.at("step")));
  }
  return addresses;
}

inline AnchorStep ParseAnchorStep(const std::string& text, std::uint64_t tile) {
  AnchorStep step;
  std::istringstream words(text);
  std::string verb;
  words >> verb;
  if (verb == "idle") {
    step.kind = AnchorStep::Kind::kIdle;
    words >> step.idle;
  } else if (verb == "read" || verb == "write") {
    std::uint64_t address = 0;
    words >> address;
    step.kind = verb == "read" ? AnchorStep::Kind::kRead : AnchorStep::Kind::kWrite;
    step.lines = LinesAt({address});
  } else if (verb == "gather") {
    step.lines = LinesAt(GatherAddresses(text));
  } else {
    const auto fields = AnchorFields(text);
    step.transfer = AnchorTransfer(fields, tile);
    if (verb == "store") {
      step.kind = AnchorStep::Kind::kStore;
      step.transfer.is_store = true;
      return step;
    }
    LinePlan plan;
    plan.Build(step.transfer,
               fields.at("plan") == "merged" ? PlanOrder::kMerged : PlanOrder::kLegacy,
               ScaleRead::kComplete);
    step.lines.assign(plan.lines().begin(), plan.lines().end());
  }
  return step;
}

inline AnchorPattern ParseAnchorPattern(std::string text) {
  AnchorPattern pattern;
  if (const std::size_t engine = text.find(", engine:"); engine != std::string::npos) {
    pattern.has_engine = true;
    std::istringstream words(text.substr(engine + 9));
    std::string ignored;
    words >> pattern.lines_per_clock >> ignored >> ignored >> ignored >> pattern.outstanding;
    text.resize(engine);
  }
  if (text.rfind("16 x (", 0) == 0) {
    const std::string tile = text.substr(6, text.find(')') - 6);
    for (std::uint64_t k = 0; k < 16; ++k) pattern.steps.push_back(ParseAnchorStep(tile, k));
    return pattern;
  }
  if (text.rfind("gather lines=1024", 0) == 0) {
    pattern.steps.push_back(ParseAnchorStep(text, 0));
    return pattern;
  }
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    pattern.steps.push_back(ParseAnchorStep(part, 0));
  }
  return pattern;
}

}  // namespace moescope::emulator
