#include "stages/explanations.h"

namespace moescope::stages {

namespace {

constexpr Explanation kExplanations[] = {
    {"MS001", "unknown stage",
     "A marker names a stage that is neither built in nor in a vocabulary that was loaded. With "
     "--stage-errors=warn its code goes to the bucket.",
     "; @stage=expert_bais\nC_BREAK",
     "Use the suggested name, or load the vocabulary with --stage-vocabulary. 'moescope stages "
     "list' shows all names."},
    {"MS002", "malformed stage marker",
     "A comment begins like a stage marker and is none: a name or number is missing or has other "
     "characters, or something stands behind the marker.",
     "; @stage=gather pair=one\nC_BREAK",
     "Write '; @stage=<name>', with ' pair=<n>' and ' expert=<n>' if they apply, and nothing else "
     "on the line."},
    {"MS003", "the bucket is no stage",
     "'unattributed' is where code without a stage is counted. It cannot be marked.",
     "; @stage=unattributed\nC_BREAK", "Write '; @stage_end' to stop attribution."},
    {"MS004", "marker beside other text",
     "A stage marker stands behind an instruction or a directive. It would be unclear whether it "
     "covers that line.",
     "C_BREAK ; @stage=gather", "Put the marker on a line of its own in front of the code."},
    {"MS005", "wrong attribute of a marker",
     "The attributes of a marker are pair and expert, each at most once, with a number of "
     "0..2147483647.",
     "; @stage=gather layer=3\nC_BREAK",
     "Remove what is unknown or repeated. Number a pair as token * top_k + rank."},
    {"MS006", "'@stage_pop' without a region", "There is no open region that the pop could close.",
     "; @stage_pop\nC_BREAK",
     "Remove it, or open the region with '; @stage_push=<name>'. Plain '@stage=' markers need no "
     "pop."},
    {"MS007", "region without end",
     "A '@stage_push=' has no '@stage_pop' up to the end of the text.",
     "; @stage_push=gather\nC_BREAK", "Close the region behind its last instruction."},
    {"MS008", "plain marker inside a region",
     "'@stage=' and '@stage_end' replace what is in force for good, but a region promises to give "
     "the stage around it back.",
     "; @stage_push=gather\n; @stage=expert_bias\nC_BREAK\n; @stage_pop",
     "Close the region first, or open a nested one with '; @stage_push=<name>'."},
    {"MS009", "region opened twice or too deep",
     "A stage may be open once at a time, and regions nest at most 16 deep; otherwise inclusive "
     "counts would count instructions twice.",
     "; @stage=gather\n; @stage_push=gather\nC_BREAK\n; @stage_pop",
     "Close the outer region first. Code that is in the right stage already needs no region."},
    {"MS010", "region across a loop boundary",
     "A '@stage_push=' and its '@stage_pop' have to lie in the same loop body, or both outside.",
     "C_LOOP_START gp1, 2\n; @stage_push=gather\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n; "
     "@stage_pop",
     "Move one of the two to the other side of the loop's start or end."},
    {"MS011", "looks like a stage marker",
     "The comment would be a marker if case, blanks or the comment character were right. As it "
     "stands it would be ignored.",
     "; @Stage = gather\nC_BREAK", "Write the marker as the message shows it."},
    {"MS012", "detail stage in the wrong place",
     "The vocabulary allows this stage only as a region inside another one.",
     "; @stage=ksplit_add\nC_BREAK",
     "Mark the stage that is named first, then open the region with '; @stage_push=<name>'."},
    {"MS020", "not a file of this kind",
     "A stage vocabulary or a rule file is not TOML, or its schema and version are others.",
     "schema = \"moescope.stages\"\nversion = 9\n",
     "Begin the file with the schema and version that the message names, and check its syntax."},
    {"MS021", "unknown key", "A key is not one of those that the file may have.",
     "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"x\"\nsumary = \"X.\"\nscope = "
     "\"layer\"\n",
     "Use the suggested key, or remove it."},
    {"MS022", "missing or wrong value",
     "A key is missing, or its value is of the wrong kind or not one of those allowed.",
     "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"x\"\nsummary = \"X.\"\nscope "
     "= "
     "\"global\"\n",
     "Give the value that the message asks for."},
    {"MS023", "stage name refused",
     "A name of an extension stage is malformed, reserved, built in, or defined already.",
     "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"gather\"\nsummary = "
     "\"X.\"\nscope = \"pair\"\n",
     "Choose another name of lower-case letters, digits and '_'."},
    {"MS024", "unknown stage or instruction group",
     "after and parent name stages that are built in or defined above; plausible and must name "
     "instruction groups.",
     "schema = \"moescope.stages\"\nversion = 1\n[[stage]]\nname = \"x\"\nsummary = \"X.\"\nscope "
     "= "
     "\"pair\"\nafter = \"nowhere\"\n",
     "Use the suggested name, or define the stage further up."},
    {"MS025", "too many stages", "The vocabularies of one program may add 10,000 stages together.",
     "(a vocabulary with 10,001 [[stage]] tables)",
     "Use pair= and expert= for numbers, and stages for kinds of work."},
    {"MS030", "malformed pattern of a rule",
     "A pattern is literal text with {n}, {*}, {a..z} for an operand name, and {x|y}; a '{' has to "
     "be closed.",
     "schema = \"moescope.annotate\"\nversion = 1\n[[rule]]\nid = \"X1\"\nmatch = [\"Load "
     "{name}\"]\nstage = \"gather\"\n",
     "Use one of the placeholders that the message lists."},
    {"MS031", "contradictory rule",
     "A rule or class names something that does not exist, is defined twice, or says both too much "
     "and too little.",
     "schema = \"moescope.annotate\"\nversion = 1\n[[rule]]\nid = \"X1\"\nmatch = [\"Load "
     "\"]\nstage = \"gahter\"\n",
     "Correct what the message names."},
    {"MS101", "code in front of the first marker",
     "Instructions precede the first stage marker and are counted in the bucket.",
     "S_ADDI_INT gp1, gp0, 1\n; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2",
     "Put the marker in front of them, or '; @stage_end' if they belong to no stage."},
    {"MS102", "marker without instructions",
     "No instruction stands between this marker and the next one, or the end.",
     "; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2\n; @stage=gather",
     "Remove the marker, or look for the code that it was written for."},
    {"MS103", "repeated marker", "A marker says what is in force anyway.",
     "; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2\n; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2",
     "Remove it if it is not there to guard code that may be moved."},
    {"MS104", "implausible instruction",
     "Instructions of this group do not occur in correct code of this stage; a marker is missing, "
     "misplaced or wrong.",
     "; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2\nV_TOPK gp1, gp2, gp3, 0",
     "Mark the instructions with the stage that they belong to."},
    {"MS105", "idiom of another stage",
     "A sequence of instructions is typical of another stage: a projection, the address of an "
     "expert's weights, or the zeroing of rows.",
     "; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2\nM_MM 0, gp1, gp2\nM_MM_WO gp3, gp0, 0",
     "Mark the sequence with the stage that it belongs to."},
    {"MS106", "stage inherited into a helper",
     "The first instruction of a macro or an included file has no marker there, so its stage is "
     "whatever the caller's happens to be.",
     ".macro ADD\nV_ADD_VV gp1, gp1, gp2\n.endm\n; @stage=expert_bias\nADD",
     "Open a region in the helper: '; @stage_push=<name>' ... '; @stage_pop'."},
    {"MS107", "stage leaks from a helper",
     "A macro or an included file ends in another stage than the one it was entered in, and the "
     "code behind it is billed to that.",
     ".macro ADD\n; @stage=gather\nV_ADD_VV gp1, gp1, gp2\n.endm\n; @stage=expert_bias\nV_ADD_VV "
     "gp1, gp1, gp2\nADD",
     "Open a region in the helper: '; @stage_push=<name>' ... '; @stage_pop'."},
    {"MS108", "stage changes inside a loop",
     "Attribution follows the text, so every pass of the loop is split between two stages.",
     "; @stage=gather\nC_LOOP_START gp1, 2\nV_ADD_VV gp1, gp1, gp2\n; @stage=expert_bias\nV_ADD_VV "
     "gp1, gp1, gp2\nC_LOOP_END gp1",
     "Move the marker out of the loop if it was misplaced; use a region if the split is meant."},
    {"MS109", "inconsistent pairs",
     "A stage of the whole layer has a pair, a stage of pairs has neither pair nor expert though "
     "others have, or the ids are not 0..n-1 in a program with V_TOPK.",
     "; @stage=gather pair=0\nV_ADD_VV gp1, gp1, gp2\n; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2",
     "Give every marker of pair work its pair, numbered token * top_k + rank."},
    {"MS110", "a pair with two experts", "One pair is worked on by one expert.",
     "; @stage=gather pair=0 expert=1\nV_ADD_VV gp1, gp1, gp2\n; @stage=expert_bias pair=0 "
     "expert=2\nV_ADD_VV gp1, gp1, gp2",
     "Correct one of the two numbers."},
    {"MS111", "never executed",
     "The profile says that no instruction of this stage, with this pair, was executed.",
     "; @stage=expert_bias pair=7\nV_ADD_VV gp1, gp1, gp2",
     "Look for code behind a C_BREAK, or profile the program that was marked."},
    {"MS112", "mostly unattributed",
     "More of the program than --max-unattributed allows belongs to no stage.",
     "; @stage_end\nS_ADDI_INT gp1, gp0, 1\n; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2",
     "Mark the code; 'moescope annotate' makes markers of known comments. Small programs that "
     "load their inputs may need a higher limit."},
    {"MS113", "unusual order",
     "Outputs are combined before the accumulator was zeroed, or a pair is worked on before the "
     "router chose it.",
     "; @stage=scatter_combine\nV_ADD_VV gp1, gp1, gp2\n; @stage=accumulator_init\nV_ADD_VV gp1, "
     "gp1, gp2",
     "Check that the two markers are not swapped."},
    {"MS114", "two kinds of work in one range",
     "One marker covers instructions of two units that no single stage uses together; a marker was "
     "lost.",
     "; @stage=expert_projection\nM_MM 0, gp1, gp2\nV_EXP_V gp1, gp1",
     "Put the missing marker between them."},
    {"MS115", "prose comments only",
     "The program has no stage marker, but comments that the rules of annotate know.",
     "; Router dot token 0, expert 0\nV_MUL_VV gp1, gp1, gp2",
     "Run 'moescope annotate IN.asm -o OUT.asm'."},
    {"MS116", "stage without its characteristic instruction",
     "A stage is marked but holds none of the instructions that make it up.",
     "; @stage=router_topk\nV_ADD_VV gp1, gp1, gp2",
     "Check that the marker names the right stage and covers all of its code."},
    {"MS199", "suppression of nothing",
     "A '@lint' comment is malformed, names an unknown rule, or suppresses no finding within the "
     "next range.",
     "; @lint allow=MS104 reason=\"measured\"\n; @stage=expert_bias\nV_ADD_VV gp1, gp1, gp2",
     "Remove it, or move it in front of the marker whose range has the finding."},
    {"EM001", "stage with a default",
     "A parameter or member that says what instructions are for has a default. A caller that "
     "forgets it gets a wrong profile and no message.",
     "void EmitRow(Writer& writer, Stage stage = kGather);",
     "Remove the default; every caller states the stage."},
    {"EM002", "stage bound in advance",
     "A lambda or binder fixes the stage of an emitter that takes one, under a name that does not "
     "say so at the call.",
     "auto emit_rows = [&](int row) { EmitRow(builder, kGather, row); };",
     "Call the emitter with its stage, or give the new function a stage parameter."},
    {"EM003", "overload without the stage",
     "An overload drops the stage parameter and forwards to the one that has it.",
     "void EmitRow(Builder& b, Stage stage, int row);\n"
     "void EmitRow(Builder& b, int row) { EmitRow(b, kGather, row); }",
     "Remove the overload."},
    {"EM004", "unknown stage name in a string",
     "A string literal names a stage that is in no vocabulary.",
     "auto stage = vocabulary.Find(\"gahter\");", "Correct the name, or use the constant."},
    {"EM005", "stage carried by a macro or template argument",
     "A macro or a template argument chooses the stage of an emitter, out of sight of its callers.",
     "#define EMIT_GATHER(row) EmitRow(builder, kGather, row)",
     "Write the call, or put the file on the allow list with a reason."},
    {"EM006", "test that nobody runs",
     "A test source is in no CMake test target, or a ctest label is run by no CI step.",
     "(tests/stages/new_test.cc without a moescope_test line)",
     "Add it to the CMakeLists.txt of its folder, or to the list of exceptions."},
};

}  // namespace

std::span<const Explanation> Explanations() { return kExplanations; }

}  // namespace moescope::stages
