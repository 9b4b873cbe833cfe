// Looking ahead in a stream without losing what was looked at.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bytes/source.hpp"

namespace cachescape::bytes {

/// A source that delivers `head`, the bytes already taken from `rest`, and then what `rest` still holds. Name and
/// counts are those of `rest`. Not seekable. One thread.
std::unique_ptr<ByteSource> replayed(std::vector<std::byte> head, std::unique_ptr<ByteSource> rest);

}  // namespace cachescape::bytes
