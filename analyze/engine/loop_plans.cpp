#include "analyze/engine/loop_plans.hpp"

namespace cachescape::analyze {
namespace {

/// A plan takes as long as some dozens of loops: one is made for every so many loops asked for, beside the first.
constexpr std::uint64_t loops_per_plan = 32;
constexpr std::uint64_t first_plans = 256;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

std::uint64_t hash_of(const LoopShape& shape) {
  std::uint64_t h = 0;
  const auto mix = [&h](std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  mix(static_cast<std::uint64_t>(shape.step));
  mix(shape.iterations);
  mix(shape.before);
  for (const LoopShape::Slot& s : shape.slots) {
    mix(static_cast<std::uint64_t>(s.offset));
    mix(std::uint64_t{s.cluster} << 32 | std::uint64_t{s.size} << 2 | static_cast<std::uint64_t>(s.kind));
  }
  return h;
}

}  // namespace

PlannedLoop* LoopPlans::find(const Loop& loop) {
  if (!loop_.see(loop, size_)) return nullptr;
  ++asked_;
  if (last_ != nullptr && last_->shape == loop_.shape) return last_;
  const std::uint64_t hash = hash_of(loop_.shape);
  auto found = plans_.find(hash);
  if (found == plans_.end()) {
    if (memory_bytes_ >= most_bytes || plans_.size() > first_plans + asked_ / loops_per_plan) return nullptr;
    found = plans_.emplace(hash, std::make_unique<PlannedLoop>(loop_.shape, size_)).first;
    memory_bytes_ += sizeof(PlannedLoop) + found->second->plan.memory_bytes();
  }
  if (found->second->shape != loop_.shape) return nullptr;
  last_ = found->second.get();
  return last_;
}

}  // namespace cachescape::analyze
