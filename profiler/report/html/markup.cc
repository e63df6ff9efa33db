#include "profiler/report/html/markup.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/ratio.h"

namespace moescope::profiler {

namespace {

// One for each of the 33 reasons; "#bab0ac" is the bucket's.
constexpr std::array<std::string_view, 33> kColours = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948",
    "#9c755f", "#ff9da7", "#2f6690", "#8cd17d", "#d37295", "#86bcb6", "#b6992d",
    "#a0cbe8", "#ffbe7d", "#499894", "#d4a6c8", "#79706e", "#17344f", "#8f4700",
    "#1f5c27", "#8b1e2b", "#2a4a6f", "#5e3a5a", "#8a6d00", "#a83f8f", "#4b3621",
    "#3c3c3c", "#c3e3ff", "#ffe0b3", "#d3f5c4", "#ffc9c4"};

}  // namespace

std::string Escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string Element(std::string_view name, Attributes attributes, std::string_view content) {
  std::string text = absl::StrCat("<", Absl(name));
  for (const auto& [key, value] : attributes) {
    absl::StrAppend(&text, " ", Absl(key), "=\"", Escape(value), "\"");
  }
  absl::StrAppend(&text, ">", Absl(content), "</", Absl(name), ">");
  return text;
}

std::string Element(std::string_view name, std::string_view content) {
  return Element(name, {}, content);
}

std::string Pixels(Tenths tenths) {
  const std::string sign = tenths < 0 ? "-" : "";
  const Tenths size = tenths < 0 ? -tenths : tenths;
  if (size % 10 == 0) return absl::StrCat(sign, size / 10);
  return absl::StrCat(sign, size / 10, ".", size % 10);
}

Tenths Portion(Tenths length, std::uint64_t part, std::uint64_t whole) {
  return static_cast<Tenths>(Scaled(part, static_cast<std::uint64_t>(length), whole));
}

Svg::Svg(Tenths width, Tenths height, std::string_view label) {
  text_ = absl::StrCat("<svg viewBox=\"0 0 ", Pixels(width), " ", Pixels(height),
                       "\" role=\"img\" aria-label=\"", Escape(label), "\">\n");
}

void Svg::Box(Tenths x, Tenths y, Tenths width, Tenths height, std::string_view colour,
              std::string_view tooltip) {
  if (width <= 0 || height <= 0) return;
  absl::StrAppend(&text_, "<rect x=\"", Pixels(x), "\" y=\"", Pixels(y), "\" width=\"",
                  Pixels(width), "\" height=\"", Pixels(height), "\" fill=\"", Absl(colour),
                  "\"><title>", Escape(tooltip), "</title></rect>\n");
}

void Svg::Line(Tenths x1, Tenths y1, Tenths x2, Tenths y2, std::string_view css_class) {
  absl::StrAppend(&text_, "<line x1=\"", Pixels(x1), "\" y1=\"", Pixels(y1), "\" x2=\"", Pixels(x2),
                  "\" y2=\"", Pixels(y2), "\" class=\"", Absl(css_class), "\"/>\n");
}

void Svg::Dot(Tenths x, Tenths y, std::string_view colour, std::string_view tooltip) {
  absl::StrAppend(&text_, "<circle cx=\"", Pixels(x), "\" cy=\"", Pixels(y), "\" r=\"5\" fill=\"",
                  Absl(colour), "\"><title>", Escape(tooltip), "</title></circle>\n");
}

void Svg::Area(std::string_view data, std::string_view colour, std::string_view tooltip) {
  absl::StrAppend(&text_, "<path d=\"", Absl(data), "\" fill=\"", Absl(colour), "\"><title>",
                  Escape(tooltip), "</title></path>\n");
}

void Svg::Text(Tenths x, Tenths y, std::string_view text, std::string_view anchor) {
  absl::StrAppend(&text_, "<text x=\"", Pixels(x), "\" y=\"", Pixels(y), "\" text-anchor=\"",
                  Absl(anchor), "\">", Escape(text), "</text>\n");
}

std::string Svg::Take() {
  text_ += "</svg>\n";
  return std::move(text_);
}

std::string_view Colour(std::size_t number) { return kColours[number % kColours.size()]; }

std::string LegendEntry(std::string_view colour, std::string_view name) {
  return absl::StrCat("<span class=\"key\"><i style=\"background:", Absl(colour), "\"></i>",
                      Escape(name), "</span>\n");
}

}  // namespace moescope::profiler
