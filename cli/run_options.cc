#include "cli/run_options.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/machine_options.h"
#include "cli/request_options.h"
#include "cli/session/number.h"
#include "cli/session/plena_compat.h"
#include "cli/shared_options.h"
#include "emulator/dumps.h"

namespace moescope::cli {

namespace {

using session::UsageError;

constexpr Option kOptions[] = {
    {.name = "opcode",
     .value = "FILE",
     .description = "The program: assembly, a container, or words.",
     .example = "moescope run --opcode=layer.asm"},
    {.name = "hbm",
     .value = "FILE",
     .description = "Image of HBM from address 0.",
     .example = "moescope run --opcode=layer.asm --hbm=hbm.bin"},
    {.name = "vram",
     .value = "FILE",
     .description = "Image of VRAM: bf16 from element 0.",
     .example = "moescope run --opcode=layer.asm --vram=vram.bin"},
    {.name = "fpsram",
     .value = "FILE",
     .description = "Image of FP_MEM: little-endian fp16.",
     .example = "moescope run --opcode=layer.asm --fpsram=fp.bin"},
    {.name = "fpsram-format",
     .value = "TYPE",
     .description = "Elements of the FP_MEM image.",
     .example = "moescope run --opcode=layer.asm --fpsram=fp.bin --fpsram-format=bf16",
     .choices = "fp16|bf16"},
    {.name = "intsram",
     .value = "FILE",
     .description = "Image of INT_MEM: little-endian 32-bit words.",
     .example = "moescope run --opcode=layer.asm --intsram=int.bin"},
    {.name = "hbm-size",
     .value = "SIZE",
     .description = "HBM capacity in bytes, a multiple of 64.",
     .example = "moescope run run.json --hbm-size=16G"},
    {.name = "machine",
     .value = "FILE",
     .description = "Machine file, or the name of a shipped machine.",
     .example = "moescope run run.json --machine=rtl-8"},
    {.name = "settings",
     .value = "FILE",
     .description = "The same as --machine.",
     .example = "moescope run --opcode=layer.mem --settings=plena_settings.toml"},
    SettingsFallbackOption("moescope run run.json --settings-fallback=defaults"),
    AllowUnknownKeysOption("moescope run run.json --allow-unknown-keys"),
    SetOption("moescope run run.json --set=hbm.channels=16"),
    TimingOption("moescope run run.json --timing=serial"),
    DialectOption("moescope run run.json --dialect=masked_reduction=reference"),
    StrictEncodingOption("moescope run run.json --strict-encoding"),
    {.name = "sanitize",
     .description = "Faults when the program reads a value that nothing wrote.",
     .example = "moescope run run.json --sanitize"},
    {.name = "compat",
     .value = "TOOL",
     .description =
         "Behaves like another emulator where no other option says otherwise: serial "
         "timing, reference dialect, all dumps but hbm, and its lines on standard error.",
     .example = "moescope run --compat=plena --opcode=layer.mem --hbm=hbm.bin",
     .choices = "plena"},
    {.name = "profile",
     .value = "FILE",
     .description = "Writes the profile; '-' is standard output.",
     .example = "moescope run run.json --profile=p.json"},
    {.name = "label",
     .value = "KEY=VALUE",
     .description = "Adds a label to the profile.",
     .example = "moescope run run.json --profile=p.json --label=build=42",
     .repeatable = true},
    {.name = "hot",
     .value = "N",
     .description = "Rows of the profile's list of hot instructions.",
     .example = "moescope run run.json --profile=p.json --hot=50"},
    {.name = "host-stats",
     .description =
         "Adds wall time and host speed to the profile, which then differs between runs.",
     .example = "moescope run run.json --profile=p.json --host-stats"},
    {.name = "pc-table",
     .value = "FILE",
     .description =
         "Writes instructions and cycles per word as CSV, for 'report --format=annotated'.",
     .example = "moescope run run.json --profile=p.json --pc-table=pc.csv"},
    {.name = "stages",
     .value = "FILE",
     .description = "Takes the stage table of bare words from a .stages.json file.",
     .example = "moescope run --opcode=layer.mem --stages=layer.stages.json"},
    IsaOption("moescope run run.json --isa=isa.json"),
    ForceIsaOption("moescope run --opcode=layer.moe --force-isa"),
    StageVocabularyOption("moescope run run.json --stage-vocabulary=decoder"),
    StageErrorsOption("moescope run run.json --stage-errors=warn"),
    IncludeOption("moescope run --opcode=layer.asm -I include"),
    DefineOption("moescope run --opcode=layer.asm -D TOKENS=4"),
    {.name = "stage-profile-asm",
     .value = "FILE",
     .description =
         "Takes the stages from this assembly of the program: its markers, or without any "
         "its comments.",
     .example = "moescope run --opcode=layer.mem --stage-profile-asm=layer.asm"},
    {.name = "stage-profile-out",
     .value = "FILE",
     .description = "Writes the stage profile of the public emulator.",
     .example = "moescope run --opcode=layer.asm --stage-profile-out=stages.json"},
    {.name = "stage-profile-version",
     .value = "N",
     .description = "Version of that file.",
     .example =
         "moescope run --opcode=layer.asm --stage-profile-out=s.json --stage-profile-version=2",
     .choices = "1|2"},
    {.name = "require-coverage",
     .value = "CLASS",
     .description = "Fails when an executed instruction has a cost of a worse class.",
     .example = "moescope run run.json --require-coverage=derived",
     .choices = "measured|derived|extrapolated|assumed"},
    {.name = "max-unattributed",
     .value = "P%",
     .description = "Fails when a larger share of the executed instructions belongs to no stage.",
     .example = "moescope run run.json --max-unattributed=1%"},
    {.name = "expect-report",
     .value = "FILE",
     .description =
         "Writes the results of the manifest's expectations; JUnit when FILE ends in .xml, "
         "else JSON.",
     .example = "moescope run run.json --expect-report=results.xml"},
    {.name = "dump",
     .value = "LIST",
     .description = "Writes memories after the run, and dump_manifest.json.",
     .example = "moescope run run.json --dump=vram,registers",
     .choices = "vram|mram|fpsram|intsram|hbm|registers",
     .list = true,
     .repeatable = true},
    {.name = "dump-range",
     .value = "MEMORY:FIRST..LAST",
     .description =
         "Writes only these rows (vram), tiles (mram), words or bytes, both ends included.",
     .example = "moescope run run.json --dump-range=vram:0..63",
     .repeatable = true},
    {.name = "dump-dir",
     .value = "FOLDER",
     .description = "Where dumps go; the default is the current folder.",
     .example = "moescope run run.json --dump=vram --dump-dir=out"},
    {.name = "sparse",
     .description = "Leaves holes in dumps where memory was never touched.",
     .example = "moescope run run.json --dump=hbm --sparse"},
    {.name = "max-cycles",
     .value = "N",
     .description = "Ends the run before the first instruction at which N cycles have passed.",
     .example = "moescope run run.json --max-cycles=1_000_000"},
    {.name = "max-instructions",
     .value = "N",
     .description = "Ends the run after N instructions.",
     .example = "moescope run run.json --max-instructions=1M"},
    {.name = "timeout",
     .value = "SECONDS",
     .description = "Ends the run after this host time.",
     .example = "moescope run run.json --timeout=60"},
    {.name = "expect-profile",
     .value = "FILE",
     .description = "An earlier profile of the program, for the percentage of the progress line.",
     .example = "moescope run run.json --expect-profile=p.json"},
    {.name = "no-progress",
     .description = "Draws no progress line.",
     .example = "moescope run run.json --no-progress"},
    {.name = "jobs",
     .letter = 'j',
     .value = "N",
     .description = "Runs N manifests at the same time; the output keeps their order.",
     .example = "moescope run a.json b.json --jobs=2"},
    {.name = "log-level",
     .value = "LEVEL",
     .description = "What is logged: files and configuration (info), HBM transfers (debug), every "
                    "instruction (trace).",
     .example = "moescope run run.json --log-level=info",
     .choices = "trace|debug|info|warn|error|off"},
    {.name = "log-file",
     .value = "FILE",
     .description = "Logs to this file instead of standard error.",
     .example = "moescope run run.json --log-level=debug --log-file=run.log"},
    {.name = "log-time",
     .description = "Starts each line of the log with the time.",
     .example = "moescope run run.json --log-level=info --log-time"},
};

class RequestReader {
 public:
  RequestReader(const Arguments& arguments, session::RunRequest request)
      : arguments_(arguments), request_(std::move(request)) {}

  absl::StatusOr<session::RunRequest> Read() {
    ReadProgramOptions(arguments_, request_.program);
    Text("opcode", request_.program.file);
    Text("stages", request_.program.stages);
    Text("isa", request_.program.isa);
    if (arguments_.Has("force-isa")) request_.program.force_isa = true;
    RETURN_IF_ERROR(Machine());
    RETURN_IF_ERROR(Images());
    RETURN_IF_ERROR(Limits());
    RETURN_IF_ERROR(Outputs());
    RETURN_IF_ERROR(Profile());
    if (arguments_.Has("sanitize")) request_.sanitize = true;
    Text("expect-profile", request_.expected_profile);
    if (arguments_.Has("compat")) session::ApplyPlenaDefaults(request_);
    return std::move(request_);
  }

 private:
  void Text(std::string_view option, std::string& target) const {
    if (const std::optional<std::string> text = arguments_.Text(option)) target = *text;
  }

  absl::Status Number(std::string_view option, std::optional<std::uint64_t>& target) const {
    ASSIGN_OR_RETURN(const std::optional<std::uint64_t> number, arguments_.Number(option));
    if (number) target = number;
    return absl::OkStatus();
  }

  absl::Status Machine() {
    session::MachineRequest& machine = request_.machine;
    if (arguments_.Has("machine") && arguments_.Has("settings")) {
      return UsageError("--machine and --settings are the same; give one");
    }
    Text("settings", machine.file);
    Text("machine", machine.file);
    return ReadMachineOptions(arguments_, machine);
  }

  absl::Status Images() {
    session::ImagesRequest& images = request_.images;
    const auto image = [&](std::string_view option, std::optional<session::ImageRequest>& target) {
      if (const std::optional<std::string> file = arguments_.Text(option)) target = {*file, 0};
    };
    image("hbm", images.hbm);
    image("vram", images.vram);
    image("fpsram", images.fpsram);
    image("intsram", images.intsram);
    if (const std::optional<std::string> format = arguments_.Text("fpsram-format")) {
      images.fpsram_is_bf16 = *format == "bf16";
    }
    RETURN_IF_ERROR(Number("hbm-size", images.hbm_size));
    return CheckStandardInput();
  }

  absl::Status CheckStandardInput() const {
    int uses = request_.program.file == "-" ? 1 : 0;
    for (const auto* image : {&request_.images.hbm, &request_.images.vram, &request_.images.fpsram,
                              &request_.images.intsram}) {
      if (*image && (*image)->file == "-") ++uses;
    }
    return uses > 1 ? UsageError("at most one input may be '-'") : absl::OkStatus();
  }

  absl::Status Limits() {
    RETURN_IF_ERROR(Number("max-cycles", request_.limits.max_cycles));
    RETURN_IF_ERROR(Number("max-instructions", request_.limits.max_instructions));
    if (const std::optional<std::string> text = arguments_.Text("timeout")) {
      const absl::StatusOr<std::uint64_t> ms = session::ParseSecondsMs(*text);
      if (!ms.ok()) return UsageError(absl::StrCat("--timeout: ", ms.status().message()));
      request_.limits.timeout_ms = *ms;
    }
    return absl::OkStatus();
  }

  absl::Status Outputs() {
    session::OutputsRequest& outputs = request_.outputs;
    for (const std::string& name : arguments_.List("dump")) {
      outputs.dumps.push_back({*emulator::ParseDumpTarget(name), std::nullopt});
    }
    for (const std::string& text : arguments_.All("dump-range")) {
      const absl::StatusOr<emulator::DumpRequest> range = emulator::ParseDumpRange(text);
      if (!range.ok()) return UsageError(absl::StrCat("--dump-range: ", range.status().message()));
      outputs.dumps.push_back(*range);
    }
    Text("dump-dir", outputs.dump_dir);
    if (arguments_.Has("sparse")) outputs.sparse = true;
    Text("expect-report", outputs.expect_report);
    Text("profile", outputs.profile);
    Text("pc-table", outputs.pc_table);
    if (arguments_.Has("host-stats")) outputs.host_stats = true;
    return absl::OkStatus();
  }

  absl::Status Profile() {
    ASSIGN_OR_RETURN(const auto labels, arguments_.Pairs("label"));
    for (const auto& [key, value] : labels) request_.labels[key] = value;
    RETURN_IF_ERROR(Number("hot", request_.hot_rows));
    Text("stage-profile-asm", request_.stage_profile.assembly);
    Text("stage-profile-out", request_.stage_profile.output);
    if (arguments_.TextOr("stage-profile-version", "1") == "2") request_.stage_profile.version = 2;
    Text("require-coverage", request_.gates.coverage);
    if (const std::optional<std::string> text = arguments_.Text("max-unattributed")) {
      const absl::StatusOr<std::uint32_t> ppm = session::ParsePercentPpm(*text);
      if (!ppm.ok())
        return UsageError(absl::StrCat("--max-unattributed: ", ppm.status().message()));
      request_.gates.max_unattributed_ppm = *ppm;
    }
    return absl::OkStatus();
  }

  const Arguments& arguments_;
  session::RunRequest request_;
};

}  // namespace

constinit const std::span<const Option> kRunOptions = kOptions;

absl::StatusOr<session::RunRequest> ReadRunOptions(const Arguments& arguments,
                                                   session::RunRequest request) {
  return RequestReader(arguments, std::move(request)).Read();
}

}  // namespace moescope::cli
