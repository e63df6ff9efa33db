#include "tests/emulator/naive_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/functions.h"

namespace moescope::test {
namespace {

float Tree(std::vector<float> x) {
  while (x.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) next.push_back(x[i] + x[i + 1]);
    if (x.size() % 2 == 1) next.push_back(x.back());
    x = next;
  }
  return x[0];
}

}  // namespace

std::optional<NaiveMachine::Category> NaiveMachine::Execute(const isa::Instruction& row,
                                                            const isa::Operands& o) {
  fault_.reset();
  const std::string name(row.mnemonic);
  if (name.starts_with("S_") && name.ends_with("_INT")) Integer(name, o);
  if (name.starts_with("S_") && name.ends_with("_FP")) Scalar(name, o);
  if (name.starts_with("V_")) Vector(name, o);
  if (name.starts_with("M_")) name.ends_with("_WO") ? WriteOut(name, o) : Matrix(name, o);
  if (name.starts_with("H_")) Transfer(name, o);
  if (name.starts_with("C_SET_")) Set(name, o);
  r.gp[0] = 0;
  r.fp[0] = 0;
  return fault_;
}

void NaiveMachine::Integer(const std::string& name, const isa::Operands& o) {
  const std::uint32_t a = r.gp[o.rs1];
  const std::uint32_t word = a + o.imm;
  if (name == "S_ADD_INT") r.gp[o.rd] = a + r.gp[o.rs2];
  if (name == "S_SUB_INT") r.gp[o.rd] = a - r.gp[o.rs2];
  if (name == "S_MUL_INT") r.gp[o.rd] = a * r.gp[o.rs2];
  if (name == "S_ADDI_INT") r.gp[o.rd] = a + o.imm;
  if (name == "S_LUI_INT") r.gp[o.rd] = o.imm * 4096u;
  if (name != "S_LD_INT" && name != "S_ST_INT") return;
  if (Fail(word >= int_mem.size(), Category::kOutOfRange)) return;
  if (name == "S_LD_INT") {
    r.gp[o.rd] = int_mem[word];
  } else {
    int_mem[word] = r.gp[o.rd];
  }
}

void NaiveMachine::Scalar(const std::string& name, const isa::Operands& o) {
  const Bf16 a = r.fp[o.rs1 % 8];
  const Bf16 b = r.fp[o.rs2 % 8];
  if (name == "S_ADD_FP") r.fp[o.rd] = Bf(F(a) + F(b));
  if (name == "S_SUB_FP") r.fp[o.rd] = Bf(F(a) - F(b));
  if (name == "S_MUL_FP") r.fp[o.rd] = Bf(F(a) * F(b));
  if (name == "S_MAX_FP") r.fp[o.rd] = Max(a, b);
  if (name == "S_EXP_FP") r.fp[o.rd] = Bf(isa::ExpClamped(F(a)));
  if (name == "S_RECI_FP") r.fp[o.rd] = Bf(1.0f / F(a));
  if (name == "S_SQRT_FP") r.fp[o.rd] = Bf(std::sqrt(F(a)));
  const std::uint32_t word = r.gp[o.rs1] + o.imm;
  if (name == "S_LD_FP" && !Fail(word >= fp_mem.size(), Category::kOutOfRange)) {
    r.fp[o.rd] = fp_mem[word];
  }
  if (name == "S_ST_FP" && !Fail(word >= fp_mem.size(), Category::kOutOfRange)) {
    fp_mem[word] = r.fp[o.rd];
  }
  if (name == "S_MAP_V_FP") {
    const std::uint32_t to = r.gp[o.rd];
    if (Fail(to % vlen_ != 0, Category::kAlignment) ||
        Fail(to >= vram.size() || word + vlen_ > fp_mem.size(), Category::kOutOfRange)) {
      return;
    }
    for (std::uint64_t i = 0; i < vlen_; ++i) vram[to + i] = fp_mem[word + i];
  }
}

void NaiveMachine::Vector(const std::string& name, const isa::Operands& o) {
  if (name == "V_TOPK") return TopK(o);
  const bool masked = o.rs3 != 0 && name != "V_SHFT_V";
  if (Fail(masked && vlen_ / hlen_ > 32, Category::kUnsupported)) return;
  const bool reduces = name.starts_with("V_RED");
  const bool two = name.ends_with("_VV");
  const std::uint32_t to = reduces ? 0 : r.gp[o.rd];
  const std::uint32_t a = r.gp[o.rs1];
  const std::uint32_t b = two ? r.gp[o.rs2] : 0;
  if (Fail(to % vlen_ != 0 || a % vlen_ != 0 || b % vlen_ != 0, Category::kAlignment)) return;
  if (Fail(to >= vram.size() || a >= vram.size() || b >= vram.size(), Category::kOutOfRange)) {
    return;
  }
  if (reduces) return Reduce(name, o, a, masked);
  const Bf16 f = r.fp[o.rs2 % 8];
  std::vector<Bf16> result(vlen_);
  for (std::uint64_t i = 0; i < vlen_; ++i) {
    const Bf16 x = vram[a + i];
    const Bf16 y = two ? vram[b + i] : f;
    Bf16 z = x;
    if (name.starts_with("V_ADD")) z = Bf(F(x) + F(y));
    if (name.starts_with("V_SUB")) {
      z = o.funct1 == 0 ? Bf(F(x) - F(y)) : Bf(F(y) - F(x));
    }
    if (name.starts_with("V_MUL")) z = Bf(F(x) * F(y));
    if (name == "V_MAX_VF") z = Max(x, y);
    if (name == "V_MIN_VF") z = Min(x, y);
    if (name == "V_EXP_V") z = Bf(isa::ExpClamped(F(x)));
    if (name == "V_RECI_V") z = Bf(1.0f / F(x));
    if (name == "V_SHFT_V") z = i >= r.gp[o.rs2] ? vram[a + i - r.gp[o.rs2]] : Bf16{0};
    result[i] = masked && !HeadOn(i) ? x : z;
  }
  std::copy(result.begin(), result.end(), vram.begin() + to);
}

void NaiveMachine::Reduce(const std::string& name, const isa::Operands& o, std::uint32_t a,
                          bool masked) {
  const bool reference = m_.dialect.masked_reduction == emulator::MaskedReduction::kReference;
  if (name == "V_RED_MAX") {
    Bf16 best = r.fp[o.rd];
    for (std::uint64_t i = 0; i < vlen_; ++i) {
      if (!masked || reference || HeadOn(i)) best = Max(best, vram[a + i]);
    }
    r.fp[o.rd] = std::isnan(F(best)) ? Bf16{0x7FC0} : best;
    return;
  }
  std::vector<float> x(vlen_);
  for (std::uint64_t i = 0; i < vlen_; ++i) {
    x[i] = !masked || reference || HeadOn(i) ? F(vram[a + i]) : 0.0f;
  }
  for (std::uint64_t h = 0; masked && reference && h < vlen_ / hlen_; ++h) {
    if (!HeadOn(h * hlen_)) continue;
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(h * hlen_);
    const auto end = begin + static_cast<std::ptrdiff_t>(hlen_);
    std::fill(begin, end, Tree(std::vector<float>(begin, end)));
  }
  r.fp[o.rd] = Bf(F(r.fp[o.rd]) + Tree(x));
}

void NaiveMachine::TopK(const isa::Operands& o) {
  std::uint64_t experts = o.rs3 == 0 ? 32 : 128;
  std::uint64_t k = o.rs3 == 0 ? 4 : 8;
  if (o.rs3 == 15) {
    if (Fail(!r.topk.has_value(), Category::kIllegalOperand)) return;
    experts = *r.topk >> 8;
    k = *r.topk & 255;
  }
  const std::uint64_t from = r.gp[o.rs1];
  const std::uint64_t rows = (experts + vlen_ - 1) / vlen_;
  if (Fail(from % vlen_ != 0, Category::kAlignment)) return;
  if (Fail(from + rows * vlen_ > vram.size() || r.gp[o.rs2] + k > int_mem.size() ||
               r.gp[o.rd] + k > fp_mem.size(),
           Category::kOutOfRange)) {
    return;
  }
  std::vector<float> logits;
  for (std::uint64_t i = 0; i < experts; ++i) {
    const float x = F(vram[from + i]);
    logits.push_back(std::isnan(x) ? -std::numeric_limits<float>::infinity() : x);
  }
  std::vector<std::uint32_t> chosen;
  while (chosen.size() < k) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < experts; ++i) {
      if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
      if (!best || logits[i] > logits[*best]) best = i;
    }
    chosen.push_back(*best);
  }
  float sum = 0;
  std::vector<float> e;
  for (const std::uint32_t i : chosen) {
    e.push_back(isa::Exp(logits[i] - logits[chosen[0]]));
    sum += e.back();
  }
  for (std::size_t j = 0; j < k; ++j) {
    int_mem[r.gp[o.rs2] + j] = chosen[j];
    fp_mem[r.gp[o.rd] + j] = std::isfinite(sum) && sum > 0 ? Bf(e[j] / sum) : Bf16{0};
  }
}

void NaiveMachine::Set(const std::string& name, const isa::Operands& o) {
  const std::uint32_t v = r.gp[o.rd];
  if (name == "C_SET_SCALE_REG") r.scale = v;
  if (name == "C_SET_STRIDE_REG") r.stride = v;
  if (name == "C_SET_V_MASK_REG") r.vector_mask = v;
  if (name == "C_SET_ADDR_REG") {
    r.address[o.rd] = (std::uint64_t{r.gp[o.rs1]} << 32) + r.gp[o.rs2];
  }
  if (name == "C_SET_TOPK_REG") {
    if (Fail((v & 255) < 1 || (v & 255) > v >> 8, Category::kIllegalOperand)) return;
    r.topk = v;
  }
}

}  // namespace moescope::test
