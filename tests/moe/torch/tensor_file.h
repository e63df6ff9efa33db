#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "moe/matrix.h"

// Cases for a program outside this project: one JSON document that describes them and one file of
// raw little-endian tensors that it points into.

namespace moescope::moe {

class TensorFile {
 public:
  using Json = nlohmann::ordered_json;

  // Begins a case; what follows belongs to it.
  void Begin(const std::string& kind, const std::string& name) {
    cases_.push_back({{"kind", kind}, {"name", name}, {"tensors", Json::object()}});
  }
  template <typename T>
  void Set(const std::string& key, const T& value) {
    cases_.back()[key] = value;
  }

  template <typename T>
  void Add(const std::string& name, std::span<const T> values, std::vector<std::int64_t> shape) {
    constexpr const char* kType = std::is_same_v<T, float>          ? "f32"
                                  : std::is_same_v<T, double>       ? "f64"
                                  : std::is_same_v<T, std::int32_t> ? "i32"
                                                                    : "u8";
    while (bytes_.size() % 8 != 0) bytes_.push_back('\0');
    cases_.back()["tensors"][name] = {
        {"offset", bytes_.size()}, {"type", kType}, {"shape", std::move(shape)}};
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  template <typename T>
  void Add(const std::string& name, const Matrix<T>& matrix) {
    Add<T>(name, matrix.values, {matrix.rows, matrix.columns});
  }
  template <typename T>
  void Add(const std::string& name, const std::vector<T>& values) {
    Add<T>(name, values, {static_cast<std::int64_t>(values.size())});
  }
  // [n, rows, columns] of equally shaped matrices.
  template <typename T>
  void Add(const std::string& name, const std::vector<Matrix<T>>& matrices) {
    std::vector<T> all;
    for (const Matrix<T>& m : matrices) all.insert(all.end(), m.values.begin(), m.values.end());
    Add<T>(name, all,
           {static_cast<std::int64_t>(matrices.size()), matrices.front().rows,
            matrices.front().columns});
  }

  std::size_t size() const { return cases_.size(); }
  std::string index() const { return Json{{"cases", cases_}}.dump(); }
  const std::string& bytes() const { return bytes_; }

 private:
  Json cases_ = Json::array();
  std::string bytes_;
};

}  // namespace moescope::moe
