// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace cachescape::report {

/// 1234567 → "1,234,567".
std::string with_thousands(std::uint64_t n);
/// part / whole in per cent with two decimals, "–" where whole is 0.
std::string percent(std::uint64_t part, std::uint64_t whole);
/// Bytes with a binary unit and at most two decimals, for reading, not for parsing: "1.25 MiB".
std::string bytes_text(std::uint64_t bytes);
/// "1 thread", "2 threads".
std::string counted(std::uint64_t n, const char* noun);

}  // namespace cachescape::report
