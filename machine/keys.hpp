// The keys of machine files.
#pragma once

#include <array>
#include <string_view>

namespace cachescape::machine {

inline constexpr std::array<std::string_view, 9> machine_keys{
    "name", "title", "cores", "coherence", "memory_latency", "frequency_ghz", "inherits", "level", "source",
};
inline constexpr std::array<std::string_view, 13> level_keys{
    "name",  "size",           "line",      "ways",    "sets",      "shared_by", "replacement",
    "write", "write_allocate", "inclusion", "latency", "bandwidth", "source",
};

/// The keys that a source may be given for: those that hold facts.
inline constexpr std::array<std::string_view, 4> sourced_machine_keys{
    "cores",
    "coherence",
    "memory_latency",
    "frequency_ghz",
};
inline constexpr std::array<std::string_view, 11> sourced_level_keys{
    "size",  "line",           "ways",      "sets",    "shared_by", "replacement",
    "write", "write_allocate", "inclusion", "latency", "bandwidth",
};

/// Stands for every key of a machine or a level that has no source of its own.
inline constexpr std::string_view every_key = "*";

}  // namespace cachescape::machine
