#include "observe/collect/code_contexts.hpp"

namespace cachescape::collect {

bool CodeContexts::enter(std::uint32_t context, std::uint64_t how) {
  if (how > CACHESCAPE_CONTEXT_RECURS) return false;
  if (context >= counts_.size()) counts_.resize(std::size_t{context} + 1);
  Counts& c = counts_[context];
  if (how != CACHESCAPE_CONTEXT_GOES_ON) ++c.calls;
  if (how == CACHESCAPE_CONTEXT_RECURS) c.recursive = true;
  return true;
}

}  // namespace cachescape::collect
