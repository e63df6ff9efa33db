#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

// Single instructions of sm_90a as functions: barriers, copies, fences.

namespace moescope::cuda::device {

__device__ __forceinline__ std::uint32_t SharedAddress(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// The same value, which the compiler may not take as known: addresses that follow from it are
// computed where they are used instead of being kept in registers.
__device__ __forceinline__ std::uint32_t Recomputed(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

// ---- mbarrier ----
__device__ __forceinline__ void BarrierInit(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count));
}
__device__ __forceinline__ void BarrierArrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void BarrierArriveExpect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// On the barrier at the same address in another block of the cluster.
__device__ __forceinline__ void BarrierArriveAt(std::uint32_t barrier, std::uint32_t block) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(barrier),
      "r"(block)
      : "memory");
}
__device__ __forceinline__ bool BarrierTest(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}
__device__ __forceinline__ void BarrierWait(std::uint32_t barrier, std::uint32_t parity) {
  while (!BarrierTest(barrier, parity)) {
  }
}
// Makes initialised barriers visible to the copy engine.
__device__ __forceinline__ void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// ---- clusters ----
__device__ __forceinline__ std::uint32_t ClusterRank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// All threads of all blocks of the cluster; shared memory written before it is seen after it.
__device__ __forceinline__ void ClusterSync() {
  asm volatile(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;\n" ::
          : "memory");
}
// From the same address in another block of the cluster.
__device__ __forceinline__ int LoadSharedOf(std::uint32_t from, int block) {
  int data;
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %1, %2;\n"
      "ld.shared::cluster.s32 %0, [remote];\n"
      "}\n"
      : "=r"(data)
      : "r"(from), "r"(block)
      : "memory");
  return data;
}

// ---- neighbours in the stream ----
// Returns once every kernel before this one in the stream has ended and its stores are seen.
__device__ __forceinline__ void WaitForPreviousKernel() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
// The next kernel may take places that are free once every block has said so.
__device__ __forceinline__ void LetNextKernelStart() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// ---- proxies ----
// Ordinary stores before it are seen by wgmma and the copy engine after it.
__device__ __forceinline__ void FenceAsyncProxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- copies ----
__device__ __forceinline__ void PrefetchMap(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<std::uint64_t>(map)) : "memory");
}
__device__ __forceinline__ void CopyTile3(std::uint32_t to, const CUtensorMap* map,
                                          std::uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// The same into every block of the cluster whose bit is set in `blocks`, data and barrier at the
// same addresses there.
__device__ __forceinline__ void CopyTile3To(std::uint16_t blocks, std::uint32_t to,
                                            const CUtensorMap* map, std::uint32_t barrier, int x,
                                            int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(to),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(barrier), "h"(blocks), "r"(x), "r"(y), "r"(z)
      : "memory");
}
__device__ __forceinline__ void CopyTile2(std::uint32_t to, const CUtensorMap* map,
                                          std::uint32_t barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(reinterpret_cast<std::uint64_t>(map)), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}
// `bytes` is a multiple of 16; both addresses are 16-byte aligned.
__device__ __forceinline__ void CopyBulk(std::uint32_t to, const void* from, std::uint32_t bytes,
                                         std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
// 16 bytes; zeros when `valid` is false.
__device__ __forceinline__ void CopyAsync16(std::uint32_t to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
// Arrives on the barrier once all copies that this thread started have arrived.
__device__ __forceinline__ void CopyAsyncArrive(std::uint32_t barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// ---- warpgroups ----
template <int kRegisters>
__device__ __forceinline__ void RegistersDecrease() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void RegistersIncrease() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
__device__ __forceinline__ void NamedBarrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Four 8x8 matrices of BF16 in the order of accumulators; lane l gives the address of row l % 8 of
// matrix l / 8.
__device__ __forceinline__ void StoreMatrices(std::uint32_t to, const std::uint32_t (&m)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3])
               : "memory");
}
// The same, each matrix transposed.
__device__ __forceinline__ void StoreTransposed(std::uint32_t to, const std::uint32_t (&m)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3])
               : "memory");
}
__device__ __forceinline__ uint4 LoadShared16(std::uint32_t from) {
  uint4 data;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(data.x), "=r"(data.y), "=r"(data.z), "=r"(data.w)
               : "r"(from));
  return data;
}
__device__ __forceinline__ void StoreShared16(std::uint32_t to, uint4 data) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(data.x), "r"(data.y),
               "r"(data.z), "r"(data.w)
               : "memory");
}
__device__ __forceinline__ std::uint32_t LoadShared4(std::uint32_t from) {
  std::uint32_t data;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(data) : "r"(from));
  return data;
}

// ---- pairs of BF16; of a NaN NaN ----
__device__ __forceinline__ std::uint32_t MinimumPair(std::uint32_t a, std::uint32_t b) {
  std::uint32_t y;
  asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
__device__ __forceinline__ std::uint32_t MaximumPair(std::uint32_t a, std::uint32_t b) {
  std::uint32_t y;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
// Rounded to nearest even; a NaN becomes 7FFF.
__device__ __forceinline__ std::uint32_t ConvertPair(float low, float high) {
  std::uint32_t y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

__device__ __forceinline__ float ExpApproximate(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(__fmul_rn(x, 1.4426950408889634f)));
  return y;
}
// x is 1 to 2^126.
__device__ __forceinline__ float ReciprocalOfNormal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float ReciprocalApproximate(float x) {
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace moescope::cuda::device
