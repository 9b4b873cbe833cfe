#include "profile/validate.hpp"

#include <algorithm>
#include <span>

#include "profile/form.hpp"
#include "profile/problems.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

std::uint64_t sum_of(const KindCounts& counts) { return counts[0] + counts[1] + counts[2]; }

std::uint64_t touches_in(const StackProfile& stack) {
  std::uint64_t sum = 0;
  for (const Histogram& h : stack.kinds) sum += h.total();
  return sum;
}

std::uint64_t cold_of(const StackProfile& stack) {
  std::uint64_t sum = 0;
  for (const Histogram& h : stack.kinds) sum += h.cold;
  return sum;
}

const ThreadCounts* find_thread(const Profile& profile, ThreadId thread) {
  const auto found = std::ranges::lower_bound(profile.threads, thread, {}, &ThreadCounts::thread);
  return found != profile.threads.end() && found->thread == thread ? &*found : nullptr;
}

void validate_threads(const Profile& profile, Problems& problems) {
  const auto known = [&](const auto& parts, std::string_view name) {
    for (const auto& part : parts) {
      if (part.scope.kind == Scope::Kind::thread && find_thread(profile, part.scope.thread) == nullptr) {
        problems.add("there are {} distances of thread {}, which made no access", name, part.scope.thread.value);
      }
    }
  };
  known(profile.stacks, "stack");
  known(profile.sets, "set");
}

void validate_sampling(const Profile& profile, Problems& problems) {
  const Sampling& s = profile.sampling;
  if (s.method == Sampling::Method::none && s.rate != 1)
    problems.add("nothing was sampled, but the rate is {}, not 1", s.rate);
  if (s.analysed > sum_of(profile.accesses())) {
    problems.add("{} accesses were analysed, but there were only {}", s.analysed, sum_of(profile.accesses()));
  }
}

/// Each line is touched first once, lies below all the others at most, and is popular to some degree.
void validate_footprint(const StackProfile& stack, Problems& problems) {
  const std::string name = scope_text(stack.scope, stack.line);
  const std::uint64_t lines = stack.footprint_lines;
  if (cold_of(stack) != lines) {
    problems.add("{}: there are {} first touches, but the footprint has {} lines", name, cold_of(stack), lines);
  }
  std::uint64_t deepest = 0;
  bool reused = false;
  for (const Histogram& h : stack.kinds) {
    if (h.bins.empty()) continue;
    reused = true;
    deepest = std::max(deepest, h.bins.back().value);
  }
  if (reused && deepest >= lines) {
    problems.add("{}: there is a distance of {}, but the footprint has only {} lines", name, deepest, lines);
  }
  if (stack.popularity.empty()) return;
  unsigned __int128 touches = 0;
  std::uint64_t popular = 0;
  for (const Bin& b : stack.popularity) {
    popular += b.count;
    touches += static_cast<unsigned __int128>(b.value) * b.count;
  }
  if (popular != lines) problems.add("{}: popularity counts {} lines, but the footprint has {}", name, popular, lines);
  if (touches != touches_in(stack))
    problems.add("{}: popularity does not come to the {} touches", name, touches_in(stack));
}

/// Each touch that writes is one entry, and no cache larger than the footprint evicts.
void validate_write_backs(const StackProfile& stack, Problems& problems) {
  if (!stack.write_backs) return;
  const std::string name = scope_text(stack.scope, stack.line);
  std::uint64_t entries = 0;
  for (const Bin& b : *stack.write_backs) entries += b.count;
  std::uint64_t writing = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (writes(static_cast<AccessKind>(k))) writing += stack.kinds[k].total();
  }
  if (entries != writing) problems.add("{}: write-backs are told for {} touches, but {} write", name, entries, writing);
  if (!stack.write_backs->empty() &&
      stack.write_backs->back().value >= std::max<std::uint64_t>(stack.footprint_lines, 1)) {
    problems.add("{}: a cache of {} lines is said to write back, but the footprint has only {} lines", name,
                 stack.write_backs->back().value, stack.footprint_lines);
  }
}

/// An access touches one line at least, and no more than its bytes can span.
void validate_touches(const Profile& profile, const StackProfile& stack, Problems& problems) {
  const std::string name = scope_text(stack.scope, stack.line);
  const bool everything = stack.scope.kind == Scope::Kind::everything;
  const ThreadCounts* thread = everything ? nullptr : find_thread(profile, stack.scope.thread);
  if (!everything && thread == nullptr) return;
  const KindCounts accesses = everything ? profile.accesses() : thread->accesses;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t touches = stack.kinds[k].total();
    if (touches < accesses[k])
      problems.add("{}: {} {} touches are fewer than {} accesses", name, touches, kind_names[k], accesses[k]);
  }
  const auto most = 2 * static_cast<unsigned __int128>(sum_of(accesses)) + profile.bytes / stack.line.bytes().value;
  if (touches_in(stack) > most) {
    problems.add("{}: {} touches are more than {} accesses to {} bytes can make", name, touches_in(stack),
                 sum_of(accesses), profile.bytes);
  }
}

/// Larger lines: fewer touches and fewer lines, but together at least as many bytes.
void validate_line_sizes(const StackProfile& small, const StackProfile& large, Problems& problems) {
  const std::string name = scope_text(small.scope, large.line);
  const std::uint64_t bytes = small.line.bytes().value;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t few = large.kinds[k].total();
    const std::uint64_t many = small.kinds[k].total();
    if (few > many)
      problems.add("{}: {} {} touches are more than the {} with {}-byte lines", name, few, kind_names[k], many, bytes);
  }
  if (large.footprint_lines > small.footprint_lines) {
    problems.add("{}: the footprint of {} lines is more than the {} with {}-byte lines", name, large.footprint_lines,
                 small.footprint_lines, bytes);
  }
  const std::uint64_t ratio = large.line.bytes().value / bytes;
  if (small.footprint_lines > static_cast<unsigned __int128>(large.footprint_lines) * ratio) {
    problems.add("{}: the footprint of {} lines cannot hold the {} with {}-byte lines", name, large.footprint_lines,
                 small.footprint_lines, bytes);
  }
}

/// What all threads touch is what each touches; lines may be shared.
void validate_everything(const Profile& profile, const StackProfile& everything, Problems& problems) {
  KindCounts touches{};
  std::uint64_t lines = 0;
  std::uint64_t largest = 0;
  std::size_t threads = 0;
  for (const StackProfile& s : profile.stacks) {
    if (s.scope.kind != Scope::Kind::thread || s.line != everything.line) continue;
    for (std::size_t k = 0; k < access_kinds; ++k) touches[k] += s.kinds[k].total();
    lines += s.footprint_lines;
    largest = std::max(largest, s.footprint_lines);
    ++threads;
  }
  if (threads == 0 || threads < profile.threads.size()) return;
  const std::string name = scope_text(everything.scope, everything.line);
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t all = everything.kinds[k].total();
    if (all != touches[k])
      problems.add("{}: there are {} {} touches, but {} of single threads", name, all, kind_names[k], touches[k]);
  }
  if (everything.footprint_lines > lines) {
    problems.add("{}: the footprint has {} lines, but those of the threads only {}", name, everything.footprint_lines,
                 lines);
  }
  if (everything.footprint_lines < largest) {
    problems.add("{}: the footprint has {} lines, but that of one thread has {}", name, everything.footprint_lines,
                 largest);
  }
}

void validate_stacks(const Profile& profile, Problems& problems) {
  for (std::size_t i = 0; i < profile.stacks.size(); ++i) {
    const StackProfile& stack = profile.stacks[i];
    validate_footprint(stack, problems);
    validate_write_backs(stack, problems);
    validate_touches(profile, stack, problems);
    if (i > 0 && profile.stacks[i - 1].scope == stack.scope)
      validate_line_sizes(profile.stacks[i - 1], stack, problems);
    if (stack.scope.kind == Scope::Kind::everything) validate_everything(profile, stack, problems);
  }
}

}  // namespace

std::vector<std::string> validate(const Profile& profile) {
  Problems problems;
  if (const auto form = check_form(profile); !form) {
    problems.add_text(form.error().what);
    return std::move(problems).take();
  }
  validate_threads(profile, problems);
  validate_sampling(profile, problems);
  if (profile.sampling.method == Sampling::Method::none) {
    validate_stacks(profile, problems);
    validate_sets(profile, problems);
    validate_places(profile, problems);
    validate_sharing(profile, problems);
    validate_signatures(profile, problems);
  }
  return std::move(problems).take();
}

}  // namespace cachescape::profile
