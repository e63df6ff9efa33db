#include <algorithm>
#include <cmath>

#include "isa/row_codec.h"
#include "tests/emulator/naive_machine.h"

namespace moescope::test {

bool NaiveMachine::Agrees(const emulator::MachineState& s) const {
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

void NaiveMachine::Matrix(const std::string& name, const isa::Operands& o) {
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

void NaiveMachine::WriteOut(const std::string& name, const isa::Operands& o) {
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

void NaiveMachine::Transfer(const std::string& name, const isa::Operands& o) {
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
  bool exists = matrix ? local + rows * mlen_ <= mram.size() : local + rows * vlen_ <= vram.size();
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

}  // namespace moescope::test
