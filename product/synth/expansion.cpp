#include "product/synth/expansion.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cachescape::synth {
namespace {

/// Addresses of programs end here on all machines that we know.
constexpr std::uint64_t end_of_memory = std::uint64_t{1} << 47;

}  // namespace

Result<ExpansionPlan> plan(const Seed& seed, const ExpansionOptions& options) {
  ExpansionPlan plan;
  const std::uint64_t room = (end_of_memory - std::min(options.base, end_of_memory)) / seed.working_set;
  const std::uint64_t wanted =
      options.footprint / seed.working_set + (options.footprint % seed.working_set > 0 ? 1 : 0);
  plan.replications = std::max(wanted, seed.least_replications);
  if (plan.replications > room) {
    return failure(ErrorKind::usage, fmt::format("a footprint of {} bytes does not fit into 2^47 bytes of addresses",
                                                 std::max(options.footprint, seed.working_set)));
  }
  std::uint64_t once = 0;
  for (const SeedPhase& phase : seed.phases) {
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(phase.length, phase.repeats, &all)) all = ~std::uint64_t{0};
    add_to(once, all);
  }
  if (__builtin_mul_overflow(once, plan.replications, &plan.round)) plan.round = ~std::uint64_t{0};
  plan.footprint = plan.replications * seed.working_set;
  plan.length = options.length > 0 ? options.length : plan.round;
  return plan;
}

Expansion::Expansion(const Seed& seed, const ExpansionPlan& plan, std::uint64_t base)
    : seed_(seed), plan_(plan), base_(base) {
  // Phases without references are never where it stands.
  while (seed_.phases[phase_].length == 0) ++phase_;
}

void Expansion::advance() {
  at_ = 0;
  if (++repeat_ < seed_.phases[phase_].repeats) return;
  repeat_ = 0;
  do {
    phase_begin_ += seed_.phases[phase_].length;
    if (++phase_ < seed_.phases.size()) continue;
    phase_ = 0;
    phase_begin_ = 0;
    if (++replication_ == plan_.replications) replication_ = 0;
  } while (seed_.phases[phase_].length == 0);
}

void Expansion::pass_over_round() {
  made_ += seed_.phases[phase_].length;
  advance();
}

Result<bool> Expansion::next(AccessBatch& batch) {
  batch.clear();
  batch.first = AccessCount{made_};
  std::size_t filled = 0;
  while (filled < batch.capacity() && made_ < plan_.length) {
    const std::uint64_t left = std::min(seed_.phases[phase_].length - at_, plan_.length - made_);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, batch.capacity() - filled));
    const std::uint64_t first = phase_begin_ + at_;
    const std::uint64_t base = base_ + replication_ * seed_.working_set;
    for (std::size_t i = 0; i < count; ++i) {
      batch.address_column()[filled + i] = Address{base + std::uint64_t{seed_.words[first + i]} * seed_.word};
    }
    std::fill_n(batch.size_column() + filled, count, seed_.word);
    std::fill_n(batch.site_column() + filled, count, SiteId{});
    if (seed_.kinds.empty()) {
      std::fill_n(batch.kind_column() + filled, count, AccessKind::read);
    } else {
      std::copy_n(seed_.kinds.begin() + static_cast<std::ptrdiff_t>(first), count, batch.kind_column() + filled);
    }
    for (std::size_t i = 0; i < count; ++i) {
      batch.thread_column()[filled + i] = ThreadId{seed_.threads.empty() ? 0u : seed_.threads[first + i]};
    }
    filled += count;
    at_ += count;
    made_ += count;
    if (at_ < seed_.phases[phase_].length) continue;
    advance();
    break;
  }
  batch.set_size(filled);
  return filled > 0;
}

SourceStatus Expansion::status() const {
  SourceStatus status;
  status.accesses = AccessCount{made_};
  // Progress is told by bytes: what is read here are references.
  status.bytes_read = made_;
  status.bytes_total = plan_.length;
  return status;
}

}  // namespace cachescape::synth
