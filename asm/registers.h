#pragma once

#include <bitset>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "isa/operand.h"

namespace moescope::assembler {

// A register of one file. Creating one that does not exist is a defect of the caller: it does not
// compile in a constant expression and fails a CHECK otherwise.
template <isa::RegisterFile kFileOfRegister, unsigned kNumber>
class Register {
 public:
  static constexpr isa::RegisterFile kFile = kFileOfRegister;
  static constexpr unsigned kCount = kNumber;

  constexpr explicit Register(unsigned index) : index_(static_cast<std::uint8_t>(index)) {
    CHECK(index < kNumber);
  }
  constexpr unsigned index() const { return index_; }

  friend constexpr bool operator==(Register, Register) = default;

 private:
  std::uint8_t index_;
};

using Gp = Register<isa::RegisterFile::kGp, 16>;
using Fp = Register<isa::RegisterFile::kFp, 8>;
using Ar = Register<isa::RegisterFile::kAddress, 8>;

// Read as zero; writes are dropped.
inline constexpr Gp kGp0{0};
inline constexpr Fp kFp0{0};

// Lends the registers of one file, so that emitters do not agree on numbers by hand. gp0 and f0 are
// never lent.
template <typename R>
class RegisterPool {
 public:
  // Gives its register back when it goes out of scope. Must not outlive the pool.
  class Loan {
   public:
    Loan(Loan&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), register_(other.register_) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Loan& operator=(Loan&&) = delete;
    ~Loan() {
      if (pool_ != nullptr) pool_->lent_.reset(register_.index());
    }
    operator R() const { return register_; }  // NOLINT: a loan stands for its register
    R get() const { return register_; }

   private:
    friend class RegisterPool;
    Loan(RegisterPool* pool, R lent) : pool_(pool), register_(lent) {}

    RegisterPool* pool_;
    R register_;
  };

  RegisterPool() = default;
  RegisterPool(const RegisterPool&) = delete;
  RegisterPool& operator=(const RegisterPool&) = delete;

  // The lowest free register; none being left is a defect of the caller (CHECK).
  [[nodiscard]] Loan Take() {
    for (unsigned i = kFirst; i < R::kCount; ++i) {
      if (lent_.test(i)) continue;
      lent_.set(i);
      return Loan(this, R(i));
    }
    CHECK_BECAUSE(false, "no register is left");
  }
  // A certain register, which must be free.
  [[nodiscard]] Loan Take(R wanted) {
    CHECK_BECAUSE(!lent_.test(wanted.index()), "the register is in use");
    lent_.set(wanted.index());
    return Loan(this, wanted);
  }
  unsigned available() const {
    return static_cast<unsigned>(R::kCount - kFirst - (lent_ >> kFirst).count());
  }

 private:
  static constexpr unsigned kFirst = R::kFile == isa::RegisterFile::kAddress ? 0 : 1;
  std::bitset<R::kCount> lent_;
};

}  // namespace moescope::assembler
