#pragma once

#include <cstdint>

#include "tests/emulator/timing/stream.h"

// H_* instructions made by hand: rows of 64 element bytes, one line each, and no scales unless
// said.

namespace moescope::test {

inline emulator::HbmTransfer Lines(std::uint64_t address, std::uint32_t rows,
                                   bool is_store = false) {
  emulator::HbmTransfer transfer;
  transfer.is_store = is_store;
  transfer.rows = rows;
  transfer.element_address = address;
  transfer.element_step = 64;
  transfer.element_bytes = 64;
  return transfer;
}

inline emulator::Access LoadTile(std::uint32_t tile, std::uint64_t address,
                                 std::uint32_t rows = 64) {
  emulator::Access access;
  access.has_transfer = true;
  access.transfer = Lines(address, rows);
  access.mram_write = {tile, 1, 1};
  return access;
}

inline emulator::Access LoadRows(std::uint32_t row, std::uint64_t address, std::uint32_t rows = 4) {
  emulator::Access access;
  access.has_transfer = true;
  access.transfer = Lines(address, rows);
  access.vram_write = {row, rows, 1};
  return access;
}

inline emulator::Access StoreRows(std::uint32_t row, std::uint64_t address,
                                  std::uint32_t rows = 4) {
  emulator::Access access;
  access.has_transfer = true;
  access.transfer = Lines(address, rows, /*is_store=*/true);
  access.vram_read[0] = {row, rows, 1};
  return access;
}

}  // namespace moescope::test
