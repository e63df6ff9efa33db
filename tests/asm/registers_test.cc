// Pools of registers against a plain set of what is lent.

#include "asm/registers.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace moescope::assembler {
namespace {

static_assert(Gp::kCount == 16 && Fp::kCount == 8 && Ar::kCount == 8);
static_assert(Gp(3) == Gp(3) && Gp(3) != Gp(4));
static_assert(kGp0.index() == 0 && kFp0.index() == 0);

// Takes and gives back at random; the pool must lend the lowest free register every time.
template <typename R>
void CheckPool(unsigned first, std::uint32_t seed) {
  std::mt19937 random(seed);
  RegisterPool<R> pool;
  using Loan = typename RegisterPool<R>::Loan;
  std::vector<std::pair<unsigned, Loan>> loans;
  std::set<unsigned> free;
  for (unsigned i = first; i < R::kCount; ++i) free.insert(i);
  for (int step = 0; step < 2'000; ++step) {
    ASSERT_EQ(pool.available(), free.size());
    const bool take = loans.empty() || (!free.empty() && random() % 2 == 0);
    if (!take) {
      const std::size_t at = random() % loans.size();
      free.insert(loans[at].first);
      std::vector<std::pair<unsigned, Loan>> kept;
      for (std::size_t i = 0; i < loans.size(); ++i) {
        if (i != at) kept.push_back(std::move(loans[i]));
      }
      loans = std::move(kept);
      continue;
    }
    unsigned wanted = *free.begin();
    if (random() % 3 == 0) {
      auto it = free.begin();
      std::advance(it, random() % free.size());
      wanted = *it;
      loans.emplace_back(wanted, pool.Take(R(wanted)));
    } else {
      loans.emplace_back(wanted, pool.Take());
    }
    free.erase(wanted);
    ASSERT_EQ(loans.back().second.get().index(), wanted);
    const R converted = loans.back().second;
    ASSERT_EQ(converted, R(wanted));
  }
}

TEST(RegistersTest, PoolsLendTheLowestFreeRegister) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    CheckPool<Gp>(1, seed);
    CheckPool<Fp>(1, seed);
    CheckPool<Ar>(0, seed);
  }
}

TEST(RegistersTest, ALoanThatMovedAwayGivesNothingBack) {
  RegisterPool<Fp> pool;
  std::optional<RegisterPool<Fp>::Loan> kept;
  {
    RegisterPool<Fp>::Loan loan = pool.Take();
    kept.emplace(std::move(loan));
  }
  EXPECT_EQ(pool.available(), 6u);
  EXPECT_EQ(pool.Take().get(), Fp(2));
  kept.reset();
  EXPECT_EQ(pool.available(), 7u);
  EXPECT_EQ(pool.Take().get(), Fp(1));
}

TEST(RegistersDeathTest, WhatDoesNotExistOrIsInUseCannotBeTaken) {
  EXPECT_EXIT(static_cast<void>(Gp(16)), ::testing::ExitedWithCode(70), "index < kNumber");
  EXPECT_EXIT(static_cast<void>(Fp(8)), ::testing::ExitedWithCode(70), "index < kNumber");
  EXPECT_EXIT(static_cast<void>(Ar(8)), ::testing::ExitedWithCode(70), "index < kNumber");
  RegisterPool<Ar> pool;
  const RegisterPool<Ar>::Loan loan = pool.Take(Ar(5));
  EXPECT_EXIT(static_cast<void>(pool.Take(Ar(5))), ::testing::ExitedWithCode(70), "in use");
  std::vector<RegisterPool<Ar>::Loan> all;
  while (pool.available() > 0) all.push_back(pool.Take());
  EXPECT_EQ(all.size(), 7u);
  EXPECT_EXIT(static_cast<void>(pool.Take()), ::testing::ExitedWithCode(70), "no register is left");
}

}  // namespace
}  // namespace moescope::assembler
