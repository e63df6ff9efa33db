#pragma once

#include <cstdint>
#include <string_view>

namespace moescope::cuda {

enum class ElementType : std::uint8_t { kBf16, kFloat32, kInt32, kUint8 };

constexpr std::int64_t BytesOf(ElementType type) {
  return type == ElementType::kUint8 ? 1 : type == ElementType::kBf16 ? 2 : 4;
}
constexpr std::string_view Name(ElementType type) {
  switch (type) {
    case ElementType::kBf16:
      return "bfloat16";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kUint8:
      return "uint8";
  }
  return "";
}

}  // namespace moescope::cuda
