#include "moe/emit/images.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/bfloat16.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

// Places BF16 rows in the VRAM image.
class VramWriter {
 public:
  VramWriter(const CompiledLayer& compiled, std::vector<std::uint16_t>& image)
      : m_(compiled.map.m), image_(image) {}

  // [rows, columns] as column blocks with `rows` physical rows.
  void Put(std::uint32_t base, const Bf16Matrix& matrix) {
    const VramMatrix place{base, static_cast<std::uint32_t>(matrix.rows),
                           static_cast<std::uint32_t>(matrix.columns) / m_, m_};
    for (std::int64_t r = 0; r < matrix.rows; ++r) {
      for (std::int64_t c = 0; c < matrix.columns; ++c) {
        const auto column = static_cast<std::uint32_t>(c);
        const std::uint32_t row = place.Row(column / m_, static_cast<std::uint32_t>(r));
        image_[row + column % m_] = matrix.At(r, c);
      }
    }
  }
  // One value per lane from `base` on.
  void Put(std::uint32_t base, const std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) image_[base + i] = isa::FloatToBf16(values[i]);
  }
  void Put(std::uint32_t base, const std::vector<std::uint16_t>& bits) {
    std::copy(bits.begin(), bits.end(), image_.begin() + base);
  }

 private:
  std::uint32_t m_;
  std::vector<std::uint16_t>& image_;
};

Bf16Matrix RouterBits(const F32Matrix& router, std::int64_t padded_rows) {
  Bf16Matrix bits(padded_rows, router.columns);
  for (std::size_t i = 0; i < router.values.size(); ++i) {
    bits.values[i] = isa::FloatToBf16(router.values[i]);
  }
  return bits;
}

std::span<const std::uint8_t> AsBytes(const Bf16Matrix& matrix) {
  return {reinterpret_cast<const std::uint8_t*>(matrix.values.data()), matrix.values.size() * 2};
}

}  // namespace

std::vector<std::uint16_t> VramImage(const CompiledLayer& compiled, const ImageInputs& inputs) {
  const ProgramMap& map = compiled.map;
  const LayerTensors& tensors = inputs.tensors;
  std::vector<std::uint16_t> image(map.vram_image_elements);
  VramWriter writer(compiled, image);
  if (map.router.has_value()) {
    if (map.router->path == RouterPath::kDot) {
      writer.Put(map.router->weights.base, RouterBits(tensors.router, tensors.router.rows));
    }
    writer.Put(map.router->bias, tensors.router_bias);
    writer.Put(map.router->correction, tensors.correction_bias);
  }
  if (compiled.layer.expert_bias) {
    writer.Put(map.gate_bias, tensors.gate_bias);
    writer.Put(map.up_bias, tensors.up_bias);
    writer.Put(map.down_bias, tensors.down_bias);
  }
  if (map.shared.has_value()) writer.Put(map.shared->gate_vector, tensors.shared_gate_vector);
  if (inputs.norm_weight != nullptr) writer.Put(map.norm_weight, *inputs.norm_weight);
  return image;
}

std::vector<std::uint16_t> FpImage(const CompiledLayer& compiled, const ImageInputs& inputs) {
  const ProgramMap& map = compiled.map;
  std::vector<std::uint16_t> image(map.fp_words);
  for (const auto& [bits, word] : map.constants) image[word] = bits;
  if (map.router.has_value()) {
    if (map.router->path == RouterPath::kDot) {
      const auto first = image.begin() + map.router->fp_logits;
      std::fill(first, first + map.router->logit_blocks * map.m, isa::kBf16NegativeInfinity);
    }
    if (compiled.layer.router.groups > 1) {
      for (std::size_t e = 0; e < inputs.tensors.correction_bias.size(); ++e) {
        image[map.router->fp_correction + e] = isa::FloatToBf16(inputs.tensors.correction_bias[e]);
      }
    }
  }
  if (compiled.fixed.has_value()) {
    for (std::size_t pair = 0; pair < compiled.fixed->topk_w.size(); ++pair) {
      image[map.weights + pair] = isa::FloatToBf16(compiled.fixed->topk_w[pair]);
    }
  }
  return image;
}

std::vector<std::uint32_t> IntImage(const CompiledLayer& compiled) {
  const ProgramMap& map = compiled.map;
  std::vector<std::uint32_t> image(map.int_words);
  if (compiled.fixed.has_value()) {
    for (std::size_t pair = 0; pair < compiled.fixed->topk_idx.size(); ++pair) {
      const std::int32_t expert = compiled.fixed->topk_idx[pair];
      image[map.ids + pair] = static_cast<std::uint32_t>(std::max(expert, 0));
    }
  }
  if (compiled.lowering.gather == GatherSource::kHbm) {
    const auto row_bytes = static_cast<std::uint32_t>(compiled.layer.shape.hidden) * 2;
    for (std::uint32_t t = 0; t < map.tokens; ++t) image[map.offsets + t] = t * row_bytes;
  }
  for (const WeightTable* table : {&map.gate, &map.up, &map.down}) {
    if (!table->window_table.has_value()) continue;
    for (std::uint64_t e = 0; e < table->matrices; ++e) {
      const std::uint64_t address = table->base + e * table->stride;
      image[*table->window_table + 2 * e] = static_cast<std::uint32_t>(address);
      image[*table->window_table + 2 * e + 1] = static_cast<std::uint32_t>(address >> 32);
    }
  }
  return image;
}

namespace {

// Sends the tensors of a layer in the order of their addresses.
class HbmStream {
 public:
  HbmStream(const CompiledLayer& compiled, const ImageInputs& inputs, const HbmSink& sink,
            const ExpertFilter& filter)
      : compiled_(compiled),
        map_(compiled.map),
        inputs_(inputs),
        sink_(sink),
        filter_(filter),
        rules_{compiled.machine.dialect.convention, compiled.machine.dialect.scale_rule} {}

  absl::Status Run();

 private:
  absl::Status Matrix(const WeightTable& table, std::uint64_t index, const Bf16Matrix& matrix,
                      WeightFormat format);
  absl::Status Send(const WeightTable& table, std::uint64_t index, const EncodedMatrix& encoded);
  absl::Status Experts(const WeightTable& table, ExpertSource::Member member);
  absl::Status Shared();

  const CompiledLayer& compiled_;
  const ProgramMap& map_;
  const ImageInputs& inputs_;
  const HbmSink& sink_;
  const ExpertFilter& filter_;
  NumberRules rules_;
};

absl::Status HbmStream::Matrix(const WeightTable& table, std::uint64_t index,
                               const Bf16Matrix& matrix, WeightFormat format) {
  const EncodedMatrix encoded = Encode(matrix, format, table.orientation, rules_);
  ASSIGN_OR_RETURN(const Bf16Matrix decoded, Decode(encoded, rules_));
  if (decoded != matrix) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s matrix %d changes when it is encoded as %s: the reference would compute with other "
        "weights [RC036]",
        table.name, index, Absl(Name(format))));
  }
  return Send(table, index, encoded);
}

absl::Status HbmStream::Send(const WeightTable& table, std::uint64_t index,
                             const EncodedMatrix& encoded) {
  const std::uint64_t base = table.base + index * table.stride;
  RETURN_IF_ERROR(sink_(base, encoded.elements));
  return encoded.scales.empty() ? absl::OkStatus()
                                : sink_(base + encoded.elements.size(), encoded.scales);
}

// A source that has the stored form gives it; the others are encoded and checked.
absl::Status HbmStream::Experts(const WeightTable& table, ExpertSource::Member member) {
  const WeightFormat format = compiled_.layer.weights;
  for (int e = 0; e < compiled_.layer.shape.experts; ++e) {
    if (filter_ && !filter_(e)) continue;
    const auto index = static_cast<std::uint64_t>(e);
    const std::optional<EncodedMatrix> stored =
        inputs_.experts.LoadEncoded(e, member, format, table.orientation, rules_);
    if (stored.has_value()) {
      RETURN_IF_ERROR(Send(table, index, *stored));
      continue;
    }
    ASSIGN_OR_RETURN(const Bf16Matrix matrix, inputs_.experts.LoadOne(e, member));
    RETURN_IF_ERROR(Matrix(table, index, matrix, format));
  }
  return absl::OkStatus();
}

absl::Status HbmStream::Shared() {
  const LayerTensors& tensors = inputs_.tensors;
  const SharedPlaces& shared = *map_.shared;
  RETURN_IF_ERROR(Matrix(shared.gate, 0, tensors.shared_gate, WeightFormat::kBf16));
  RETURN_IF_ERROR(Matrix(shared.up, 0, tensors.shared_up, WeightFormat::kBf16));
  return Matrix(shared.down, 0, tensors.shared_down, WeightFormat::kBf16);
}

absl::Status HbmStream::Run() {
  RETURN_IF_ERROR(sink_(map_.hbm_x, AsBytes(inputs_.x)));
  if (map_.router.has_value() && map_.router->path == RouterPath::kMatrix) {
    const std::int64_t padded = std::int64_t{map_.router->logit_blocks} * map_.m;
    RETURN_IF_ERROR(Matrix(map_.router->table, 0, RouterBits(inputs_.tensors.router, padded),
                           WeightFormat::kBf16));
  }
  RETURN_IF_ERROR(Experts(map_.gate, &ExpertMatrices::gate));
  RETURN_IF_ERROR(Experts(map_.up, &ExpertMatrices::up));
  RETURN_IF_ERROR(Experts(map_.down, &ExpertMatrices::down));
  return map_.shared.has_value() ? Shared() : absl::OkStatus();
}

template <typename T>
std::string LittleEndian(std::span<const T> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFFu));
    }
  }
  return bytes;
}

}  // namespace

absl::Status StreamHbm(const CompiledLayer& compiled, const ImageInputs& inputs,
                       const HbmSink& sink, const ExpertFilter& filter) {
  return HbmStream(compiled, inputs, sink, filter).Run();
}

absl::Status WriteHbmFile(const CompiledLayer& compiled, const ImageInputs& inputs,
                          const std::string& path, const ExpertFilter& filter) {
  ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  std::uint64_t position = 0;
  const HbmSink sink = [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    CHECK(offset >= position);
    if (absl::Status status = file.Skip(offset - position); !status.ok()) return status;
    position = offset + bytes.size();
    return file.Write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  RETURN_IF_ERROR(StreamHbm(compiled, inputs, sink, filter));
  return file.Commit();
}

std::string Bytes(std::span<const std::uint16_t> values) { return LittleEndian(values); }
std::string Bytes(std::span<const std::uint32_t> values) { return LittleEndian(values); }

}  // namespace moescope::moe
