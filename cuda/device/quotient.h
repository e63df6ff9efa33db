#pragma once

// g / d, correctly rounded, without the branches of the library's division (they would serialise
// the epilogue). Needs d = 1 + exp(-slope g): d >= 1, d = inf only for g below -50, d = 1 for large
// g and d = 2 for tiny g. Two corrections of g times the reciprocal; operands are scaled so that no
// intermediate leaves the normal range.
//
// `Arithmetic` has Magnitude, Multiply and MultiplyAdd (binary32, one rounding),
// ReciprocalApproximate (at most 1 ulp off) and the same for 1 to 2^126, ReciprocalOfNormal:
// instructions on the device, library functions on the host.

namespace moescope::cuda::device {

template <typename Arithmetic>
constexpr float Quotient(float g, float d) {
  const float magnitude = Arithmetic::Magnitude(g);
  const bool tiny = magnitude < 0x1p-60f;
  const bool large = d > 0x1p64f;
  const float numerator = Arithmetic::Multiply(g, tiny ? 0x1p64f : 1.0f);
  const float denominator = Arithmetic::Multiply(d, large ? 0x1p-64f : 1.0f);
  const float y0 = Arithmetic::ReciprocalApproximate(denominator);
  const float e = Arithmetic::MultiplyAdd(-denominator, y0, 1.0f);
  const float y = Arithmetic::MultiplyAdd(e, y0, y0);
  const float q0 = Arithmetic::Multiply(numerator, y);
  const float r0 = Arithmetic::MultiplyAdd(-denominator, q0, numerator);
  const float q1 = Arithmetic::MultiplyAdd(r0, y, q0);
  const float r1 = Arithmetic::MultiplyAdd(-denominator, q1, numerator);
  const float q2 = Arithmetic::MultiplyAdd(r1, y, q1);
  const float quotient = Arithmetic::Multiply(q2, tiny || large ? 0x1p-64f : 1.0f);
  const bool special = !(d <= 0x1.fffffep127f) || !(magnitude <= 0x1p100f) || g == 0.0f;
  return special ? Arithmetic::Multiply(g, y0) : quotient;
}

// Gates from here up have a quick quotient: their denominators are at most 2^126, also with the
// slope 1.702.
inline constexpr float kLowestQuickGate = -51.0f;
inline constexpr unsigned kLowestQuickGateBits = 0xC24Cu;  // in BF16

// The same for BF16 gates of at least kLowestQuickGate and the denominators they have, in a quarter
// of the instructions: one correction with the approximate reciprocal is enough for them, which
// tests show for every gate. NaN for an infinite gate.
template <typename Arithmetic>
constexpr float QuickQuotient(float g, float d) {
  const float y = Arithmetic::ReciprocalOfNormal(d);
  const float q = Arithmetic::Multiply(g, y);
  // In these signs a zero keeps its sign.
  const float excess = Arithmetic::MultiplyAdd(d, q, -g);
  return Arithmetic::MultiplyAdd(-excess, y, q);
}

}  // namespace moescope::cuda::device
