// On which processors this thread may run.
#pragma once

#include <sched.h>

#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::proxy {

/// The processors that this thread may use, ascending.
std::vector<unsigned> usable_processors();

/// Keeps this thread on one processor as long as it lives.
class Binding {
 public:
  static Result<Binding> to(unsigned processor);
  Binding(Binding&& other) noexcept;
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;
  Binding& operator=(Binding&&) = delete;
  ~Binding();

 private:
  explicit Binding(const cpu_set_t& before) : before_(before) {}

  cpu_set_t before_;
  bool bound_ = true;
};

}  // namespace cachescape::proxy
