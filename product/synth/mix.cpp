#include "product/synth/mix.hpp"

#include <array>

namespace cachescape::synth {
namespace {

/// Says yes as often as each bin's share asks for, evenly spread.
class Due {
 public:
  explicit Due(const std::array<double, signature_bins>& shares) : shares_(shares) {}
  bool operator()(std::size_t bin) {
    debt_[bin] += shares_[bin];
    if (debt_[bin] < 0.5) return false;
    debt_[bin] -= 1;
    return true;
  }

 private:
  const std::array<double, signature_bins>& shares_;
  std::array<double, signature_bins> debt_{};
};

/// Draws threads by how much each still has to do.
class Threads {
 public:
  Threads(const std::vector<double>& shares, Random& random) : shares_(shares), made_(shares.size()), random_(random) {}

  std::uint8_t other_than(std::size_t thread) {
    const double all = static_cast<double>(total_) + horizon;
    double sum = 0;
    for (std::size_t t = 0; t < shares_.size(); ++t) sum += t == thread ? 0 : due(t, all);
    double at = random_.share() * sum;
    std::size_t chosen = thread == 0 && shares_.size() > 1 ? 1 : 0;
    for (std::size_t t = 0; t < shares_.size(); ++t) {
      if (t == thread) continue;
      chosen = t;
      if (at < due(t, all)) break;
      at -= due(t, all);
    }
    return static_cast<std::uint8_t>(chosen);
  }
  void made_by(std::size_t thread) {
    ++made_[thread];
    ++total_;
  }

 private:
  static constexpr double horizon = 1000;
  double due(std::size_t thread, double all) const {
    const double missing = shares_[thread] * all - static_cast<double>(made_[thread]);
    return missing > 0 ? missing : 0;
  }

  const std::vector<double>& shares_;
  std::vector<std::uint64_t> made_;
  std::uint64_t total_ = 0;
  Random& random_;
};

}  // namespace

Mix mix(std::span<const Reference> references, const signature::Detail& detail, Random& random) {
  Mix mix;
  Due writes(detail.writes);
  mix.kinds.reserve(references.size());
  for (const Reference& r : references) mix.kinds.push_back(writes(r.bin) ? AccessKind::write : AccessKind::read);
  if (detail.threads.size() < 2) return mix;

  const std::size_t nobody = detail.threads.size();
  Due foreign(detail.foreign);
  Threads threads(detail.threads, random);
  std::vector<std::size_t> last;
  mix.threads.reserve(references.size());
  for (const Reference& r : references) {
    if (r.block >= last.size()) last.resize(r.block + std::size_t{1}, nobody);
    std::size_t& thread = last[r.block];
    if (thread == nobody || foreign(r.bin)) thread = threads.other_than(thread);
    threads.made_by(thread);
    mix.threads.push_back(static_cast<std::uint8_t>(thread));
  }
  return mix;
}

}  // namespace cachescape::synth
