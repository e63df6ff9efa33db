#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/document_json.h"
#include "profiler/profile_fields_json.h"

// The two archives of profile_fields_json.h.

namespace moescope::profiler {

// Appends members to a JSON object.
class JsonWriter {
 public:
  static constexpr bool kReads = false;
  explicit JsonWriter(Json& object) : object_(object) {}

  template <typename T>
  void operator()(std::string_view key, const T& value) {
    AppendMember(object_, key) = ToJson(value);
  }
  template <typename T>
  void operator()(std::string_view key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  void Constant(std::string_view key, const char* value) { AppendMember(object_, key) = value; }
  template <typename F>
  void Object(std::string_view key, F function) {
    Json& object = AppendMember(object_, key) = Json::object();
    JsonWriter writer(object);
    function(writer);
  }

  void Split(std::string_view key, const profiler::Split& split,
             std::span<const std::string_view> names) {
    if (split.empty()) return;
    Json& object = AppendMember(object_, key) = Json::object();
    for (std::size_t i = 0; i < split.size(); ++i) {
      if (split[i] != 0) AppendMember(object, names[i]) = split[i];
    }
  }
  template <typename T>
  void Map(std::string_view key, const std::vector<T>& values, std::string T::*name) {
    Json& object = AppendMember(object_, key) = Json::object();
    for (const T& value : values) AppendMember(object, value.*name) = ToJson(value);
  }
  template <typename T>
  void SparseMap(std::string_view key, const std::vector<T>& values, std::string T::*name) {
    if (!values.empty()) Map(key, values, name);
  }
  void CountMap(std::string_view key, const std::optional<std::vector<NamedCount>>& counts) {
    if (!counts) return;
    Json& object = AppendMember(object_, key) = Json::object();
    for (const NamedCount& count : *counts) AppendMember(object, count.name) = count.count;
  }
  void ListMap(std::string_view key, const std::vector<StageBins>& lists) {
    Json& object = AppendMember(object_, key) = Json::object();
    for (const StageBins& list : lists) AppendMember(object, list.name) = list.cycles;
  }
  void Counts(std::string_view key, const std::vector<NamedCount>& counts, std::string_view unit) {
    Json& array = AppendMember(object_, key) = Json::array();
    for (const NamedCount& count : counts) {
      Json& entry = array.emplace_back(Json::object());
      AppendMember(entry, "name") = count.name;
      AppendMember(entry, unit) = count.count;
    }
  }
  void Counts(std::string_view key, const std::optional<std::vector<NamedCount>>& counts,
              std::string_view unit) {
    if (counts) Counts(key, *counts, unit);
  }
  void Texts(std::string_view key, const std::vector<NamedText>& texts) {
    Json& object = AppendMember(object_, key) = Json::object();
    for (const auto& [name, text] : texts) AppendMember(object, name) = text;
  }
  void Configuration(std::string_view key, const std::vector<ConfigurationValue>& values) {
    AppendMember(object_, key) = ToJson(values);
  }

  static Json ToJson(bool value) { return value; }
  static Json ToJson(std::uint64_t value) { return value; }
  static Json ToJson(const std::string& value) { return value; }
  static Json ToJson(const std::vector<ConfigurationValue>& values) {
    Json object = Json::object();
    for (const ConfigurationValue& value : values) {
      Json& member = AppendMember(object, value.key);
      if (value.is_text) {
        member = value.text;
      } else {
        member = value.number;
      }
    }
    return object;
  }
  template <typename T>
  static Json ToJson(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(ToJson(value));
    return array;
  }
  template <typename T>
  requires std::is_class_v<T>
  static Json ToJson(const T& value) {
    Json object = Json::object();
    JsonWriter writer(object);
    Fields(writer, value);
    return object;
  }

 private:
  Json& object_;
};

// Reads members of a JSON object. The first problem is kept in `error` with its path; after it,
// everything reads as empty.
class JsonReader {
 public:
  static constexpr bool kReads = true;
  JsonReader(const Json& object, std::string path, std::string& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (!object.is_object()) Fail(path_, "is not an object");
  }

  template <typename T>
  void operator()(std::string_view key, T& value) {
    const Json* member = Find(key);
    if (member == nullptr) {
      Fail(PathOf(key), "is missing");
    } else {
      Read(*member, PathOf(key), value);
    }
  }
  template <typename T>
  void operator()(std::string_view key, std::optional<T>& value) {
    if (const Json* member = Find(key)) Read(*member, PathOf(key), value.emplace());
  }
  void Constant(std::string_view key, std::string_view expected) {
    const Json* member = Find(key);
    if (member == nullptr || !member->is_string() ||
        member->get_ref<const std::string&>() != expected) {
      Fail(PathOf(key), absl::StrCat("is not \"", Absl(expected), "\""));
    }
  }
  template <typename F>
  void Object(std::string_view key, F function) {
    const Json* member = Find(key);
    if (member == nullptr) return Fail(PathOf(key), "is missing");
    JsonReader reader(*member, PathOf(key), error_);
    function(reader);
  }

  void Split(std::string_view key, profiler::Split& split,
             std::span<const std::string_view> names) {
    if (Find(key) == nullptr) return;
    split.assign(names.size(), 0);
    EachMember(key, [&](const std::string& name, const Json& value, const std::string& path) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return Read(value, path, split[i]);
      }
    });
  }
  template <typename T>
  void Map(std::string_view key, std::vector<T>& values, std::string T::*name) {
    if (Find(key) == nullptr) return Fail(PathOf(key), "is missing");
    SparseMap(key, values, name);
  }
  template <typename T>
  void SparseMap(std::string_view key, std::vector<T>& values, std::string T::*name) {
    EachMember(key, [&](const std::string& member, const Json& json, const std::string& path) {
      T& value = values.emplace_back();
      value.*name = member;
      Read(json, path, value);
    });
  }
  void CountMap(std::string_view key, std::optional<std::vector<NamedCount>>& counts) {
    if (Find(key) == nullptr) return;
    counts.emplace();
    EachMember(key, [&](const std::string& name, const Json& json, const std::string& path) {
      Read(json, path, counts->emplace_back(NamedCount{name}).count);
    });
  }
  void ListMap(std::string_view key, std::vector<StageBins>& lists) {
    EachMember(key, [&](const std::string& name, const Json& json, const std::string& path) {
      Read(json, path, lists.emplace_back(StageBins{name, {}}).cycles);
    });
  }
  void Counts(std::string_view key, std::vector<NamedCount>& counts, std::string_view unit) {
    const Json* member = Find(key);
    if (member == nullptr) return Fail(PathOf(key), "is missing");
    if (!member->is_array()) return Fail(PathOf(key), "is not an array");
    for (const Json& entry : *member) {
      JsonReader reader(entry, PathOf(key), error_);
      NamedCount& count = counts.emplace_back();
      reader("name", count.name);
      reader(unit, count.count);
    }
  }
  void Counts(std::string_view key, std::optional<std::vector<NamedCount>>& counts,
              std::string_view unit) {
    if (Find(key) != nullptr) Counts(key, counts.emplace(), unit);
  }
  void Texts(std::string_view key, std::vector<NamedText>& texts) {
    EachMember(key, [&](const std::string& name, const Json& json, const std::string& path) {
      Read(json, path, texts.emplace_back(name, "").second);
    });
  }
  void Configuration(std::string_view key, std::vector<ConfigurationValue>& values) {
    EachMember(key, [&](const std::string& name, const Json& json, const std::string& path) {
      ConfigurationValue& value = values.emplace_back(ConfigurationValue{name});
      value.is_text = json.is_string();
      if (value.is_text) {
        Read(json, path, value.text);
      } else {
        Read(json, path, value.number);
      }
    });
  }

 private:
  static constexpr std::uint64_t kMaximumCount = (std::uint64_t{1} << 53) - 1;

  // Objects of a profile have few members that are looked up by name.
  const Json* Find(std::string_view key) const {
    if (!object_.is_object() || !error_.empty()) return nullptr;
    for (const auto& [name, value] : object_.get_ref<const Json::object_t&>()) {
      if (name == key) return &value;
    }
    return nullptr;
  }
  std::string PathOf(std::string_view key) const { return absl::StrCat(path_, "/", Absl(key)); }
  void Fail(const std::string& path, std::string_view problem) {
    if (!error_.empty()) return;
    error_ = absl::StrCat(path.empty() ? "the top level" : path, " ", Absl(problem));
  }
  template <typename F>
  void EachMember(std::string_view key, F function) {
    const Json* member = Find(key);
    if (member == nullptr) return;
    if (!member->is_object()) return Fail(PathOf(key), "is not an object");
    for (const auto& [name, value] : member->get_ref<const Json::object_t&>()) {
      function(name, value, PathOf(key));
    }
  }

  void Read(const Json& json, const std::string& path, bool& value) {
    if (!json.is_boolean()) return Fail(path, "is not true or false");
    value = json.get<bool>();
  }
  void Read(const Json& json, const std::string& path, std::uint64_t& value) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMaximumCount) {
      return Fail(path, "is not an integer from 0 to 2^53 - 1");
    }
    value = json.get<std::uint64_t>();
  }
  void Read(const Json& json, const std::string& path, std::string& value) {
    if (!json.is_string()) return Fail(path, "is not a text");
    value = json.get_ref<const std::string&>();
  }
  template <typename T>
  void Read(const Json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) return Fail(path, "is not an array");
    values.resize(json.size());
    for (std::size_t i = 0; i < values.size() && error_.empty(); ++i) {
      Read(json[i], absl::StrCat(path, "/", i), values[i]);
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void Read(const Json& json, const std::string& path, T& value) {
    JsonReader reader(json, path, error_);
    Fields(reader, value);
  }

  const Json& object_;
  std::string path_;
  std::string& error_;
};

}  // namespace moescope::profiler
