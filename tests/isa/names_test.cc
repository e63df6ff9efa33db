#include "isa/names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace moescope::isa {
namespace {

TEST(NamesTest, EveryNameIsReadBack) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kTimingClassCount; ++i) {
    const auto timing = static_cast<TimingClass>(i);
    EXPECT_EQ(ParseTimingClass(TimingClassName(timing)), timing);
    EXPECT_TRUE(names.insert(TimingClassName(timing)).second);
  }
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    EXPECT_EQ(ParseGroup(GroupName(static_cast<Group>(i))), static_cast<Group>(i));
  }
  names.clear();
  for (int i = 0; i <= static_cast<int>(OperandKind::kPlaceholder); ++i) {
    const auto kind = static_cast<OperandKind>(i);
    EXPECT_EQ(ParseOperandKind(OperandKindName(kind)), kind);
    EXPECT_TRUE(names.insert(OperandKindName(kind)).second);
  }
  for (const Presence presence : {Presence::kRequired, Presence::kOptional, Presence::kPad}) {
    EXPECT_EQ(ParsePresence(PresenceName(presence)), presence);
  }
  EXPECT_EQ(TimingClassName(TimingClass::kStoreVector), "store_vector");
  EXPECT_EQ(OperandKindName(OperandKind::kHbmBase), "hbm_base");
}

TEST(NamesTest, UnknownNames) {
  EXPECT_EQ(ParseTimingClass("vector"), std::nullopt);
  EXPECT_EQ(ParseOperandKind(""), std::nullopt);
  EXPECT_EQ(ParsePresence("Required"), std::nullopt);
  EXPECT_EQ(ParseGroup("int"), std::nullopt);
  EXPECT_EQ(FieldName('x'), "");
}

TEST(NamesTest, Versions) {
  EXPECT_EQ(ParseVersion("1.1"), (Version{1, 1}));
  EXPECT_EQ(ParseVersion("0.9999"), (Version{0, 9999}));
  for (const char* text :
       {"", "1", "1.", ".1", "1.1.1", "01.1", "1.01", "-1.0", "1.10000", " 1.0", "1.a", "+1.0"}) {
    EXPECT_EQ(ParseVersion(text), std::nullopt) << text;
  }
  EXPECT_EQ(VersionText({1, 10}), "1.10");
}

}  // namespace
}  // namespace moescope::isa
