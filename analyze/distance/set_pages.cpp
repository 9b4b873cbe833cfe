#include "analyze/distance/set_pages.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace cachescape::analyze::sets {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::byte* mapped(std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(p);
}

}  // namespace

ZeroedPages::ZeroedPages(std::size_t bytes) {
  if (bytes < huge_page) {
    size_ = rounded_up(bytes, page);
    data_ = mapped(size_);
    return;
  }
  size_ = rounded_up(bytes, huge_page);
  // mmap aligns to small pages: map one huge page too much and give back both ends.
  std::byte* const start = mapped(size_ + huge_page);
  const std::size_t ahead = (huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page) % huge_page;
  data_ = start + ahead;
  if (ahead != 0) ::munmap(start, ahead);
  if (ahead != huge_page) ::munmap(data_ + size_, huge_page - ahead);
  // Refusal costs speed only.
  ::madvise(data_, size_, MADV_HUGEPAGE);
}

ZeroedPages::~ZeroedPages() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace cachescape::analyze::sets
