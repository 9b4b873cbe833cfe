#include "profile/scope_text.hpp"

#include <fmt/format.h>

namespace cachescape::profile {

std::string scope_text(const Scope& scope) {
  return scope.kind == Scope::Kind::everything ? "everything" : fmt::format("thread {}", scope.thread.value);
}

std::string scope_text(const Scope& scope, LineSize line) {
  return fmt::format("{}, {}-byte lines", scope_text(scope), line.bytes().value);
}

std::string sharing_text(std::uint32_t degree, LineSize line) {
  return fmt::format("sharing by {} {}, {}-byte lines", degree, degree == 1 ? "thread" : "threads", line.bytes().value);
}

}  // namespace cachescape::profile
