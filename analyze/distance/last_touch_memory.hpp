// Zeroed memory straight from the kernel, for tables that are large, mostly written once and never shrink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cachescape::analyze {

inline constexpr std::size_t small_page = std::size_t{1} << 12;
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// An anonymous private mapping: all zero, committed page by page as it is written, returned on destruction.
/// Mappings of at least one huge page are aligned to it and ask for huge pages unless told otherwise.
/// Throws std::bad_alloc where the kernel refuses.
class Mapping {
 public:
  enum class Pages : std::uint8_t { huge, small };

  Mapping() = default;
  explicit Mapping(std::size_t bytes, Pages pages = Pages::huge);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Hands out zeroed units of one size that never move and are only freed together.
class Arena {
 public:
  struct Segment {
    Mapping memory;
    std::size_t used = 0;  ///< bytes handed out, from the start
  };

  Arena(std::size_t unit_bytes, Mapping::Pages pages) : unit_bytes_(unit_bytes), pages_(pages) {}

  /// Throws std::bad_alloc, and is unchanged then.
  void* take();
  const std::vector<Segment>& segments() const { return segments_; }
  std::size_t unit_bytes() const { return unit_bytes_; }

 private:
  std::size_t unit_bytes_;
  Mapping::Pages pages_;
  std::vector<Segment> segments_;
};

}  // namespace cachescape::analyze
