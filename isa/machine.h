#pragma once

#include <cstdint>

namespace moescope::isa {

// Operand fields of one decoded word (isa.md, section 2). Fields that the instruction does not have
// are 0.
struct Operands {
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t rs3 = 0;
  std::uint8_t funct1 = 0;
  std::uint32_t imm = 0;

  friend bool operator==(const Operands&, const Operands&) = default;
};

// What the program counter does after an instruction. On kJump the machine holds the target, on
// kFault the fault; a faulting verb has changed nothing.
enum class Step : std::uint8_t { kNext, kJump, kHalt, kFault };

enum class BinaryOp : std::uint8_t { kAdd, kSubtract, kMultiply, kMaximum, kMinimum };
enum class Function : std::uint8_t { kExp, kReciprocal, kSquareRoot };
enum class Reduction : std::uint8_t { kSum, kMaximum };
// kPlain multiplies by the tile, kTransposed by its transpose; the broadcast forms treat every
// head.
enum class MatrixForm : std::uint8_t { kPlain, kTransposed, kBroadcast, kBroadcastTransposed };
// The four independent accumulators: macc, vacc, hmacc, hvacc of isa.md, 1.3.
enum class Accumulator : std::uint8_t { kMatrix, kVector, kHeadMatrix, kHeadVector };
enum class ControlRegister : std::uint8_t { kScale, kStride, kVectorMask };

// The verbs that instruction rows are written in. The emulator implements them; the exact effect of
// each, its checks and their order are those of isa.md, sections 4 to 6. A verb reads all operands
// before it writes anything.
class Machine {
 public:
  virtual ~Machine() = default;

  // Integer registers and INT_MEM.
  virtual Step IntegerBinary(BinaryOp op, const Operands& o) = 0;
  virtual Step IntegerAddImmediate(const Operands& o) = 0;
  virtual Step IntegerLoadUpper(const Operands& o) = 0;
  virtual Step IntegerLoad(const Operands& o) = 0;
  virtual Step IntegerStore(const Operands& o) = 0;

  // Floating-point registers and FP_MEM.
  virtual Step ScalarBinary(BinaryOp op, const Operands& o) = 0;
  virtual Step ScalarUnary(Function function, const Operands& o) = 0;
  virtual Step ScalarLoad(const Operands& o) = 0;
  virtual Step ScalarStore(const Operands& o) = 0;
  virtual Step MapScalarsToVector(const Operands& o) = 0;

  // Vector rows. VectorScalar with kSubtract honours the order bit (funct1).
  virtual Step VectorVector(BinaryOp op, const Operands& o) = 0;
  virtual Step VectorScalar(BinaryOp op, const Operands& o) = 0;
  virtual Step VectorUnary(Function function, const Operands& o) = 0;
  virtual Step VectorShift(const Operands& o) = 0;
  virtual Step VectorReduce(Reduction reduction, const Operands& o) = 0;
  virtual Step VectorTopK(const Operands& o) = 0;

  // Matrix tile times BLEN rows (MatrixMultiply) or one row (MatrixVector); accumulator to VRAM.
  virtual Step MatrixMultiply(MatrixForm form, const Operands& o) = 0;
  virtual Step MatrixVector(MatrixForm form, const Operands& o) = 0;
  virtual Step WriteOut(Accumulator accumulator, const Operands& o) = 0;

  // HBM transfers.
  virtual Step PrefetchMatrix(const Operands& o) = 0;
  virtual Step PrefetchVector(const Operands& o) = 0;
  virtual Step StoreVector(const Operands& o) = 0;

  // Control.
  virtual Step SetAddressRegister(const Operands& o) = 0;
  virtual Step SetControlRegister(ControlRegister target, const Operands& o) = 0;
  virtual Step SetTopKShape(const Operands& o) = 0;
  virtual Step LoopStart(const Operands& o) = 0;
  virtual Step LoopEnd(const Operands& o) = 0;
  virtual Step Halt(const Operands& o) = 0;
};

}  // namespace moescope::isa
