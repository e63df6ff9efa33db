#include "profiler/routing_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Ids = std::vector<std::uint32_t>;

TEST(RoutingRecordTest, CountsAndObserves) {
  const Ids pairs = {0, 1, 3, 9};
  RoutingRecord record(pairs);
  record.Add(4, Ids{2, 0}, false);
  record.Add(4, Ids{3, 2}, false);
  EXPECT_EQ(record.executions(), 2u);
  EXPECT_EQ(record.num_experts(), 4u);
  EXPECT_EQ(record.top_k(), 2u);
  EXPECT_THAT(record.counts(), ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(record.Ids(), ElementsAre(ElementsAre(2, 0), ElementsAre(3, 2)));
  EXPECT_EQ(record.ObservedExpert(0), 2u);
  EXPECT_EQ(record.ObservedExpert(1), 0u);
  EXPECT_EQ(record.ObservedExpert(2), 2u);  // pair 3: execution 1, rank 1
  EXPECT_FALSE(record.ObservedExpert(3).has_value());
}

TEST(RoutingRecordTest, DifferentShapesMakeTheObservationUnusable) {
  const Ids pairs = {0};
  RoutingRecord record(pairs);
  record.Add(4, Ids{2, 0}, false);
  EXPECT_EQ(record.ObservedExpert(0), 2u);
  record.Add(8, Ids{7}, false);
  EXPECT_FALSE(record.ObservedExpert(0).has_value());
  EXPECT_FALSE(record.num_experts().has_value());
  EXPECT_FALSE(record.top_k().has_value());
  EXPECT_THAT(record.counts(), SizeIs(8));
  record.Add(4, Ids{1, 2}, false);  // the first shape again does not mend it
  EXPECT_FALSE(record.top_k().has_value());
}

TEST(RoutingRecordTest, ATopkAfterPairWorkMakesTheObservationUnusable) {
  const Ids pairs = {0, 1};
  RoutingRecord record(pairs);
  record.Add(4, Ids{2, 0}, false);
  record.Add(4, Ids{1, 0}, true);
  EXPECT_FALSE(record.ObservedExpert(0).has_value());
  EXPECT_EQ(record.top_k(), 2u);
}

TEST(RoutingRecordTest, NoMoreThan65536IdsAreKept) {
  RoutingRecord record;
  const Ids ids(6, 1);
  for (int i = 0; i < 11'000; ++i) record.Add(8, ids, false);
  EXPECT_THAT(record.Ids(), SizeIs(65536 / 6));
  EXPECT_EQ(record.executions(), 11'000u);
  EXPECT_EQ(record.counts()[1], 66'000u);
}

TEST(RoutingRecordTest, IdsBeyondTheShapeAreCounted) {
  RoutingRecord record;
  record.Add(2, Ids{5}, false);
  EXPECT_THAT(record.counts(), ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST(RoutingRecordTest, NothingHappened) {
  const Ids pairs = {0};
  const RoutingRecord record(pairs);
  EXPECT_EQ(record.executions(), 0u);
  EXPECT_FALSE(record.top_k().has_value());
  EXPECT_THAT(record.counts(), IsEmpty());
  EXPECT_FALSE(record.ObservedExpert(0).has_value());
}

}  // namespace
}  // namespace moescope::profiler
