// The set-distance kernels in plain C++: the path for processors without AVX2, and the check on the other.
#include <bit>
#include <cstdint>
#include <cstring>

#include "analyze/distance/set_kernel.hpp"
#include "analyze/distance/set_state.hpp"

namespace cachescape::analyze::sets {
namespace {

struct PortableOps {
  template <class T>
  static unsigned ones(T mask) {
    return static_cast<unsigned>(std::popcount(mask));
  }

  /// A line's tag, whole and as the levels with 16-bit tags hold it.
  template <class Tag>
  class Key {
   public:
    explicit Key(Tag x) : x_(x) {}
    Tag whole() const { return x_; }
    std::uint16_t fine(unsigned level) const { return static_cast<std::uint16_t>(x_ >> level); }
    template <unsigned Level>
    std::uint16_t fine() const {
      return fine(Level);
    }
    template <unsigned Level>
    std::uint16_t fine_last() const {
      return fine(Level);
    }

   private:
    Tag x_;
  };

  template <class T, unsigned Ways>
  struct Set {
    /// Position of x, after which x is first; Ways where it was absent.
    static unsigned touch(T* set, T x) {
      unsigned d = 0;
      T moved = x;
      for (; d < Ways; ++d) {
        const T here = set[d];
        set[d] = moved;
        if (here == x) break;
        moved = here;
      }
      return d;
    }
    /// Moves the tag at one place to a later one, both among the first eight.
    static void move_back(T* set, unsigned from, unsigned to) {
      const T moved = set[from];
      std::memmove(set + from, set + from + 1, (to - from) * sizeof(T));
      set[to] = moved;
    }
    static void insert(T* set, T x) {
      std::memmove(set + 1, set, (Ways - 1) * sizeof(T));
      set[0] = x;
    }
    static bool absent(const T* set, T x) {
      bool found = false;
      for (unsigned d = 0; d < Ways; ++d) found |= set[d] == x;
      return !found;
    }
  };
};

}  // namespace

Kernels portable_kernels(unsigned capacity) {
  return capacity == 16 ? kernels_with<PortableOps, 16>() : kernels_with<PortableOps, 32>();
}

}  // namespace cachescape::analyze::sets
