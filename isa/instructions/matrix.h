#pragma once

#include "isa/instruction.h"

// Matrix instructions (isa.md, 5.4). One row is one instruction.

namespace moescope::isa {

inline constexpr Instruction kMatrixInstructions[] = {
    {.mnemonic = "M_MM",
     .encoding = "--------------bbbbaaaa----000001",
     .operands = {Placeholder(), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kMatrixMultiply,
     .execute = [](Machine& m,
                   const Operands& o) { return m.MatrixMultiply(MatrixForm::kPlain, o); },
     .summary = "macc += BLEN rows at rs2 times BLEN columns of the tile at rs1."},
    {.mnemonic = "M_TMM",
     .encoding = "--------------bbbbaaaa----000010",
     .operands = {Placeholder(), VectorSource('a'), MatrixSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kMatrixMultiply,
     .execute = [](Machine& m,
                   const Operands& o) { return m.MatrixMultiply(MatrixForm::kTransposed, o); },
     .summary = "macc += BLEN rows at rs1 times BLEN rows of the tile at rs2, transposed."},
    {.mnemonic = "M_BMM",
     .encoding = "--------------bbbbaaaa0000000011",
     .operands = {Placeholder(), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastMultiply,
     .execute = [](Machine& m,
                   const Operands& o) { return m.MatrixMultiply(MatrixForm::kBroadcast, o); },
     .summary =
         "hmacc += scaled product of MLEN rows, heads interleaved, with HLEN rows of the tile."},
    {.mnemonic = "M_BTMM",
     .encoding = "--------------bbbbaaaa0000000100",
     .operands = {Placeholder(), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastMultiply,
     .execute =
         [](Machine& m, const Operands& o) {
           return m.MatrixMultiply(MatrixForm::kBroadcastTransposed, o);
         },
     .summary =
         "hmacc += scaled product of MLEN rows, heads contiguous, with HLEN columns of the tile."},
    {.mnemonic = "M_BMM_WO",
     .encoding = "iiiiiiiiiiiiiiiiii----dddd000101",
     .operands = {VectorDestination('d'), GpPad(), Immediate18('i')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastWriteOut,
     .execute = [](Machine& m,
                   const Operands& o) { return m.WriteOut(Accumulator::kHeadMatrix, o); },
     .summary = "Rows from rd + imm on = hmacc rounded to bf16; hmacc = 0."},
    {.mnemonic = "M_MM_WO",
     .encoding = "iiiiiiiiiiiiiiiiiiaaaadddd000110",
     .operands = {VectorDestination('d'), OrZero(GpSource('a')), Immediate18('i')},
     .group = Group::kMat,
     .timing = TimingClass::kMatrixWriteOut,
     .execute = [](Machine& m, const Operands& o) { return m.WriteOut(Accumulator::kMatrix, o); },
     .summary = "BLEN lanes of BLEN rows, rs1 rows apart, from rd + imm on = macc rounded to bf16; "
                "macc = 0."},
    {.mnemonic = "M_MV",
     .encoding = "--------------bbbbaaaa----000111",
     .operands = {Placeholder(), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kMatrixVector,
     .execute = [](Machine& m, const Operands& o) { return m.MatrixVector(MatrixForm::kPlain, o); },
     .summary = "vacc += the row at rs2 times BLEN columns of the tile at rs1."},
    {.mnemonic = "M_TMV",
     .encoding = "--------------bbbbaaaa----001000",
     .operands = {Placeholder(), VectorSource('a'), MatrixSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kMatrixVector,
     .execute = [](Machine& m,
                   const Operands& o) { return m.MatrixVector(MatrixForm::kTransposed, o); },
     .summary = "vacc += the row at rs1 times BLEN rows of the tile at rs2, transposed."},
    {.mnemonic = "M_BMV",
     .encoding = "--------------bbbbaaaadddd001001",
     .operands = {OrZero(GpSource('d')), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastVector,
     .execute = [](Machine& m,
                   const Operands& o) { return m.MatrixVector(MatrixForm::kBroadcast, o); },
     .summary = "hvacc += scaled product of one row, heads interleaved, with HLEN rows of the tile "
                "at rs1 + rd."},
    {.mnemonic = "M_BTMV",
     .encoding = "--------------bbbbaaaadddd001010",
     .operands = {OrZero(GpSource('d')), MatrixSource('a'), VectorSource('b')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastVector,
     .execute =
         [](Machine& m, const Operands& o) {
           return m.MatrixVector(MatrixForm::kBroadcastTransposed, o);
         },
     .summary = "hvacc += scaled product of one row, heads contiguous, with HLEN columns of the "
                "tile at rs1 + rd."},
    {.mnemonic = "M_MV_WO",
     .encoding = "iiiiiiiiiiiiiiiiii----dddd001011",
     .operands = {VectorDestination('d'), GpPad(), Immediate18('i')},
     .group = Group::kMat,
     .timing = TimingClass::kVectorWriteOut,
     .execute = [](Machine& m, const Operands& o) { return m.WriteOut(Accumulator::kVector, o); },
     .summary = "BLEN lanes of the row at rd + imm = vacc rounded to bf16; vacc = 0."},
    {.mnemonic = "M_BMV_WO",
     .encoding = "iiiiiiiiiiiiiiiiii----dddd001100",
     .operands = {VectorDestination('d'), GpPad(), Immediate18('i')},
     .group = Group::kMat,
     .timing = TimingClass::kBroadcastVectorWriteOut,
     .execute = [](Machine& m,
                   const Operands& o) { return m.WriteOut(Accumulator::kHeadVector, o); },
     .summary = "One row per head from rd + imm on = hvacc rounded to bf16; hvacc = 0."},
};

}  // namespace moescope::isa
