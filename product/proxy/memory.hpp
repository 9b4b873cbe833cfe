// The memory of a benchmark's array: its own mapping, zeroed, in small or huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"

namespace cachescape::proxy {

enum class Pages : std::uint8_t {
  small,        ///< as the system gives them
  reserved,     ///< huge ones that were set aside (MAP_HUGETLB)
  transparent,  ///< huge ones as far as the kernel found some (madvise)
};
std::string_view pages_text(Pages pages);

/// One private mapping. Begins at a page, and so at a boundary of 512 bytes.
class Memory {
 public:
  /// With `huge` reserved huge pages, else transparent ones, else small ones: pages() tells.
  static Result<Memory> map(Bytes size, bool huge);
  Memory(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  void* data() const { return data_; }
  Bytes size() const { return Bytes{size_}; }
  Pages pages() const { return pages_; }
  /// How much lies in huge pages now, which is known of transparent ones once they were written.
  Bytes in_huge_pages() const;

 private:
  Memory(void* data, std::size_t size, std::size_t mapped, Pages pages)
      : data_(data), size_(size), mapped_(mapped), pages_(pages) {}

  void* data_;
  std::size_t size_;
  std::size_t mapped_;
  Pages pages_;
};

}  // namespace cachescape::proxy
