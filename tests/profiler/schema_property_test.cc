// Every property of the profile schema, one by one: what it allows is accepted, and what it forbids
// is refused at its place. The cases are derived from the schema file, so that a new property is
// covered when it appears; an outside validator judges a sample of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "profiler/profile_json.h"
#include "profiler/schema_json.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/outside_validator.h"
#include "tests/support/project_folders.h"

namespace moescope::profiler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Pointer = Json::json_pointer;

std::string SchemaText() {
  return *ReadFile(moescope::test::SourceFolder() + "/profiler/schema/profile-v1.schema.json");
}

// A profile in which every property of the schema is present, with arrays cut to one entry so that
// validating it is quick.
Json Instance() {
  Profile profile = test::RichProfile();
  profile.host = Host{};
  profile.model.missing_interlocks = {{"x", 1}};
  profile.end = {"fault", 1, 1, "FT1", 2, 3};
  profile.not_measured = {{"a", "b"}};
  profile.program.unresolved_markers = {"gathr"};
  // Only the bucket has every member of a stage; hot rows and structures begin with a full one.
  std::swap(profile.stages[0], profile.stages.back());
  Json tree = ParseJson(ProfileText(profile))->value;
  const std::function<void(Json&)> shorten = [&](Json& value) {
    if (value.is_array() && value.size() > 1) value.erase(value.begin() + 1, value.end());
    if (value.is_structured()) {
      for (Json& child : value) shorten(child);
    }
  };
  shorten(tree);
  return tree;
}

// A property of the schema and where the instance has it.
struct Property {
  std::string pointer;
  Json schema;  // with $ref resolved
  bool is_required = true;
};

class Walker {
 public:
  Walker(const Json& root, const Json& instance) : root_(root) { Walk(root, "", instance, true); }

  std::vector<Property> properties;
  std::vector<std::string> maps;     // objects with free member names
  std::vector<std::string> objects;  // objects with closed member names

 private:
  const Json& Resolve(const Json& schema) const {
    if (!schema.contains("$ref")) return schema;
    return root_["$defs"][schema["$ref"].get<std::string>().substr(std::size("#/$defs/") - 1)];
  }

  void Walk(const Json& reference, const std::string& pointer, const Json& value, bool required) {
    const Json& schema = Resolve(reference);
    if (!pointer.empty()) properties.push_back({pointer, schema, required});
    if (schema.contains("properties")) {
      objects.push_back(pointer);
      const Json& names = schema["required"];
      for (const auto& [name, property] : schema["properties"].items()) {
        const bool is_required = std::find(names.begin(), names.end(), name) != names.end();
        ASSERT_TRUE(value.contains(name)) << pointer << "/" << name;
        Walk(property, absl::StrCat(pointer, "/", name), value[name], is_required);
      }
    }
    if (schema.contains("additionalProperties")) {
      maps.push_back(pointer);
      ASSERT_FALSE(value.empty()) << pointer;
      Walk(schema["additionalProperties"], absl::StrCat(pointer, "/", value.begin().key()),
           value.begin().value(), false);
    }
    if (schema.contains("items")) {
      ASSERT_FALSE(value.empty()) << pointer;
      Walk(schema["items"], absl::StrCat(pointer, "/0"), value[0], false);
    }
  }

  const Json& root_;
};

class SchemaPropertyTest : public ::testing::Test {
 protected:
  const Json root_ = Json::parse(SchemaText());
  const SchemaValidator validator_{SchemaText()};
  const Json instance_ = Instance();
  const Walker walker_{root_, instance_};

  Json With(const std::string& pointer, const Json& value) const {
    Json tree = instance_;
    tree[Pointer(pointer)] = value;
    return tree;
  }
  void ExpectGood(const std::string& pointer, const Json& value) const {
    EXPECT_THAT(validator_.Check(With(pointer, value)), IsEmpty()) << pointer << " " << value;
  }
  // Refused at exactly this place.
  void ExpectBad(const std::string& pointer, const Json& value) const {
    const std::vector<std::string> violations = validator_.Check(With(pointer, value));
    ASSERT_FALSE(violations.empty()) << pointer << " " << value;
    EXPECT_TRUE(violations[0].starts_with(pointer + ": ")) << violations[0];
  }
};

bool IsOfType(const Json& schema, const std::string& type) {
  if (!schema.contains("type")) return false;
  const Json& types = schema["type"];
  if (types.is_string()) return types == type;
  return std::find(types.begin(), types.end(), type) != types.end();
}

TEST_F(SchemaPropertyTest, TheInstanceIsValidAndHasEveryProperty) {
  EXPECT_THAT(validator_.Check(instance_), IsEmpty());
  EXPECT_GE(walker_.properties.size(), 250u);
  EXPECT_GE(walker_.objects.size(), 60u);
  EXPECT_GE(walker_.maps.size(), 10u);
}

TEST_F(SchemaPropertyTest, TypesAreChecked) {
  const std::vector<std::pair<std::string, Json>> samples = {{"integer", 7},
                                                             {"string", "x"},
                                                             {"boolean", true},
                                                             {"array", Json::array()},
                                                             {"object", Json::object()},
                                                             {"null", nullptr}};
  for (const Property& property : walker_.properties) {
    for (const auto& [type, value] : samples) {
      if (!IsOfType(property.schema, type)) ExpectBad(property.pointer, value);
    }
    ExpectBad(property.pointer, 1.5);
  }
}

TEST_F(SchemaPropertyTest, IntegersHaveTheirRange) {
  int checked = 0;
  for (const Property& property : walker_.properties) {
    if (!IsOfType(property.schema, "integer")) continue;
    const std::uint64_t low = property.schema["minimum"];
    const std::uint64_t high = property.schema["maximum"];
    ExpectGood(property.pointer, low);
    ExpectGood(property.pointer, low + 1);
    ExpectGood(property.pointer, high - 1);
    ExpectGood(property.pointer, high);
    ExpectBad(property.pointer, high + 1);
    ExpectBad(property.pointer, UINT64_MAX);
    ExpectBad(property.pointer, low == 0 ? Json(-1) : Json(low - 1));
    ++checked;
  }
  EXPECT_GE(checked, 150);
}

TEST_F(SchemaPropertyTest, TextsHaveTheirLengthAndForm) {
  int checked = 0;
  for (const Property& property : walker_.properties) {
    const Json& schema = property.schema;
    if (!IsOfType(schema, "string") || IsOfType(schema, "integer")) continue;
    const std::size_t most = schema["maxLength"];
    const std::string longest(most, 'x');
    ++checked;
    ExpectBad(property.pointer, longest + "x");
    if (schema.contains("pattern")) {
      for (const char* wrong : {"", "!", " ", "\n", "sha256:", "0", "_", "aB", "Ab"}) {
        ExpectBad(property.pointer, wrong);
      }
      continue;
    }
    ExpectGood(property.pointer, longest);
    const bool may_be_empty = !schema.contains("minLength");
    may_be_empty ? ExpectGood(property.pointer, "") : ExpectBad(property.pointer, "");
    // Lengths count characters, not bytes.
    std::string accents;
    for (std::size_t i = 0; i < most; ++i) accents += "\xC3\xA9";
    ExpectGood(property.pointer, accents);
  }
  EXPECT_GE(checked, 30);
}

TEST_F(SchemaPropertyTest, EnumerationsAreClosed) {
  int checked = 0;
  for (const Property& property : walker_.properties) {
    const Json& schema = property.schema;
    if (schema.contains("const")) {
      ExpectGood(property.pointer, schema["const"]);
      ExpectBad(property.pointer, schema["const"].is_string() ? Json("other") : Json(99));
      ++checked;
    }
    if (!schema.contains("enum")) continue;
    for (const Json& value : schema["enum"]) {
      ExpectGood(property.pointer, value);
      ExpectBad(property.pointer, value.get<std::string>() + "s");
    }
    ExpectBad(property.pointer, "");
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

TEST_F(SchemaPropertyTest, RequiredMembersAreRequired) {
  for (const Property& property : walker_.properties) {
    const std::size_t slash = property.pointer.rfind('/');
    const std::string parent = property.pointer.substr(0, slash);
    const std::string name = property.pointer.substr(slash + 1);
    Json tree = instance_;
    Json& object = tree[Pointer(parent)];
    if (!object.is_object()) continue;
    object.erase(name);
    const std::vector<std::string> violations = validator_.Check(tree);
    if (!property.is_required) {
      EXPECT_THAT(violations, IsEmpty()) << property.pointer;
      continue;
    }
    ASSERT_EQ(violations.size(), 1u) << property.pointer;
    EXPECT_EQ(violations[0],
              absl::StrCat(parent.empty() ? "the top level" : parent, ": '", name, "' is missing"));
  }
}

TEST_F(SchemaPropertyTest, ObjectsTakeNoOtherMembers) {
  for (const std::string& pointer : walker_.objects) {
    const std::vector<std::string> violations = validator_.Check(With(pointer + "/zz_unknown", 1));
    ASSERT_EQ(violations.size(), 1u) << pointer;
    EXPECT_THAT(violations[0], HasSubstr("'zz_unknown' is not a known member"));
  }
}

TEST_F(SchemaPropertyTest, MapsCheckTheNamesOfTheirMembers) {
  for (const std::string& pointer : walker_.maps) {
    const Json sample = instance_.at(Pointer(pointer)).begin().value();
    Json tree = instance_;
    AppendMember(tree[Pointer(pointer)], "") = sample;
    const std::vector<std::string> violations = validator_.Check(tree);
    ASSERT_FALSE(violations.empty()) << pointer;
    EXPECT_THAT(violations[0], HasSubstr("(a member name)")) << pointer;
  }
}

TEST_F(SchemaPropertyTest, MembersStandInTheOrderOfTheSchema) {
  int swapped = 0;
  for (const std::string& pointer : walker_.objects) {
    const Json& object = instance_.at(Pointer(pointer));
    const Json::object_t& map = object.get_ref<const Json::object_t&>();
    const std::vector<std::pair<std::string, Json>> members(map.begin(), map.end());
    for (std::size_t i = 1; i < members.size(); ++i) {
      Json reordered = Json::object();
      for (std::size_t j = 0; j < members.size(); ++j) {
        const std::size_t from = j == i - 1 ? i : j == i ? i - 1 : j;
        AppendMember(reordered, members[from].first) = members[from].second;
      }
      Json tree = reordered;
      if (!pointer.empty()) tree = With(pointer, reordered);
      const std::vector<std::string> violations = validator_.Check(tree);
      ASSERT_EQ(violations.size(), 1u) << pointer << " " << members[i].first;
      EXPECT_THAT(violations[0],
                  HasSubstr(absl::StrCat("'", members[i - 1].first, "' stands too late")));
      ++swapped;
    }
  }
  EXPECT_GE(swapped, 200);
}

TEST_F(SchemaPropertyTest, ArraysHaveTheirLength) {
  for (const std::size_t size : {1u, 511u, 512u}) {
    ExpectGood("/timeline/hbm_read_bytes", Json(std::vector<unsigned>(size, 0)));
  }
  ExpectBad("/timeline/hbm_read_bytes", Json(std::vector<unsigned>(513, 0)));
  ExpectGood("/timeline/hbm_read_bytes", Json::array());
  ExpectBad("/stages", Json::array());
}

// A bad value of every ninth property, a foreign member in every ninth object: the outside
// validator is slow.
TEST_F(SchemaPropertyTest, AnOutsideValidatorAgrees) {
  using moescope::test::OutsideValidator;
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator outside("schema_properties");
  outside.AddGood(instance_.dump());
  constexpr std::size_t kStride = 9;
  for (std::size_t i = 0; i < walker_.properties.size(); i += kStride) {
    const Property& property = walker_.properties[i];
    Json wrong = nullptr;
    if (IsOfType(property.schema, "integer")) {
      wrong = property.schema["maximum"].get<std::uint64_t>() + 1;
    }
    if (property.schema.contains("pattern")) wrong = "!";
    if (property.schema.contains("enum")) wrong = "nope";
    outside.AddBad(With(property.pointer, wrong).dump());
  }
  for (std::size_t i = 0; i < walker_.objects.size(); i += kStride) {
    outside.AddBad(With(walker_.objects[i] + "/zz_unknown", 1).dump());
  }
  EXPECT_TRUE(outside.Agrees("profiler/schema/profile-v1.schema.json"));
}

}  // namespace
}  // namespace moescope::profiler
