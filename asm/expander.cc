#include "asm/expander.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "asm/lexer.h"
#include "base/string_view.h"

namespace moescope::assembler {

Span ColumnMap::ToRaw(Span span) const {
  if (whole_line_) return {0, raw_size_};
  std::size_t begin = span.begin;
  std::size_t end = span.end();
  for (const Segment& segment : segments_) {
    if (segment.replaced.begin > span.end()) break;
    const auto shift = [&segment](std::size_t position) {
      return position - segment.replaced.end() + segment.raw.end();
    };
    if (span.begin >= segment.replaced.end()) {
      begin = shift(span.begin);
    } else if (span.begin >= segment.replaced.begin) {
      begin = segment.raw.begin;
    }
    if (span.end() >= segment.replaced.end()) {
      end = shift(span.end());
    } else if (span.end() > segment.replaced.begin) {
      end = segment.raw.end();
    }
  }
  return {begin, std::max(end, begin) - begin};
}

Place PlaceOf(const Line& line, Span span, std::uint64_t order) {
  Place place;
  std::size_t length = 0;
  if (line.columns != nullptr) {
    span = line.columns->ToRaw(span);
    length = span.length;
  } else {
    length = CountCodePoints(line.text.substr(span.begin, span.length));
  }
  place.at = {line.file, line.number, static_cast<std::uint32_t>(span.begin + 1)};
  place.length = static_cast<std::uint32_t>(length);
  place.origin = line.origin;
  place.order = order;
  return place;
}

std::string DirectiveOf(std::string_view line) {
  const std::string_view text = Trim(line);
  if (text.empty() || text[0] != '.') return "";
  std::size_t end = 1;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  return absl::AsciiStrToLower(Absl(text.substr(0, end)));
}

std::string ReplaceParameters(std::string_view text, const MacroParameters& parameters,
                              const std::vector<std::string>& arguments, ColumnMap& map) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t slash = text.find('\\'); slash != std::string_view::npos;
       slash = text.find('\\', at)) {
    result += text.substr(at, slash - at);
    std::size_t end = slash + 1;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    const std::string_view name = text.substr(slash + 1, end - slash - 1);
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      result += text.substr(slash, end - slash);
    } else {
      const std::string& value = arguments[found->second];
      map.Add({result.size(), value.size()}, {slash, end - slash});
      result += value;
    }
    at = end;
  }
  result += text.substr(at);
  return result;
}

Expander::Expander(Sources& sources, const ExpansionLimits& limits)
    : sources_(sources), limits_(limits) {}

bool Expander::Count(const Line& line) {
  if (frames_.size() == 1) return true;
  bytes_ += line.text.size() + 1;
  if (++lines_ > limits_.lines) {
    exceeded_ =
        absl::StrCat("includes, macros and repetitions give more than ", limits_.lines, " lines");
  } else if (bytes_ > limits_.bytes) {
    exceeded_ =
        absl::StrCat("includes, macros and repetitions give more than ", limits_.bytes, " bytes");
  }
  return !exceeded_;
}

bool Expander::NextOfFile(Frame& frame, Line& line) {
  if (frame.at_end) return false;
  const std::size_t end = frame.rest.find('\n');
  std::string_view text = frame.rest.substr(0, end);
  frame.at_end = end == std::string_view::npos;
  if (frame.at_end && text.empty()) return false;
  frame.rest.remove_prefix(frame.at_end ? frame.rest.size() : end + 1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  line = {text, frame.file, ++frame.number, frame.origin, nullptr};
  return true;
}

bool Expander::NextOfMacro(Frame& frame, Line& line) {
  if (frame.next == frame.macro->body.size()) return false;
  const Macro::BodyLine& source = frame.macro->body[frame.next++];
  line = {source.text, source.file, source.number, frame.origin, nullptr};
  const bool replaces = source.text.find('\\') != std::string::npos;
  if (!replaces && !source.was_replaced) return true;
  ColumnMap& map = *frame.maps.emplace_back(
      std::make_unique<ColumnMap>(source.text.size(), source.was_replaced));
  line.columns = &map;
  if (!replaces) return true;
  line.text = *frame.texts.emplace_back(std::make_unique<std::string>(
      ReplaceParameters(source.text, frame.macro->parameters, frame.arguments, map)));
  return true;
}

bool Expander::NextOfRepetition(Frame& frame, Line& line) {
  if (frame.next == frame.body.size()) {
    if (frame.left <= 1 || frame.body.empty()) return false;
    --frame.left;
    frame.next = 0;
  }
  line = frame.body[frame.next++];
  line.origin = frame.origin;
  return true;
}

bool Expander::NextOf(Frame& frame, Line& line) {
  if (frame.is_file) return NextOfFile(frame, line);
  return frame.macro != nullptr ? NextOfMacro(frame, line) : NextOfRepetition(frame, line);
}

bool Expander::Next(Line& line) {
  while (!exceeded_) {
    if (frames_.empty()) {
      if (next_input_ == inputs_.size()) return false;
      frames_.push_back(FileFrame(inputs_[next_input_++]));
    }
    if (NextOf(frames_.back(), line)) return Count(line);
    frames_.pop_back();
  }
  return false;
}

Expander::Frame Expander::FileFrame(std::uint32_t file) const {
  Frame frame;
  frame.is_file = true;
  frame.file = file;
  frame.rest = sources_.TextOf(file);
  return frame;
}

Expander::Frame* Expander::Push(Origin::Kind kind, std::uint32_t name,
                                const isa::SourcePosition& at, std::uint32_t parent) {
  if (frames_.size() > limits_.depth) return nullptr;
  Frame& frame = frames_.emplace_back();
  frame.origin = sources_.Intern({kind, parent, name, at});
  return &frame;
}

bool Expander::EnterFile(std::uint32_t file, const isa::SourcePosition& at, std::uint32_t parent) {
  Frame* const frame = Push(Origin::Kind::kInclude, 0, at, parent);
  if (frame == nullptr) return false;
  const std::uint32_t origin = frame->origin;
  *frame = FileFrame(file);
  frame->origin = origin;
  return true;
}

bool Expander::EnterMacro(const Macro& macro, std::vector<std::string> arguments,
                          const isa::SourcePosition& at, std::uint32_t parent) {
  Frame* const frame = Push(Origin::Kind::kMacro, macro.name_number, at, parent);
  if (frame == nullptr) return false;
  frame->macro = &macro;
  frame->arguments = std::move(arguments);
  return true;
}

bool Expander::EnterRepetition(std::vector<Line> body, std::uint64_t count,
                               const isa::SourcePosition& at, std::uint32_t parent) {
  if (count == 0) return true;
  Frame* const frame = Push(Origin::Kind::kRepetition, 0, at, parent);
  if (frame == nullptr) return false;
  frame->body = std::move(body);
  frame->left = count;
  return true;
}

bool Expander::IsOpen(std::uint32_t file) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [file](const Frame& frame) { return frame.is_file && frame.file == file; });
}

Expander::BlockEnd Expander::CollectBlock(std::string_view opener, std::vector<Line>& body,
                                          Line& end) {
  std::vector<std::string> open{std::string(opener)};
  Frame& frame = frames_.back();
  for (Line line; NextOf(frame, line) && Count(line);) {
    const std::string directive = DirectiveOf(line.text);
    if (directive == ".macro" || directive == ".rept") open.push_back(directive);
    if (directive == ".endm" || directive == ".endr") {
      end = line;
      if ((directive == ".endm") != (open.back() == ".macro")) return BlockEnd::kCrossed;
      open.pop_back();
      if (open.empty()) return BlockEnd::kFound;
    }
    body.push_back(line);
  }
  return BlockEnd::kMissing;
}

}  // namespace moescope::assembler
