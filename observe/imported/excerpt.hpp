// Text from an input, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace cachescape::imported {

/// `text` in double quotes, cut to at most 60 characters (then ending in "…"), with everything that could
/// disturb a terminal written as \t, \" , \\ or \xNN.
std::string excerpt(std::string_view text);

}  // namespace cachescape::imported
