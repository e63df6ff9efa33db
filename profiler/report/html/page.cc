#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "profiler/ratio.h"
#include "profiler/report/formats.h"
#include "profiler/report/html/markup.h"
#include "profiler/report/html/plots.h"
#include "profiler/report/number_text.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

namespace {

constexpr char kStyle[] =
    R"(:root{--ink:#1b1f24;--paper:#fff;--soft:#5b6570;--line:#d8dee4;--track:#eef1f4}
@media (prefers-color-scheme:dark){
:root{--ink:#e6e9ec;--paper:#15181c;--soft:#9aa4ae;--line:#343b43;--track:#252b31}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:64rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin-bottom:.2rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;
vertical-align:top}
th{font-weight:600;color:var(--soft)}.l{text-align:left}td.l{overflow-wrap:anywhere}
.scroll{overflow-x:auto}code{font:13px ui-monospace,monospace}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
.axis{stroke:var(--soft)}.grid{stroke:var(--line)}.roof{stroke:#e15759;stroke-width:2}
.legend{color:var(--soft);font-size:13px;margin:.3rem 0}.key{margin-right:1em;white-space:nowrap}
.key i{display:inline-block;width:.8em;height:.8em;margin-right:.35em}
blockquote{border-left:4px solid #f28e2b;margin:1rem 0;padding:.2rem 1rem}
)";

// A run of the report, and its name when there are two.
struct Run {
  const Profile& profile;
  std::string name;
};

std::string TableMarkup(const Table& table) {
  std::string text = "<div class=\"scroll\"><table>\n<tr>";
  const auto cell = [&](const char* tag, std::size_t column, const std::string& content) {
    const bool left = table.columns()[column].align == Table::Align::kLeft;
    absl::StrAppend(&text, "<", tag, left ? " class=\"l\">" : ">", Escape(content), "</", tag, ">");
  };
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    cell("th", c, table.columns()[c].title);
  }
  text += "</tr>\n";
  for (const auto& row : table.rows()) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) cell("td", c, row[c]);
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

Table ConfigurationTable(const Profile& profile) {
  Table table({{"fact", Table::Align::kLeft}, {"value", Table::Align::kLeft}});
  for (const auto& [name, value] : Facts(profile)) table.AddRow({name, value});
  table.AddRow({"program hash", profile.program.sha256});
  table.AddRow({"stage table hash", profile.program.stage_table_sha256});
  table.AddRow({"machine hash", profile.machine.sha256});
  table.AddRow(
      {"ISA", absl::StrCat(profile.isa.name, " ", profile.isa.version, ", ", profile.isa.sha256)});
  for (const Image& image : profile.images) {
    table.AddRow({absl::StrCat("image ", image.target),
                  absl::StrCat(Thousands(image.bytes), " bytes, ", image.sha256)});
  }
  table.AddRow({"profile hash", profile.profile_sha256});
  return table;
}

Table OpcodeTable(const Profile& profile) {
  Table table({{"instruction", Table::Align::kLeft},
               {"group", Table::Align::kLeft},
               {"executed"},
               {"cycles"},
               {"share"},
               {"waiting"}});
  for (const OpcodeEntry& opcode : profile.opcodes) {
    table.AddRow({opcode.mnemonic, opcode.group, Thousands(opcode.instructions),
                  Thousands(opcode.cycles),
                  Percent(Ppm(opcode.cycles, profile.totals.counters.cycles)),
                  opcode.wait_cycles ? Thousands(*opcode.wait_cycles) : "-"});
  }
  return table;
}

// A line of a source file, cut where it is too long for a table.
std::string SourceLine(std::string_view line) {
  constexpr std::size_t kMaximum = 160;
  if (line.size() <= kMaximum) return std::string(line);
  std::size_t end = kMaximum;
  while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // inside a character
  return absl::StrCat(Absl(line.substr(0, end)), "…");
}

// Hot words; with the source text, the line each comes from.
Table HotTable(const Profile& profile, const std::vector<std::string>& source) {
  Table table({{"pc"},
               {"cycles"},
               {"executed"},
               {"stage", Table::Align::kLeft},
               {"top reason", Table::Align::kLeft},
               {"instruction", Table::Align::kLeft},
               {"source", Table::Align::kLeft}});
  for (const HotRow& row : profile.hot) {
    std::string place = row.file.value_or("-");
    if (row.line) absl::StrAppend(&place, ":", *row.line);
    if (row.line && *row.line >= 1 && *row.line <= source.size()) {
      absl::StrAppend(&place, "  ", SourceLine(source[*row.line - 1]));
    }
    table.AddRow({Thousands(row.pc), Thousands(row.cycles), Thousands(row.instructions), row.stage,
                  row.top_reason.value_or("-"), row.text, place});
  }
  return table;
}

Table CoverageTable(const Profile& profile) {
  Table table({{"class", Table::Align::kLeft}, {"instructions"}, {"cycles"}, {"share"}});
  const std::vector<Work>& classes = profile.model.coverage->classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    table.AddRow({std::string(emulator::kCostClassNames[i]), Thousands(classes[i].instructions),
                  Thousands(classes[i].cycles),
                  Percent(Ppm(classes[i].cycles, profile.totals.counters.cycles))});
  }
  return table;
}

std::string CoverageMarkup(const Profile& profile) {
  std::string text = Element("p", Escape(CoverageText(profile)));
  if (profile.model.coverage) text += TableMarkup(CoverageTable(profile));
  std::vector<std::string> weak;
  for (const WeakOpcode& opcode : profile.model.weak_opcodes) {
    weak.push_back(absl::StrCat(opcode.mnemonic, " (", opcode.cost_class, ")"));
  }
  const auto list = [&](const char* title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    text += Element("p", absl::StrCat(title, ": ", Escape(absl::StrJoin(items, ", "))));
  };
  list("Assumptions in force", profile.model.assumptions);
  list("Executed instructions with a weaker cost than derived", weak);
  for (const Law& law : profile.model.laws) {
    text += Element("p", absl::StrCat("Law ", Escape(law.name), ": ", Escape(law.shapes)));
  }
  for (const std::string& entry : NotMeasuredTexts(profile)) {
    text += Element("p", absl::StrCat("Not measured: ", Escape(entry)));
  }
  return text;
}

// A section with one part per run; left out when all are empty.
template <typename Part>
void Section(std::string& page, std::string_view title, const std::vector<Run>& runs, Part part) {
  std::string body;
  for (const Run& run : runs) {
    const std::string content = part(run.profile);
    if (content.empty()) continue;
    if (!run.name.empty()) body += Element("h3", Escape(run.name));
    body += content;
  }
  if (body.empty()) return;
  absl::StrAppend(&page, Element("h2", Escape(title)), "\n", body);
}

}  // namespace

std::string HtmlReport(const Profile& profile, const std::optional<std::string>& source,
                       const Profile* compare) {
  std::vector<Run> runs = {{profile, compare == nullptr ? "" : "A"}};
  if (compare != nullptr) runs.push_back({*compare, "B"});
  std::vector<std::string> lines;
  if (source) lines = absl::StrSplit(*source, '\n');

  std::string page = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>Cycle profile</title>\n<style>\n",
      kStyle, "</style>\n</head>\n<body>\n<h1>Cycle profile</h1>\n");
  for (const Run& run : runs) {
    absl::StrAppend(&page, "<p>", run.name, run.name.empty() ? "" : ": ",
                    Escape(TotalsText(run.profile)), "; run ", Escape(EndText(run.profile)),
                    "</p>\n");
    for (const std::string& note : Notes(run.profile)) {
      page += Element("p", absl::StrCat("Note: ", Escape(note)));
    }
  }
  Section(page, "Stages", runs, [](const Profile& p) { return TableMarkup(StageTable(p)); });
  absl::StrAppend(&page, Element("blockquote", Escape(profile.caveat)), "\n");
  Section(page, "Reasons per stage", runs, ReasonsPlot);
  Section(page, "Busy units", runs, UnitsPlot);
  Section(page, "Stages over time", runs, TimelinePlot);
  Section(page, "HBM bandwidth over time", runs, BandwidthPlot);
  Section(page, "Roofline", runs, RooflinePlot);
  Section(page, "Pairs and experts", runs, HeatMaps);
  Section(page, "Hot instructions", runs,
          [&](const Profile& p) { return TableMarkup(HotTable(p, lines)); });
  Section(page, "Instructions by mnemonic", runs,
          [](const Profile& p) { return TableMarkup(OpcodeTable(p)); });
  Section(page, "Coverage and assumptions", runs, CoverageMarkup);
  Section(page, "Configuration", runs,
          [](const Profile& p) { return TableMarkup(ConfigurationTable(p)); });
  return page + "</body>\n</html>\n";
}

}  // namespace moescope::profiler
