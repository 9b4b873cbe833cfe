#include "product/proxy/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "machine/size_text.hpp"

namespace cachescape::proxy {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

}  // namespace

std::string_view pages_text(Pages pages) {
  switch (pages) {
    case Pages::small:
      return "small";
    case Pages::reserved:
      return "reserved";
    case Pages::transparent:
      return "transparent";
  }
  return "small";
}

Result<Memory> Memory::map(Bytes size, bool huge) {
  constexpr int protection = PROT_READ | PROT_WRITE;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  const auto bytes = static_cast<std::size_t>(size.value);
  if (huge) {
    const std::size_t whole = rounded_up(bytes, huge_page);
    void* const reserved = mmap(nullptr, whole, protection, flags | MAP_HUGETLB, -1, 0);
    if (reserved != MAP_FAILED) return Memory(reserved, bytes, whole, Pages::reserved);
  }
  void* const data = mmap(nullptr, bytes, protection, flags, -1, 0);
  if (data == MAP_FAILED)
    return failure(ErrorKind::io,
                   fmt::format("cannot get {} of memory: {}", machine::print_size(size), std::strerror(errno)), {},
                   "ask for a smaller footprint");
  // Without the advice a system that gives huge pages to everybody would decide what is measured.
  const bool advised = madvise(data, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
  return Memory(data, bytes, bytes, huge && advised ? Pages::transparent : Pages::small);
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_), mapped_(other.mapped_), pages_(other.pages_) {}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

Bytes Memory::in_huge_pages() const {
  if (pages_ == Pages::reserved) return Bytes{size_};
  if (pages_ == Pages::small) return Bytes{0};
  // The kernel tells it by mapping: a line of addresses, then lines of "Key: value kB".
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const std::uintptr_t end = begin + mapped_;
  std::ifstream file("/proc/self/smaps");
  std::uint64_t bytes = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    unsigned long long low = 0;
    unsigned long long high = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &low, &high) == 2) inside = low < end && high > begin;
    unsigned long long kilobytes = 0;
    if (inside && std::sscanf(line.c_str(), "AnonHugePages: %llu kB", &kilobytes) == 1) bytes += kilobytes * 1024;
  }
  return Bytes{bytes};
}

}  // namespace cachescape::proxy
