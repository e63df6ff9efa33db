#pragma once

#include <cstdint>

// The tensor-core instruction wgmma m64nNk16, BF16 operands, FP32 accumulators: A from shared
// memory or from registers, B from shared memory; both K-major with 128-byte swizzle.

namespace moescope::cuda::device {

// Descriptor of a K-major operand whose rows are 128 bytes (64 BF16), swizzled by 128 bytes and
// starting at a multiple of 1,024: address and strides in units of 16 bytes, 8 rows are 1,024 bytes
// apart. Adding 2 moves 16 columns on.
__device__ __forceinline__ std::uint64_t OperandDescriptor(std::uint32_t shared_address) {
  return static_cast<std::uint64_t>(shared_address >> 4 & 0x3FFF) | std::uint64_t{1} << 16 |
         std::uint64_t{64} << 32 | std::uint64_t{1} << 62;
}

__device__ __forceinline__ void MmaFence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void MmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ __forceinline__ void MmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Accumulators of one thread: element (row 16 w + l / 4 + 8 j, column 8 i + 2 (l % 4) + c) of warp
// w and lane l is d[4 i + 2 j + c].
template <int kTokens>
struct Mma;

// A operand of one thread for 16 columns; see packed_layout.h for the order.
struct Fragment {
  std::uint32_t a[4];
};

template <>
struct Mma<16> {
  static constexpr int kRegisters = 8;

  __device__ __forceinline__ static void Shared(float (&d)[8], std::uint64_t a, std::uint64_t b,
                                                int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7"
        "}, %8, %9, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(a), "l"(b), "r"(accumulate));
  }
  __device__ __forceinline__ static void Registers(float (&d)[8], const Fragment& a,
                                                   std::uint64_t b, int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %13, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7"
        "}, {%8, %9, %10, %11}, %12, p, 1, 1, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "l"(b), "r"(accumulate));
  }
};

template <>
struct Mma<32> {
  static constexpr int kRegisters = 16;

  __device__ __forceinline__ static void Shared(float (&d)[16], std::uint64_t a, std::uint64_t b,
                                                int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %18, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
        "}, %16, %17, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15])
        : "l"(a), "l"(b), "r"(accumulate));
  }
  __device__ __forceinline__ static void Registers(float (&d)[16], const Fragment& a,
                                                   std::uint64_t b, int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %21, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
        "}, {%16, %17, %18, %19}, %20, p, 1, 1, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "l"(b), "r"(accumulate));
  }
};

template <>
struct Mma<64> {
  static constexpr int kRegisters = 32;

  __device__ __forceinline__ static void Shared(float (&d)[32], std::uint64_t a, std::uint64_t b,
                                                int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
        "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, %32, %33, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(accumulate));
  }
  __device__ __forceinline__ static void Registers(float (&d)[32], const Fragment& a,
                                                   std::uint64_t b, int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
        "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %33, %34, %35}, %36, p, 1, 1, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "l"(b), "r"(accumulate));
  }
};

template <>
struct Mma<128> {
  static constexpr int kRegisters = 64;

  __device__ __forceinline__ static void Shared(float (&d)[64], std::uint64_t a, std::uint64_t b,
                                                int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
        "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
        "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
        "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        : "l"(a), "l"(b), "r"(accumulate));
  }
  __device__ __forceinline__ static void Registers(float (&d)[64], const Fragment& a,
                                                   std::uint64_t b, int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
        "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
        "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
        "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, p, 1, 1, 0;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "l"(b), "r"(accumulate));
  }
};

// Tokens as the M side: 64 tokens by 256 rows of weights, both from shared memory. Element
// (token 16 w + l / 4 + 8 j, weight row 8 i + 2 (l % 4) + c) is d[4 i + 2 j + c] of d = first,
// second.
struct TokenMma {
  __device__ __forceinline__ static void Shared(float (&first)[64], float (&second)[64],
                                                std::uint64_t a, std::uint64_t b, int accumulate) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
        "%127"
        "}, %128, %129, p, 1, 1, 0, 0;\n"
        "}\n"
        : "+f"(first[0]), "+f"(first[1]), "+f"(first[2]), "+f"(first[3]), "+f"(first[4]),
          "+f"(first[5]), "+f"(first[6]), "+f"(first[7]), "+f"(first[8]), "+f"(first[9]),
          "+f"(first[10]), "+f"(first[11]), "+f"(first[12]), "+f"(first[13]), "+f"(first[14]),
          "+f"(first[15]), "+f"(first[16]), "+f"(first[17]), "+f"(first[18]), "+f"(first[19]),
          "+f"(first[20]), "+f"(first[21]), "+f"(first[22]), "+f"(first[23]), "+f"(first[24]),
          "+f"(first[25]), "+f"(first[26]), "+f"(first[27]), "+f"(first[28]), "+f"(first[29]),
          "+f"(first[30]), "+f"(first[31]), "+f"(first[32]), "+f"(first[33]), "+f"(first[34]),
          "+f"(first[35]), "+f"(first[36]), "+f"(first[37]), "+f"(first[38]), "+f"(first[39]),
          "+f"(first[40]), "+f"(first[41]), "+f"(first[42]), "+f"(first[43]), "+f"(first[44]),
          "+f"(first[45]), "+f"(first[46]), "+f"(first[47]), "+f"(first[48]), "+f"(first[49]),
          "+f"(first[50]), "+f"(first[51]), "+f"(first[52]), "+f"(first[53]), "+f"(first[54]),
          "+f"(first[55]), "+f"(first[56]), "+f"(first[57]), "+f"(first[58]), "+f"(first[59]),
          "+f"(first[60]), "+f"(first[61]), "+f"(first[62]), "+f"(first[63]), "+f"(second[0]),
          "+f"(second[1]), "+f"(second[2]), "+f"(second[3]), "+f"(second[4]), "+f"(second[5]),
          "+f"(second[6]), "+f"(second[7]), "+f"(second[8]), "+f"(second[9]), "+f"(second[10]),
          "+f"(second[11]), "+f"(second[12]), "+f"(second[13]), "+f"(second[14]), "+f"(second[15]),
          "+f"(second[16]), "+f"(second[17]), "+f"(second[18]), "+f"(second[19]), "+f"(second[20]),
          "+f"(second[21]), "+f"(second[22]), "+f"(second[23]), "+f"(second[24]), "+f"(second[25]),
          "+f"(second[26]), "+f"(second[27]), "+f"(second[28]), "+f"(second[29]), "+f"(second[30]),
          "+f"(second[31]), "+f"(second[32]), "+f"(second[33]), "+f"(second[34]), "+f"(second[35]),
          "+f"(second[36]), "+f"(second[37]), "+f"(second[38]), "+f"(second[39]), "+f"(second[40]),
          "+f"(second[41]), "+f"(second[42]), "+f"(second[43]), "+f"(second[44]), "+f"(second[45]),
          "+f"(second[46]), "+f"(second[47]), "+f"(second[48]), "+f"(second[49]), "+f"(second[50]),
          "+f"(second[51]), "+f"(second[52]), "+f"(second[53]), "+f"(second[54]), "+f"(second[55]),
          "+f"(second[56]), "+f"(second[57]), "+f"(second[58]), "+f"(second[59]), "+f"(second[60]),
          "+f"(second[61]), "+f"(second[62]), "+f"(second[63])
        : "l"(a), "l"(b), "r"(accumulate));
  }
};

}  // namespace moescope::cuda::device
