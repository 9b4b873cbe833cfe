// Streams of lines that programs and adversaries make, for benchmarks. All deterministic.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "cachescape/line.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::bench {

/// Turns the addresses that a loop nest makes into lines, until enough were made.
class LineRecorder {
 public:
  LineRecorder(LineSize line_size, std::size_t wanted) : line_size_(line_size), wanted_(wanted) {
    lines_.reserve(wanted + 16);
  }
  void access(std::uint64_t address) { lines_.push_back(line_size_.line_of(Address{address})); }
  bool enough() const { return lines_.size() >= wanted_; }
  std::vector<Line> take() {
    lines_.resize(wanted_);
    return std::move(lines_);
  }

 private:
  LineSize line_size_;
  std::size_t wanted_;
  std::vector<Line> lines_;
};

inline constexpr std::uint64_t heap = 0x7f1200000000;

/// C += A B in blocks of 48, 8-byte elements; A's element stays in a register along the inner loop.
inline void blocked_gemm(LineRecorder& out) {
  constexpr std::uint64_t n = 576, block = 48, element = 8;
  constexpr std::uint64_t a = heap, b = a + n * n * element, c = b + n * n * element;
  while (!out.enough())
    for (std::uint64_t i0 = 0; i0 < n; i0 += block)
      for (std::uint64_t k0 = 0; k0 < n; k0 += block)
        for (std::uint64_t j0 = 0; j0 < n && !out.enough(); j0 += block)
          for (std::uint64_t i = i0; i < i0 + block; ++i)
            for (std::uint64_t k = k0; k < k0 + block; ++k) {
              out.access(a + (i * n + k) * element);
              for (std::uint64_t j = j0; j < j0 + block; ++j) {
                out.access(b + (k * n + j) * element);
                out.access(c + (i * n + j) * element);
                out.access(c + (i * n + j) * element);
              }
            }
}

/// Jacobi's five-point stencil on 1024 x 1024 8-byte elements, two arrays in turn.
inline void stencil(LineRecorder& out) {
  constexpr std::uint64_t n = 1024, element = 8;
  std::uint64_t from = heap + (std::uint64_t{1} << 30);
  std::uint64_t to = from + n * n * element;
  while (!out.enough()) {
    for (std::uint64_t i = 1; i + 1 < n && !out.enough(); ++i)
      for (std::uint64_t j = 1; j + 1 < n; ++j) {
        const std::uint64_t at = (i * n + j) * element;
        out.access(from + at - n * element);
        out.access(from + at - element);
        out.access(from + at);
        out.access(from + at + element);
        out.access(from + at + n * element);
        out.access(to + at);
      }
    std::swap(from, to);
  }
}

/// Half blocked matrix product, half stencil.
inline std::vector<Line> gemm_and_stencil(LineSize line, std::size_t count) {
  LineRecorder first(line, count / 2);
  blocked_gemm(first);
  std::vector<Line> lines = first.take();
  LineRecorder second(line, count - count / 2);
  stencil(second);
  const std::vector<Line> rest = second.take();
  lines.insert(lines.end(), rest.begin(), rest.end());
  return lines;
}

/// Over and over through `bytes` bytes in steps of `stride`.
inline std::vector<Line> sweep(LineSize line, std::size_t count, std::uint64_t bytes, std::uint64_t stride) {
  LineRecorder out(line, count);
  for (std::uint64_t at = 0; !out.enough(); at = at + stride < bytes ? at + stride : 0) out.access(heap + at);
  return out.take();
}

/// Uniformly random 8-byte elements of `bytes` bytes.
inline std::vector<Line> uniform(LineSize line, std::size_t count, std::uint64_t bytes) {
  std::mt19937_64 random(1);
  LineRecorder out(line, count);
  while (!out.enough()) out.access(heap + random() % (bytes / 8) * 8);
  return out.take();
}

/// Line k of 2^log2_lines with probability proportional to 1/k^0.99, popular lines scattered over the footprint.
/// Rejection-inversion sampling: Hörmann and Derflinger, 1996.
inline std::vector<Line> zipf(LineSize line, std::size_t count, unsigned log2_lines) {
  constexpr double s = 0.99;
  const auto n = static_cast<double>(std::uint64_t{1} << log2_lines);
  const auto integral = [](double x) { return (std::pow(x, 1 - s) - 1) / (1 - s); };
  const auto inverse = [](double y) { return std::pow(1 + (1 - s) * y, 1 / (1 - s)); };
  const double low = integral(1.5) - 1;
  const double high = integral(n + 0.5);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  LineRecorder out(line, count);
  while (!out.enough()) {
    const double u = high + unit(random) * (low - high);
    const double k = std::floor(inverse(u) + 0.5);
    if (u < integral(k + 0.5) - std::pow(k, -s)) continue;
    // An odd multiplier permutes the lines.
    const std::uint64_t scattered = static_cast<std::uint64_t>(k) * 0x9e3779b1U % (std::uint64_t{1} << log2_lines);
    out.access(heap + (scattered << line.log2()));
  }
  return out.take();
}

}  // namespace cachescape::bench
