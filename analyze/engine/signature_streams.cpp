#include "analyze/engine/signature_streams.hpp"

#include <utility>

namespace cachescape::analyze {

void SignatureStreams::add_thread() {
  ++threads_;
  if (threads_ == 1) return;
  if (threads_ == 2) {
    everything_->flush();
    own_.push_back(std::make_unique<SignatureAnalysis>(everything_->copy()));
    const std::vector<Line> blocks = everything_->blocks();
    touchers_ = std::make_unique<LastToucher>(blocks);
    own_touchers_ = std::make_unique<LastToucher>(blocks);
    everything_->follow_touchers(*touchers_);
    own_.front()->follow_touchers(*own_touchers_);
  }
  own_.push_back(std::make_unique<SignatureAnalysis>(rule_, false));
  own_.back()->follow_touchers(*own_touchers_);
}

void SignatureStreams::everything(const Stretch& stretch) {
  stretch.for_each([this](std::uint32_t thread, const auto& piece) { everything_->consume(thread, piece); });
}

void SignatureStreams::own(const Stretch& stretch) {
  stretch.for_each([this](std::uint32_t thread, const auto& piece) { own_[thread]->consume(thread, piece); });
}

std::vector<SignatureProfile> SignatureStreams::profiles(std::span<const ThreadId> threads) {
  everything_->flush();
  std::vector<SignatureProfile> all{everything_->profile({})};
  for (std::size_t t = 0; t < own_.size(); ++t) {
    own_[t]->flush();
    all.push_back(own_[t]->profile({Scope::Kind::thread, threads[t]}));
  }
  return all;
}

std::uint64_t SignatureStreams::memory_bytes() const {
  std::uint64_t bytes = everything_->memory_bytes();
  for (const auto& own : own_) bytes += own->memory_bytes();
  if (touchers_) bytes += touchers_->memory_bytes() + own_touchers_->memory_bytes();
  return bytes;
}

}  // namespace cachescape::analyze
