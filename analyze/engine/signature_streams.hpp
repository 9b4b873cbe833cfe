// One signature rule applied to everything and, once there are several threads, to each of them alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyze/distance/last_toucher.hpp"
#include "analyze/engine/stretch.hpp"
#include "analyze/signature/signature_analysis.hpp"

namespace cachescape::analyze {

/// everything() and own() may run at the same time.
class SignatureStreams {
 public:
  SignatureStreams(SignatureRule rule, bool by_place)
      : rule_(rule), everything_(std::make_unique<SignatureAnalysis>(rule, by_place)) {}

  /// Another thread has appeared; threads are numbered from 0.
  void add_thread();
  void everything(const Stretch& stretch);
  /// The threads' own streams. Precondition: there are several threads.
  void own(const Stretch& stretch);

  /// Of everything, then of the threads, which are called `threads`, where there are several.
  std::vector<SignatureProfile> profiles(std::span<const ThreadId> threads);
  std::uint64_t memory_bytes() const;

 private:
  SignatureRule rule_;
  std::unique_ptr<SignatureAnalysis> everything_;
  std::vector<std::unique_ptr<SignatureAnalysis>> own_;  ///< by thread; empty while there is one: it is everything
  std::uint32_t threads_ = 0;
  std::unique_ptr<LastToucher> touchers_;  ///< of everything; none while there is one thread
  std::unique_ptr<LastToucher> own_touchers_;
};

}  // namespace cachescape::analyze
