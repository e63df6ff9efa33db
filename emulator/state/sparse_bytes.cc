#include "emulator/state/sparse_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace moescope::emulator {

namespace {

bool AllZero(const std::uint8_t* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::uint8_t byte) { return byte == 0; });
}

// Calls body(page, offset in the page, offset in the range, count) for each part of a byte range.
template <typename Body>
void ForEachPart(std::uint64_t address, std::size_t count, Body body) {
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t offset = (address + done) % SparseBytes::kPageBytes;
    const std::size_t part = std::min<std::size_t>(count - done, SparseBytes::kPageBytes - offset);
    body((address + done) / SparseBytes::kPageBytes, static_cast<std::size_t>(offset), done, part);
    done += part;
  }
}

}  // namespace

SparseBytes::SparseBytes(std::uint64_t size) : size_(size) {
  CHECK(size <= kLargest);
  constexpr std::uint64_t kGroupBytes = kPageBytes * kPagesPerGroup;
  groups_.resize(static_cast<std::size_t>((size + kGroupBytes - 1) / kGroupBytes));
}

SparseBytes::SparseBytes(const SparseBytes& other) : SparseBytes(other.size_) {
  written_ = other.written_;
  for (const std::uint64_t page : other.StoredPages()) {
    std::memcpy(MutablePage(page), other.Page(page), kPageBytes);
  }
}

const std::uint8_t* SparseBytes::Page(std::uint64_t page) const {
  const Group* group = groups_[static_cast<std::size_t>(page / kPagesPerGroup)].get();
  if (group == nullptr) return nullptr;
  const PageBytes* bytes = (*group)[static_cast<std::size_t>(page % kPagesPerGroup)].get();
  return bytes == nullptr ? nullptr : bytes->data();
}

std::uint8_t* SparseBytes::MutablePage(std::uint64_t page) {
  std::unique_ptr<Group>& group = groups_[static_cast<std::size_t>(page / kPagesPerGroup)];
  if (group == nullptr) group = std::make_unique<Group>();
  std::unique_ptr<PageBytes>& bytes = (*group)[static_cast<std::size_t>(page % kPagesPerGroup)];
  if (bytes == nullptr) bytes = std::make_unique<PageBytes>();
  return bytes->data();
}

void SparseBytes::Read(std::uint64_t address, std::span<std::uint8_t> out) const {
  DCHECK(address <= size_ && out.size() <= size_ - address);
  ForEachPart(address, out.size(),
              [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t part) {
                const std::uint8_t* bytes = Page(page);
                if (bytes == nullptr) {
                  std::memset(out.data() + done, 0, part);
                } else {
                  std::memcpy(out.data() + done, bytes + offset, part);
                }
              });
}

void SparseBytes::Write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  DCHECK(address <= size_ && bytes.size() <= size_ - address);
  if (bytes.empty()) return;
  Include(written_, address);
  Include(written_, address + bytes.size() - 1);
  ForEachPart(address, bytes.size(),
              [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t part) {
                if (Page(page) == nullptr && AllZero(bytes.data() + done, part)) return;
                std::memcpy(MutablePage(page) + offset, bytes.data() + done, part);
              });
}

bool SparseBytes::IsUnstored(std::uint64_t address, std::uint64_t count) const {
  if (count == 0) return true;
  for (std::uint64_t page = address / kPageBytes; page <= (address + count - 1) / kPageBytes;
       ++page) {
    if (Page(page) != nullptr) return false;
  }
  return true;
}

std::vector<std::uint64_t> SparseBytes::StoredPages() const {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t group = 0; group < groups_.size(); ++group) {
    if (groups_[static_cast<std::size_t>(group)] == nullptr) continue;
    for (std::uint64_t page = group * kPagesPerGroup; page < (group + 1) * kPagesPerGroup; ++page) {
      if (Page(page) != nullptr) pages.push_back(page);
    }
  }
  return pages;
}

bool operator==(const SparseBytes& a, const SparseBytes& b) {
  if (a.size_ != b.size_) return false;
  const auto contains = [](const SparseBytes& whole, const SparseBytes& part) {
    for (const std::uint64_t page : part.StoredPages()) {
      const std::uint8_t* other = whole.Page(page);
      const std::uint8_t* bytes = part.Page(page);
      if (other == nullptr ? !AllZero(bytes, SparseBytes::kPageBytes)
                           : std::memcmp(other, bytes, SparseBytes::kPageBytes) != 0) {
        return false;
      }
    }
    return true;
  };
  return contains(a, b) && contains(b, a);
}

}  // namespace moescope::emulator
