#pragma once

#include <cstddef>
#include <cstdint>

namespace moescope {

// The compression function of SHA-256 (FIPS 180-4, 6.2.2) over `count` blocks of 64 bytes, which
// need no alignment: `state` holds the eight words of the hash and is updated.
using Sha256Blocks = void (*)(std::uint32_t* state, const std::uint8_t* data, std::size_t count);

// In portable C++.
void PortableSha256Blocks(std::uint32_t* state, const std::uint8_t* data, std::size_t count);

// With the SHA instructions of this processor; null when it has none. Same results.
Sha256Blocks NativeSha256Blocks();

}  // namespace moescope
