#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "asm/builder.h"
#include "base/check.h"
#include "moe/emit/lowering.h"
#include "moe/emit/program_map.h"
#include "moe/layer.h"
#include "stages/stage.h"

// What all emitters share. An emitter opens its own region with builder.In and keeps nothing live
// in registers after it returns, unless its request names the register (moe.md, 15.1).

namespace moescope::moe {

using Writer = assembler::Builder::Writer;
using assembler::Ar;
using assembler::Fp;
using assembler::Gp;
using assembler::kFp0;
using assembler::kGp0;
using GpLoan = assembler::RegisterPool<Gp>::Loan;
using FpLoan = assembler::RegisterPool<Fp>::Loan;

struct Emission {
  assembler::Builder& builder;
  const ProgramMap& map;
  const Layer& layer;
  const Lowering& lowering;
  bool zero_row_filled = false;  // zero_row=once: the words hold zeros already

  std::uint32_t m() const { return map.m; }
  std::uint32_t b() const { return map.b; }
  GpLoan TakeGp() { return builder.gp().Take(); }
  FpLoan TakeFp() { return builder.fp().Take(); }
};

// An emitter that serves several stages accepts only those; another is a defect of its caller.
inline void CheckStage(const stages::Attribution& at,
                       std::initializer_list<stages::Stage> allowed) {
  CHECK_BECAUSE(std::find(allowed.begin(), allowed.end(), at.stage) != allowed.end(),
                "an emitter was asked to work for a stage it does not serve");
}

// The first `rows` rows of each of the first `blocks` column blocks of a matrix.
struct RowRange {
  VramMatrix matrix;
  std::uint32_t rows = 0;
  std::uint32_t blocks = 0;
};

// Walks pointers over equally shaped row ranges with hardware loops: `body` is emitted once, and
// pointer i then stands on a row of range i. Nothing is emitted for an empty range.
class RowWalk {
 public:
  RowWalk(Emission& emission, Writer writer, std::vector<RowRange> ranges);

  template <typename Body>
  void Run(Body body) {
    if (ranges_.front().rows == 0 || ranges_.front().blocks == 0) return;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      writer_.LoadConstant(pointers_[i], ranges_[i].matrix.base);
    }
    if (is_contiguous()) {
      Loop(ranges_.front().rows * ranges_.front().blocks, [&] { Step(body, emission_.m()); });
    } else if (ranges_.front().rows == 1) {
      Loop(ranges_.front().blocks, [&] { StepBlocks(body); });
    } else {
      Loop(ranges_.front().blocks, [&] {
        Loop(ranges_.front().rows, [&] { Step(body, emission_.m()); });
        AdvanceToNextBlock();
      });
    }
  }
  Gp pointer(std::size_t i) const { return pointers_[i]; }

 private:
  bool is_contiguous() const;
  void AdvanceToNextBlock();

  template <typename Body>
  void Loop(std::uint32_t count, Body body) {
    const GpLoan counter = emission_.TakeGp();
    writer_.Repeat(counter, count, body);
  }
  template <typename Body>
  void Step(Body body, std::uint32_t step) {
    body();
    for (const GpLoan& pointer : pointers_) writer_.Emit<"S_ADDI_INT">(pointer, pointer, step);
  }
  template <typename Body>
  void StepBlocks(Body body) {
    body();
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      writer_.Emit<"S_ADDI_INT">(pointers_[i], pointers_[i], ranges_[i].matrix.block_step());
    }
  }

  Emission& emission_;
  Writer writer_;
  std::vector<RowRange> ranges_;
  std::vector<GpLoan> pointers_;
};

}  // namespace moescope::moe
