#include "analyze/coherence/line_directory.hpp"

#include <memory>
#include <new>

namespace cachescape::analyze {
namespace {

// As for last touches: scattered lines are hashed when the shadow has this much more than its due.
constexpr std::size_t number_slack_bytes = std::size_t{32} << 20;

}  // namespace

LineDirectory::LineDirectory()
    : numbers_(number_slack_bytes),
      states_(LineTable::run),
      memory_(ownerships_together * sizeof(Ownership), Mapping::Pages::huge) {
  // Nobody has number 0.
  next_[0] = 1;
}

LineDirectory::~LineDirectory() {
  for (std::uint32_t i = 0; i < shared_lines_; ++i) std::destroy_at(&at(i));
}

std::uint32_t LineDirectory::new_number(std::uint32_t group) {
  std::uint32_t& next = next_[group];
  if (next % LineTable::run == 0) {
    next = static_cast<std::uint32_t>(states_.size());
    states_.resize(states_.size() + LineTable::run);
  }
  numbers_.add_lines(1);
  return next++;
}

std::uint32_t LineDirectory::share(std::uint32_t group, bool written) {
  if (shared_lines_ % ownerships_together == 0) ownerships_.push_back(static_cast<Ownership*>(memory_.take()));
  std::construct_at(&at(shared_lines_), group, written);
  return shared_lines_++;
}

std::uint64_t LineDirectory::memory_bytes() const {
  // What many groups miss is rare enough to be left out.
  return numbers_.memory_bytes() + states_.capacity() * sizeof(std::uint32_t) +
         ownerships_.size() * ownerships_together * sizeof(Ownership);
}

}  // namespace cachescape::analyze
