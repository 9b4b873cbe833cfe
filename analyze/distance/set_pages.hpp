// Zeroed memory for tables that are used at random: huge pages where the system has them, and nothing
// resident before it is used.
#pragma once

#include <cstddef>
#include <utility>

namespace cachescape::analyze::sets {

/// Owns one mapping. Throws std::bad_alloc.
class ZeroedPages {
 public:
  ZeroedPages() = default;
  explicit ZeroedPages(std::size_t bytes);
  ZeroedPages(ZeroedPages&& other) noexcept { swap(other); }
  ZeroedPages& operator=(ZeroedPages&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ZeroedPages();

  /// Aligned to 2 MiB where the mapping is that large, else to a page.
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(ZeroedPages& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cachescape::analyze::sets
