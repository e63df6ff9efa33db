// One digest over results of every number routine. Two builds that both pass compute the same
// bytes, whatever compiler, optimisation level and host made them; a deliberate change of a rule
// changes the constants below, which the failing test prints.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "isa/functions.h"
#include "isa/tensor_codec.h"
#include "isa/top_k.h"
#include "tests/isa/exact_model.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

// Bytes in a fixed order, independent of the host's.
class Record {
 public:
  void Add(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<char>(value >> shift));
  }
  void Add(float value) { Add(std::bit_cast<std::uint32_t>(value)); }
  void Add(std::span<const std::uint8_t> bytes) { bytes_.append(bytes.begin(), bytes.end()); }
  std::string Digest() const { return Sha256Name(bytes_); }

 private:
  std::string bytes_;
};

std::vector<float> Values(std::size_t count) {
  test::RandomFloats random(42);
  std::vector<float> values(count);
  for (float& value : values) {
    value = random.Near(-12, 6);
  }
  return values;
}

TEST(Fingerprint, Codecs) {
  Record record;
  const std::vector<float> values = Values(64 * 100);
  for (Convention convention : {Convention::kOcp, Convention::kReference}) {
    std::vector<TensorFormat> formats = {Plain(kBf16), Plain(kFp16), Plain(kE5M2)};
    for (ElementType type : model::AllFpElements(4, 8)) formats.push_back(Mx(type, 8));
    if (convention == Convention::kOcp) formats.push_back(Mx(kInt8, 32));
    for (const TensorFormat& format : formats) {
      for (ScaleRule rule :
           {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kEven, ScaleRule::kRceil}) {
        TensorCodec codec(LayoutOf(format, 64, 100).value(), convention, rule);
        std::vector<std::uint8_t> bytes(codec.layout().total_bytes());
        codec.Encode(values, bytes);
        record.Add(bytes);
        std::vector<float> back(values.size());
        codec.Decode(bytes, back);
        for (float value : back) record.Add(value);
      }
    }
  }
  EXPECT_EQ(record.Digest(),
            "sha256:5d6b7c484a4aced04255ee417ad860b4665f635a5e964ada980d2aa8d30a7080");
}

TEST(Fingerprint, Functions) {
  Record record;
  for (std::uint32_t code = 0; code <= 0xFFFF; ++code) {
    record.Add(ExpTable()[code] | static_cast<std::uint32_t>(ReciprocalTable()[code]) << 16);
    record.Add(std::uint32_t{SquareRootTable()[code]});
  }
  for (float value : Values(20000)) record.Add(Exp(value * 0.01F));
  EXPECT_EQ(record.Digest(),
            "sha256:ec20b8b227a09fdd3f30d880d1590ea5c798a0820501dfea33af77a9b23c39fa");
}

TEST(Fingerprint, SumsAndSelection) {
  Record record;
  for (std::size_t length : {1U, 2U, 3U, 7U, 64U, 100U, 128U, 1000U}) {
    std::vector<float> values = Values(length);
    std::vector<std::uint32_t> indices((length + 3) / 4);
    std::vector<Bf16> weights(indices.size());
    SelectTopK(values, indices);
    TopKWeights(values, indices, weights);
    for (std::size_t j = 0; j < indices.size(); ++j) {
      record.Add(indices[j]);
      record.Add(std::uint32_t{weights[j]});
    }
    record.Add(TreeSum(values));
  }
  EXPECT_EQ(record.Digest(),
            "sha256:e50974604129ff5a90d3dc5dee88774203c1c06ee5d392cd2616ef7cc7c6ecde");
}

}  // namespace
}  // namespace moescope::isa
