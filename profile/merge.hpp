// Several profiles as one. Pure functions of values.
//
// Addition is exact where the merged executions touch different memory: put one after the other, no access of one comes
// between two touches of another's line, so that histograms, first touches, footprints, popularity and set distances of
// the whole are the sums of those of the parts. Write-backs add up too, as those of executions that each end for
// themselves: what one still holds in a cache at its end is not written back on behalf of the next.
#pragma once

#include <cstdint>
#include <span>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

enum class MergeKind : std::uint8_t {
  runs,     ///< one program several times: threads with the same number, and everything, add up
  threads,  ///< threads of one process, recorded apart: they get new numbers; everything is dropped, as it depends on
            ///< how they interleave
  ranks,    ///< processes side by side: threads get new numbers; everything adds up, which is the ranks one after the
            ///< other or, what comes to the same, the sum over ranks that each have a cache to themselves
};

/// New numbers count from 0, by input and then by old number. An input of a single thread that knows only everything
/// (the same thing) is taken to know that thread, for threads and ranks. Instructions are unknown where an input does
/// not know them. What the inputs say of their origin is kept once where all agree, else with the prefix input1.,
/// input2., …; keys merge.* say what was done. Refuses, naming the first difference, inputs whose sampling, line sizes,
/// set distance grids, write-backs, popularity, sharing or signatures differ: the sum of what is not comparable means
/// nothing. The inputs must pass check_form. O(n log n) in the number of bins.
Result<Profile> merge(std::span<const Profile> inputs, MergeKind kind);

}  // namespace cachescape::profile
