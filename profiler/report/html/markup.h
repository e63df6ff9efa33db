#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace moescope::profiler {

// Bytes for XML and HTML text and attribute values.
std::string Escape(std::string_view text);

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

// "<name a=\"v\">content</name>"; `content` is markup already.
std::string Element(std::string_view name, Attributes attributes, std::string_view content);
std::string Element(std::string_view name, std::string_view content);

// A length in tenths of a pixel as SVG writes it: "12.5". Plots are computed in integers, so that
// they are the same on every host.
using Tenths = std::int64_t;
std::string Pixels(Tenths tenths);

// part / whole of `length`, rounded down; 0 when `whole` is 0.
Tenths Portion(Tenths length, std::uint64_t part, std::uint64_t whole);

// A drawing of a fixed size that scales with the page.
class Svg {
 public:
  // `label` says in a sentence what the drawing shows.
  Svg(Tenths width, Tenths height, std::string_view label);

  // A filled box with a tooltip; nothing is drawn for an empty one.
  void Box(Tenths x, Tenths y, Tenths width, Tenths height, std::string_view colour,
           std::string_view tooltip);
  void Line(Tenths x1, Tenths y1, Tenths x2, Tenths y2, std::string_view css_class);
  void Dot(Tenths x, Tenths y, std::string_view colour, std::string_view tooltip);
  // `data` is a path of SVG.
  void Area(std::string_view data, std::string_view colour, std::string_view tooltip);
  // `anchor` is start, middle or end.
  void Text(Tenths x, Tenths y, std::string_view text, std::string_view anchor = "start");

  std::string Take();

 private:
  std::string text_;
};

// Colours that can be told apart, the same for the same number.
std::string_view Colour(std::size_t number);

// "■ name" entries of a legend.
std::string LegendEntry(std::string_view colour, std::string_view name);

}  // namespace moescope::profiler
