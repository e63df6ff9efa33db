// Vocabularies of any size and order, and sets of groups, against lists that do the same the slow
// way.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stages/group_set.h"
#include "stages/stage.h"
#include "stages/vocabulary.h"

namespace moescope::stages {
namespace {

// The display order as a list: a stage goes behind the one it names and everything that was put
// behind that one before, or to the end.
class ModelOrder {
 public:
  ModelOrder() {
    for (const BuiltinName& builtin : kBuiltinStages) Add(std::string(builtin.name), "");
  }

  void Add(const std::string& name, const std::string& after) {
    const std::size_t depth = after.empty() ? 0 : depths_[after] + 1;
    auto at = names_.end();
    if (!after.empty()) {
      at = std::find(names_.begin(), names_.end(), after) + 1;
      while (at != names_.end() && depths_[*at] >= depth) ++at;
    }
    names_.insert(at, name);
    depths_[name] = depth;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> depths_;
};

struct Definition {
  std::string name, after, parent, scope;
};

std::string TomlOf(const std::vector<Definition>& definitions) {
  std::string toml = "schema = \"moescope.stages\"\nversion = 1\n";
  for (const Definition& d : definitions) {
    absl::StrAppend(&toml, "[[stage]]\nname = \"", d.name, "\"\nsummary = \"Does it.\"\nscope = \"",
                    d.scope, "\"\n");
    if (!d.after.empty()) absl::StrAppend(&toml, "after = \"", d.after, "\"\n");
    if (!d.parent.empty()) absl::StrAppend(&toml, "parent = \"", d.parent, "\"\n");
  }
  return toml;
}

std::vector<std::string> NamesOf(const Vocabulary& vocabulary) {
  std::vector<std::string> names;
  for (const isa::StageName& name : vocabulary.names()) names.push_back(name.name);
  return names;
}

TEST(VocabularyModelTest, DisplayOrderOfAnyFiles) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    ModelOrder model;
    Vocabulary vocabulary;
    std::map<std::string, Definition> all;
    int number = 0;
    for (std::size_t files = 1 + random() % 3; files > 0; --files) {
      std::vector<Definition> definitions;
      for (std::size_t stages = random() % 8; stages > 0; --stages) {
        Definition d;
        d.name = absl::StrCat("stage_", number++);
        d.scope = random() % 2 == 0 ? "layer" : "pair";
        const std::vector<std::string>& known = model.names();
        if (random() % 3 != 0) d.after = known[random() % known.size()];
        if (random() % 4 == 0) d.parent = known[random() % known.size()];
        model.Add(d.name, d.after);
        all[d.name] = d;
        definitions.push_back(d);
      }
      if (definitions.empty()) continue;
      const absl::Status status = vocabulary.Extend(TomlOf(definitions), "x.toml");
      ASSERT_TRUE(status.ok()) << status;
    }
    ASSERT_EQ(NamesOf(vocabulary), model.names()) << "seed " << seed;
    for (std::uint32_t i = 0; i < vocabulary.names().size(); ++i) {
      const isa::StageName& name = vocabulary.names()[i];
      EXPECT_EQ(vocabulary.Index(name.name), i);
      EXPECT_EQ(vocabulary.Find(name.name)->name(), name.name);
      const auto found = all.find(name.name);
      EXPECT_EQ(found != all.end(), name.origin == isa::StageOrigin::kExtension);
      if (found == all.end()) continue;
      EXPECT_EQ(name.parent, found->second.parent);
      EXPECT_EQ(name.scope == isa::StageScope::kPair, found->second.scope == "pair");
    }
  }
}

// The hash depends on what is defined and in which order it is shown, not on the cut into files.
TEST(VocabularyModelTest, TheCutIntoFilesDoesNotMatter) {
  std::vector<Definition> definitions;
  for (int i = 0; i < 12; ++i) {
    definitions.push_back({absl::StrCat("stage_", i),
                           i % 3 == 0 ? "gather" : absl::StrCat("stage_", i - 1), "",
                           i % 2 == 0 ? "pair" : "layer"});
  }
  Vocabulary whole;
  ASSERT_TRUE(whole.Extend(TomlOf(definitions), "x.toml").ok());
  for (std::size_t cut = 1; cut < definitions.size(); ++cut) {
    Vocabulary parts;
    const auto middle = definitions.begin() + static_cast<std::ptrdiff_t>(cut);
    ASSERT_TRUE(parts.Extend(TomlOf({definitions.begin(), middle}), "a.toml").ok());
    EXPECT_NE(parts.Hash(), whole.Hash());
    ASSERT_TRUE(parts.Extend(TomlOf({middle, definitions.end()}), "b.toml").ok());
    EXPECT_EQ(parts.Hash(), whole.Hash());
    EXPECT_EQ(NamesOf(parts), NamesOf(whole));
  }
}

// A file with any error adds nothing.
TEST(VocabularyModelTest, AFileWithAnErrorAddsNothing) {
  const char* errors[] = {
      "[[stage]]\nname = \"Upper\"\nsummary = \"S.\"\nscope = \"pair\"\n",
      "[[stage]]\nname = \"gather\"\nsummary = \"S.\"\nscope = \"pair\"\n",
      "[[stage]]\nname = \"fine_0\"\nsummary = \"S.\"\nscope = \"pair\"\n",
      "[[stage]]\nname = \"other\"\nsummary = \"S.\"\nscope = \"token\"\n",
      "[[stage]]\nname = \"other\"\nsummary = \"No stop\"\nscope = \"pair\"\n",
      "[[stage]]\nname = \"other\"\nscope = \"pair\"\n",
      "[[stage]]\nname = \"other\"\nsummary = \"S.\"\nscope = \"pair\"\nafter = \"nowhere\"\n",
      "[[stage]]\nname = \"other\"\nsummary = \"S.\"\nscope = \"pair\"\nparent = \"later\"\n",
      "[[stage]]\nname = \"other\"\nsummary = \"S.\"\nscope = \"pair\"\nplausible = [\"X\"]\n",
      "[[stage]]\nname = \"other\"\nsummary = \"S.\"\nscope = \"pair\"\nwhat = 1\n",
  };
  const std::string good = TomlOf({{"fine_0", "", "", "pair"}, {"fine_1", "", "", "layer"}});
  for (const char* error : errors) {
    Vocabulary vocabulary;
    const std::string before = vocabulary.Hash();
    EXPECT_FALSE(vocabulary.Extend(good + error, "x.toml").ok()) << error;
    EXPECT_EQ(vocabulary.Hash(), before) << error;
    EXPECT_FALSE(vocabulary.Index("fine_0").has_value()) << error;
    EXPECT_TRUE(vocabulary.Extend(good, "x.toml").ok());
    EXPECT_TRUE(vocabulary.Index("fine_1").has_value());
  }
}

// ---- Sets of groups -----------------------------------------------------------------------------

TEST(GroupSetModelTest, AgainstASetOfNumbers) {
  std::mt19937 random(2);
  for (int round = 0; round < 2'000; ++round) {
    GroupSet a;
    GroupSet b;
    std::set<std::size_t> in_a;
    std::set<std::size_t> in_b;
    for (std::size_t left = random() % 8; left > 0; --left) {
      const std::size_t x = random() % isa::kGroupCount;
      const std::size_t y = random() % isa::kGroupCount;
      a.Add(static_cast<isa::Group>(x));
      b.Add(static_cast<isa::Group>(y));
      in_a.insert(x);
      in_b.insert(y);
    }
    EXPECT_EQ(a.empty(), in_a.empty());
    EXPECT_EQ(a == b, in_a == in_b);
    EXPECT_EQ(a.ContainsAll(b), std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end()));
    EXPECT_TRUE(GroupSet::All().ContainsAll(a));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
      const auto group = static_cast<isa::Group>(i);
      EXPECT_EQ(a.Contains(group), in_a.contains(i));
      if (in_a.contains(i)) names.emplace_back(isa::GroupName(group));
    }
    EXPECT_EQ(ToString(a), absl::StrJoin(names, " "));
    EXPECT_EQ(ToString(a, "+"), absl::StrJoin(names, "+"));
    a.Add(b);
    in_a.merge(in_b);
    for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
      EXPECT_EQ(a.Contains(static_cast<isa::Group>(i)), in_a.contains(i));
    }
  }
}

TEST(GroupSetModelTest, NamesAreFoundAsWritten) {
  for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
    const auto group = static_cast<isa::Group>(i);
    const std::string name(isa::GroupName(group));
    EXPECT_EQ(FindGroup(name), group);
    EXPECT_FALSE(FindGroup(name + "X").has_value());
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_FALSE(FindGroup(lower).has_value());
  }
  EXPECT_FALSE(FindGroup("").has_value());
}

}  // namespace
}  // namespace moescope::stages
