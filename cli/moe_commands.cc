#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/moe_gen_options.h"
#include "cli/request_options.h"
#include "cli/session/moe_check.h"
#include "cli/session/moe_cuda.h"
#include "cli/session/moe_folder.h"
#include "cli/session/moe_reference.h"
#include "cli/shared_options.h"
#include "moe/compare_json.h"

namespace moescope::cli {

namespace {

constexpr Option kGenOptions[] = {
    {.name = "preset",
     .value = "NAME",
     .description = "Starts from a public model's layer; the options below change it.",
     .example = "moescope moe gen --preset=qwen3-30b-a3b --scale=16 -o layer"},
    {.name = "tokens",
     .value = "N",
     .description = "Tokens; the default is 1.",
     .example = "moescope moe gen --tokens=8 -o layer"},
    {.name = "hidden",
     .value = "N",
     .description = "Hidden width H.",
     .example = "moescope moe gen --hidden=256 -o layer"},
    {.name = "inter",
     .value = "N",
     .description = "Intermediate width I of an expert.",
     .example = "moescope moe gen --inter=128 -o layer"},
    {.name = "experts",
     .value = "N",
     .description = "Routed experts.",
     .example = "moescope moe gen --experts=60 --top-k=4 -o layer"},
    {.name = "top-k",
     .value = "N",
     .description = "Experts per token.",
     .example = "moescope moe gen --experts=64 --top-k=6 -o layer"},
    {.name = "shared",
     .value = "WIDTH",
     .description = "Width of the shared expert, WIDTH+gate with a sigmoid gate, or none.",
     .example = "moescope moe gen --shared=128+gate -o layer"},
    {.name = "router",
     .value = "MODE",
     .description = "How experts are chosen and weighted.",
     .example = "moescope moe gen --router=sigmoid_group -o layer",
     .choices = "softmax_topk|softmax_all|sigmoid_group|sqrtsoftplus|sigmoid_input"},
    {.name = "activation",
     .value = "NAME",
     .description = "Activation of the experts.",
     .example = "moescope moe gen --activation=geglu_tanh -o layer",
     .choices = "swiglu|gpt_oss|geglu_tanh|geglu_erf"},
    {.name = "clamp",
     .value = "L",
     .description = "Clamps gate and up at L, or none.",
     .example = "moescope moe gen --activation=gpt_oss --clamp=7 -o layer"},
    {.name = "weights",
     .value = "FORMAT",
     .description = "Storage of the routed experts.",
     .example = "moescope moe gen --weights=mxfp4_b32 -o layer",
     .choices = "bf16|mxfp8_b8|mxfp8_b32|mxfp4_b32"},
    {.name = "scale",
     .value = "N",
     .description = "Divides all widths by N, rounded up to the machine's tile.",
     .example = "moescope moe gen --preset=deepseek-v3 --scale=32 -o layer"},
    {.name = "plain",
     .description = "Drops biases and clamps.",
     .example = "moescope moe gen --preset=gpt-oss-20b --plain --scale=16 -o layer"},
    {.name = "routed-only",
     .description = "Drops the shared expert.",
     .example = "moescope moe gen --preset=glm-4.5 --routed-only --scale=32 -o layer"},
    {.name = "routing",
     .value = "KIND",
     .description = "Whether the program routes, or ids are known when it is compiled.",
     .example = "moescope moe gen --routing=fixed --workload=ragged -o layer",
     .choices = "device|fixed"},
    {.name = "workload",
     .value = "TEXT",
     .description = "Ids of fixed routing: balanced, uniform, hot(p=P,n=N), ragged, empty(IDS), "
                    "single, rotating(n=N,period=P), burst(length=L,gap=G), replay(FILE); with "
                    "+masked(P) slots are masked.",
     .example =
         "moescope moe gen --routing=fixed --workload='hot(p=0.9,n=2)+masked(0.1)' -o layer"},
    {.name = "seed",
     .value = "N",
     .description = "Everything random derives from it; default 1.",
     .example = "moescope moe gen --seed=7 -o layer"},
    {.name = "values",
     .value = "KIND",
     .description = "Random data, or the saturated fixtures that are exact in every profile.",
     .example = "moescope moe gen --routing=fixed --values=saturated -o layer",
     .choices = "random|saturated"},
    {.name = "lowering",
     .value = "NAME",
     .description = "The public compiler's choices, or those that cost least.",
     .example = "moescope moe gen --lowering=tuned -o layer",
     .choices = "public|tuned"},
    {.name = "set",
     .value = "OPTION=VALUE",
     .description = "Sets one lowering option over --lowering.",
     .example = "moescope moe gen --set k_add=live --set address=hoist -o layer",
     .repeatable = true},
    {.name = "machine",
     .value = "FILE",
     .description =
         "Machine file or built-in machine; formats and transfer sizes follow the layer.",
     .example = "moescope moe gen --machine=plena-64 -o layer"},
    {.name = "machine-set",
     .value = "KEY=VALUE",
     .description = "Changes one key of the machine.",
     .example = "moescope moe gen --machine-set fp_sram_words=2048 -o layer",
     .repeatable = true},
    {.name = "sparse",
     .description = "Leaves experts that no token chooses as holes in the HBM image.",
     .example = "moescope moe gen --preset=gpt-oss-20b --sparse -o layer"},
    OutputOption("The folder to write.", "moescope moe gen -o layer"),
};

ExitCode Gen(const Arguments& arguments, Console& console) {
  const absl::StatusOr<GenRequest> request = ReadGenRequest(arguments);
  if (!request.ok()) return Fail(console, request.status());
  const absl::StatusOr<moe::GeneratedLayer> layer = moe::GeneratedLayer::Make(
      request->layer, request->machine, GenHeader(request->layer), request->routing);
  if (!layer.ok()) return Fail(console, layer.status());
  const absl::Status written =
      session::WriteLayerFolder(*layer, request->folder, {.sparse = request->sparse});
  if (!written.ok()) return Fail(console, written);
  console.Note(GenSummary(*layer, request->folder));
  return ExitCode::kSuccess;
}

constexpr Positional kFolder[] = {{"DIR", "A folder that 'moescope moe gen' wrote."}};

constexpr Option kReferenceOptions[] = {
    {.name = "precision",
     .value = "NAME",
     .description =
         "With machine, bit for bit what the program computes; with f32 and f64, the layer with "
         "its own roundings only, sums as the machine's tiles or ideal.",
     .example = "moescope moe reference layer --precision=f64 -o reference",
     .choices = "machine|f32|f64"},
    OutputOption("The folder to write.", "moescope moe reference layer -o reference"),
};

ExitCode Reference(const Arguments& arguments, Console& console) {
  const std::string name = arguments.TextOr("precision", "machine");
  const auto precision = name == "f32"   ? session::Precision::kF32
                         : name == "f64" ? session::Precision::kF64
                                         : session::Precision::kMachine;
  const std::optional<std::string> folder = arguments.Text("output");
  if (!folder.has_value()) {
    return Fail(console, session::UsageError("moe reference needs -o FOLDER"));
  }
  const absl::StatusOr<std::string> names =
      session::WriteReference(arguments.positionals().front(), precision, *folder);
  if (!names.ok()) return Fail(console, names.status());
  console.Out(*names);
  return ExitCode::kSuccess;
}

constexpr Option kCheckOptions[] = {
    {.name = "tolerance",
     .value = "T",
     .description = "How far values may differ: exact, ulp:N or rel_rms:P%. Ids are always exact.",
     .example = "moescope moe check layer --tolerance=ulp:1"},
    {.name = "stages",
     .value = "LIST",
     .description = "Compares only these outputs, such as logits, ids, weights, slot, shared, y.",
     .example = "moescope moe check layer --stages=ids,y",
     .list = true},
    {.name = "cuda",
     .description = "Also runs the layer on a CUDA device and compares it with the reference.",
     .example = "moescope moe check layer --cuda"},
    {.name = "report",
     .value = "FILE",
     .description = "Also writes the comparisons as JSON.",
     .example = "moescope moe check layer --report=check.json"},
};

absl::StatusOr<session::MoeCheckResult> CheckOf(const Arguments& arguments) {
  session::MoeCheckOptions options;
  options.outputs = arguments.List("stages");
  options.cuda = arguments.Has("cuda");
  ASSIGN_OR_RETURN(options.tolerance,
                   session::ParseTolerance(arguments.TextOr("tolerance", "exact")));
  return session::CheckLayerFolder(arguments.positionals().front(), options);
}

ExitCode Check(const Arguments& arguments, Console& console) {
  const absl::StatusOr<session::MoeCheckResult> result = CheckOf(arguments);
  if (!result.ok()) return Fail(console, result.status());
  if (!result->end.complete()) {
    console.Error(absl::StrCat("moescope: the program did not reach its end",
                               result->end.fault ? ": " + result->end.fault->text : "", "\n"));
    return ExitCode::kFault;
  }
  console.Out(session::CheckText(*result));
  if (const std::string why = session::WhyNotOnCuda(result->records); !why.empty()) {
    console.Note(absl::StrCat("moescope: --cuda: nothing ran on a device: ", why, "\n"));
  }
  if (const std::optional<std::string> report = arguments.Text("report"); report.has_value()) {
    const absl::Status written = WriteFile(*report, moe::FormatComparisons(result->records));
    if (!written.ok()) return Fail(console, written);
  }
  return result->passed() ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

}  // namespace

const Command kMoeGenCommand = {
    .name = "moe gen",
    .summary = "Writes an MoE layer as program, images, machine file and run manifest.",
    .details =
        "The same options, seed and version give the same bytes on every host. The manifest "
        "records them all as labels, so that 'moe check' can make the layer again.",
    .options = kGenOptions,
    .exit_codes = "0; 3 when the layer cannot be expressed or does not fit the machine.",
    .run = Gen,
};

const Command kMoeReferenceCommand = {
    .name = "moe reference",
    .summary = "Computes a generated layer on the CPU and writes its outputs.",
    .positionals = kFolder,
    .options = kReferenceOptions,
    .exit_codes = "0; 3 when the folder cannot be read or written.",
    .run = Reference,
};

const Command kMoeCheckCommand = {
    .name = "moe check",
    .summary = "Runs a generated layer and compares every output that the reference can name.",
    .details =
        "Prints one line per output: the first differing element with both values and their "
        "distance in units in the last place, and the relative RMS. The line in tier T2p "
        "compares with the layer without the program's roundings and decides nothing. With --cuda "
        "the layer also runs on a device, with the ids and weights of the program, and is compared "
        "with the same reference; without a device these lines say skip and why.",
    .positionals = kFolder,
    .options = kCheckOptions,
    .exit_codes =
        "0 when all are equal; 1 when one differs; 3 when the folder cannot be read; 4 when "
        "the program faults.",
    .run = Check,
};

}  // namespace moescope::cli
