// Which threads meet in which cache: the simulator's rule, without its order of appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/machine.hpp"

namespace cachescape::model {

/// The threads that each instance of a level serves, as indices, instances ascending. The i-th thread runs on core i
/// mod cores (cores = 0: on a core of its own), and core c belongs to instance ⌊c / shared_by⌋. The simulator counts
/// threads in the order in which they appear, a profile by ascending number. O(threads).
std::vector<std::vector<std::size_t>> threads_by_instance(std::size_t threads, std::uint32_t cores,
                                                          std::uint32_t shared_by);

/// How the instances of a level meet the threads.
enum class Meeting : std::uint8_t {
  all,   ///< one instance sees every thread
  one,   ///< several instances see a thread each
  some,  ///< several instances, and one at least sees several threads
};
Meeting meeting_of(const std::vector<std::vector<std::size_t>>& instances);

}  // namespace cachescape::model
