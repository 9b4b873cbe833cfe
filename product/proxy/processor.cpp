#include "product/proxy/processor.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cachescape::proxy {

std::vector<unsigned> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<unsigned> list;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return list;
  for (unsigned p = 0; p < CPU_SETSIZE; ++p) {
    if (CPU_ISSET(p, &set)) list.push_back(p);
  }
  return list;
}

Result<Binding> Binding::to(unsigned processor) {
  cpu_set_t before;
  CPU_ZERO(&before);
  cpu_set_t one;
  CPU_ZERO(&one);
  if (processor < CPU_SETSIZE) CPU_SET(processor, &one);
  if (sched_getaffinity(0, sizeof before, &before) != 0 || sched_setaffinity(0, sizeof one, &one) != 0)
    return failure(ErrorKind::unsupported, fmt::format("processor {} cannot be used", processor), {},
                   fmt::format("usable are: {}", fmt::join(usable_processors(), ", ")));
  return Binding(before);
}

Binding::Binding(Binding&& other) noexcept : before_(other.before_), bound_(std::exchange(other.bound_, false)) {}

Binding::~Binding() {
  if (bound_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace cachescape::proxy
