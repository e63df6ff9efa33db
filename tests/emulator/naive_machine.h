#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "isa/functions.h"
#include "isa/instruction_set.h"
#include "isa/row_codec.h"

namespace moescope::test {

// The instruction manual once more, written for reading: one operand at a time, std::fma, plain
// vectors, no tricks. The executor must agree with it on everything.
class NaiveMachine {
 public:
  using Category = emulator::FaultCategory;
  using Bf16 = isa::Bf16;

  explicit NaiveMachine(const emulator::MachineDescription& machine)
      : m_(machine),
        vlen_(machine.shape.vlen),
        mlen_(machine.shape.mlen),
        blen_(machine.shape.blen),
        hlen_(machine.shape.hlen),
        b_(machine.shape.broadcast),
        tiles_(machine.memory.matrix_rows / machine.shape.mlen),
        vram(machine.memory.vector_rows * vlen_),
        mram(tiles_ * mlen_ * mlen_),
        int_mem(machine.memory.int_words),
        fp_mem(machine.memory.fp_words),
        macc(blen_ * blen_),
        vacc(blen_),
        hmacc(b_ * mlen_ * mlen_),
        hvacc(b_ * mlen_) {}

  // Executes one instruction that is no loop instruction; the category of its fault, if any.
  std::optional<Category> Execute(const isa::Instruction& row, const isa::Operands& o) {
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

  bool Agrees(const emulator::MachineState& s) const {
    bool same = s.registers == r;
    for (std::size_t i = 0; i < vram.size(); ++i) {
      same = same && s.vram.Read(i / vlen_)[i % vlen_] == vram[i];
    }
    for (std::size_t i = 0; i < mram.size(); ++i) {
      same = same && Same(s.mram.Read(i / (mlen_ * mlen_))[i % (mlen_ * mlen_)], mram[i]);
    }
    for (std::size_t i = 0; i < int_mem.size(); ++i) same = same && s.int_mem.Read(i) == int_mem[i];
    for (std::size_t i = 0; i < fp_mem.size(); ++i) same = same && s.fp_mem.Read(i) == fp_mem[i];
    for (const auto& [address, byte] : hbm) {
      std::uint8_t stored = 0;
      s.hbm.Read(address, {&stored, 1});
      same = same && stored == byte;
    }
    return same && Same(s.accumulators.matrix, macc) && Same(s.accumulators.vector, vacc) &&
           Same(s.accumulators.head_matrix, hmacc) && Same(s.accumulators.head_vector, hvacc);
  }

 private:
  const emulator::MachineDescription& m_;
  std::uint64_t vlen_, mlen_, blen_, hlen_, b_, tiles_;
  std::optional<Category> fault_;

 public:
  emulator::Registers r;
  std::vector<Bf16> vram;
  std::vector<float> mram;
  std::vector<std::uint32_t> int_mem;
  std::vector<Bf16> fp_mem;
  std::vector<float> macc, vacc, hmacc, hvacc;
  std::map<std::uint64_t, std::uint8_t> hbm;

 private:
  // NaN as a class: inside accumulators and MRAM its bits are free.
  static bool Same(float a, float b) {
    return std::isnan(a) ? std::isnan(b)
                         : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
  static bool Same(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.empty()) return std::all_of(b.begin(), b.end(), [](float x) { return Same(x, 0.0f); });
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](float x, float y) { return Same(x, y); });
  }
  static float F(Bf16 x) { return isa::Bf16ToFloat(x); }
  static Bf16 Bf(float x) { return isa::FloatToBf16(x); }
  bool Fail(bool condition, Category category) {
    if (condition && !fault_) fault_ = category;
    return condition;
  }
  bool HeadOn(std::uint64_t lane) const { return (r.vector_mask >> (lane / hlen_) & 1) != 0; }

  void Integer(const std::string& name, const isa::Operands& o) {
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

  static Bf16 Max(Bf16 a, Bf16 b) {
    if (std::isnan(F(a)) || std::isnan(F(b))) return 0x7FC0;
    return F(b) > F(a) ? b : a;
  }
  static Bf16 Min(Bf16 a, Bf16 b) {
    if (std::isnan(F(a)) || std::isnan(F(b))) return 0x7FC0;
    return F(b) < F(a) ? b : a;
  }

  void Scalar(const std::string& name, const isa::Operands& o) {
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

  void Vector(const std::string& name, const isa::Operands& o) {
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

  static float Tree(std::vector<float> x) {
    while (x.size() > 1) {
      std::vector<float> next;
      for (std::size_t i = 0; i + 1 < x.size(); i += 2) next.push_back(x[i] + x[i + 1]);
      if (x.size() % 2 == 1) next.push_back(x.back());
      x = next;
    }
    return x[0];
  }

  void Reduce(const std::string& name, const isa::Operands& o, std::uint32_t a, bool masked) {
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

  void TopK(const isa::Operands& o) {
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

  void Matrix(const std::string& name, const isa::Operands& o) {
    const bool heads = name.starts_with("M_B");
    const bool transposed = name.find('T') != std::string::npos;
    const bool vector = name.ends_with("MV");
    if (Fail(heads && b_ * hlen_ != mlen_, Category::kUnsupported)) return;
    const bool vector_first = transposed && !heads;
    std::uint32_t m = r.gp[vector_first ? o.rs2 : o.rs1];
    if (heads && vector) m += r.gp[o.rd];
    const std::uint64_t v = r.gp[vector_first ? o.rs1 : o.rs2];
    const std::uint64_t offset = m % (mlen_ * mlen_);
    const std::uint64_t tile = m / (mlen_ * mlen_);
    const std::uint64_t rows = vector ? 1 : heads ? mlen_ : blen_;
    bool aligned = offset % mlen_ == 0 && offset / mlen_ % blen_ == 0;
    if (name == "M_MV") aligned = offset < mlen_ && offset % blen_ == 0;
    if (heads) aligned = offset < mlen_ && offset % hlen_ == 0;
    if (Fail(!aligned || v % vlen_ != 0, Category::kAlignment)) return;
    if (Fail(tile >= tiles_ || v + rows * vlen_ > vram.size(), Category::kOutOfRange)) return;
    const float* t = mram.data() + tile * mlen_ * mlen_;
    const auto at = [&](std::uint64_t i, std::uint64_t k) { return F(vram[v + i * mlen_ + k]); };
    if (!heads) {
      const std::uint64_t c = name == "M_MV" ? offset : offset / mlen_;
      std::vector<float>& acc = vector ? vacc : macc;
      for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < blen_; ++j) {
          float s = 0;
          for (std::uint64_t k = 0; k < mlen_; ++k) {
            s = std::fma(at(i, k), transposed ? t[(c + j) * mlen_ + k] : t[k * mlen_ + c + j], s);
          }
          acc[i * blen_ + j] += s;
        }
      }
      return;
    }
    std::vector<float>& acc = vector ? hvacc : hmacc;
    for (std::uint64_t g = 0; g < b_; ++g) {
      for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t n = 0; n < mlen_; ++n) {
          float s = 0;
          for (std::uint64_t k = 0; k < hlen_; ++k) {
            s = transposed ? std::fma(at(i, g * hlen_ + k), t[n * mlen_ + offset + k], s)
                           : std::fma(at(i, k * b_ + g), t[(offset + k) * mlen_ + n], s);
          }
          s *= emulator::BmmScale(m_);
          acc[(g * rows + i) * mlen_ + n] += s;
        }
      }
    }
  }

  void WriteOut(const std::string& name, const isa::Operands& o) {
    const bool heads = name.starts_with("M_B");
    if (Fail(heads && b_ * hlen_ != mlen_, Category::kUnsupported)) return;
    const std::uint32_t a = r.gp[o.rd] + o.imm;
    std::vector<float>& acc = name == "M_MM_WO"    ? macc
                              : name == "M_MV_WO"  ? vacc
                              : name == "M_BMM_WO" ? hmacc
                                                   : hvacc;
    const std::uint64_t width = heads ? mlen_ : blen_;
    const std::uint64_t rows = acc.size() / width;
    const std::uint64_t stride = name == "M_MM_WO" && o.rs1 != 0 ? r.gp[o.rs1] : 1;
    if (Fail(stride == 0, Category::kIllegalOperand)) return;
    if (Fail(a % mlen_ % width != 0, Category::kAlignment)) return;
    if (Fail(a - a % mlen_ + ((rows - 1) * stride + 1) * mlen_ > vram.size(),
             Category::kOutOfRange)) {
      return;
    }
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < width; ++j) {
        vram[a + i * stride * mlen_ + j] = Bf(acc[i * width + j]);
      }
    }
    std::fill(acc.begin(), acc.end(), 0.0f);
  }

  void Transfer(const std::string& name, const isa::Operands& o) {
    const bool matrix = name == "H_PREFETCH_M";
    const bool store = name == "H_STORE_V";
    const auto& f = m_.formats;
    const isa::TensorFormat format = matrix ? (o.funct1 ? f.matrix_kv : f.matrix_weight)
                                            : (o.funct1 ? f.vector_kv : f.vector_activation);
    const isa::RowCodec codec(format, m_.dialect.convention, m_.dialect.scale_rule);
    const std::uint64_t rows = matrix  ? (m_.rows.matrix_prefetch + mlen_ - 1) / mlen_ * mlen_
                               : store ? m_.rows.vector_store
                                       : m_.rows.vector_prefetch;
    const std::uint64_t lb = format.ElementBytes(mlen_);
    const std::uint64_t ls = format.ScaleBytes(mlen_);
    const std::uint64_t rr = format.is_mx() ? format.BytesPerScale() : 1;
    const std::uint64_t off = r.gp[o.rs1];
    const std::uint64_t s = o.rs3 != 0 ? r.stride : lb;
    const std::uint64_t local = r.gp[o.rd];
    const std::uint64_t granule = matrix ? mlen_ * mlen_ : vlen_;
    if (Fail(local % granule != 0 || off % rr != 0 || s % rr != 0, Category::kAlignment)) return;
    bool exists =
        matrix ? local + rows * mlen_ <= mram.size() : local + rows * vlen_ <= vram.size();
    const auto element = [&](std::uint64_t i) { return r.address[o.rs2] + off + i * s; };
    const auto scale = [&](std::uint64_t i) {
      return r.address[o.rs2] + r.scale + off / rr + i * (s / rr);
    };
    const auto moved = [&](std::uint64_t i) {
      const bool single = m_.dialect.scale_read == emulator::ScaleRead::kSingleBlock && !store;
      return single ? std::min(ls, 64 - scale(i) % 64) : ls;
    };
    const std::uint64_t size = m_.memory.hbm_bytes;
    for (std::uint64_t i = 0; i < rows; ++i) {
      exists = exists && element(i) <= size && lb <= size - element(i);
      if (ls > 0) exists = exists && scale(i) <= size && moved(i) <= size - scale(i);
    }
    if (Fail(!exists, Category::kOutOfRange)) return;
    std::vector<std::uint8_t> bytes(lb), scales(ls);
    std::vector<float> values(mlen_);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const bool bits = !matrix && format == isa::Plain(isa::kBf16);
      Bf16* lanes = matrix ? nullptr : vram.data() + local + i * vlen_;
      if (store) {
        for (std::uint64_t j = 0; j < vlen_; ++j) values[j] = F(lanes[j]);
        codec.Encode(values, bytes, scales);
        for (std::uint64_t j = 0; bits && j < lb; ++j) {
          bytes[j] = static_cast<std::uint8_t>(lanes[j / 2] >> 8 * (j % 2));
        }
        for (std::uint64_t j = 0; j < lb; ++j) hbm[element(i) + j] = bytes[j];
        for (std::uint64_t j = 0; j < ls; ++j) hbm[scale(i) + j] = scales[j];
        continue;
      }
      for (std::uint64_t j = 0; j < lb; ++j) bytes[j] = Byte(element(i) + j);
      for (std::uint64_t j = 0; j < ls; ++j) {
        scales[j] = j < moved(i) ? Byte(scale(i) + j) : std::uint8_t{0};
      }
      codec.Decode(bytes, scales, values);
      for (std::uint64_t j = 0; j < mlen_; ++j) {
        if (matrix) mram[local + i * mlen_ + j] = values[j];
        if (!matrix) lanes[j] = Bf(values[j]);
        if (bits) lanes[j] = static_cast<Bf16>(bytes[2 * j] | bytes[2 * j + 1] << 8);
      }
    }
  }
  std::uint8_t Byte(std::uint64_t address) const {
    const auto at = hbm.find(address);
    return at == hbm.end() ? std::uint8_t{0} : at->second;
  }

  void Set(const std::string& name, const isa::Operands& o) {
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
};

}  // namespace moescope::test
