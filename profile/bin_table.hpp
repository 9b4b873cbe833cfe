// The exact histograms that are long in practice, and where files keep them: a row for each bin up to version 4, chunks
// of many bins since.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace cachescape::profile {

struct BinTable {
  std::string_view bins;                   ///< a table up to version 4, then a view over the chunks with its columns
  std::string_view chunks;                 ///< a table since version 5
  std::span<const std::string_view> keys;  ///< columns that say whose bins these are; the first is an id
  std::string_view value;                  ///< the column of `bins` before `count`
};

inline constexpr std::array<std::string_view, 2> stack_keys = {"stack", "kind"};
inline constexpr std::array<std::string_view, 3> fate_keys = {"sharing", "kind", "fate"};
inline constexpr std::array<std::string_view, 2> event_keys = {"sharing", "event"};

inline constexpr BinTable stack_bins{"stack_bin", "stack_chunk", stack_keys, "distance"};
inline constexpr BinTable foreign_bins{"foreign_bin", "foreign_chunk", stack_keys, "distance"};
inline constexpr BinTable write_back_bins{"write_back_bin", "write_back_chunk", std::span(stack_keys).first(1),
                                          "lines"};
inline constexpr BinTable sharing_bins{"sharing_bin", "sharing_chunk", fate_keys, "distance"};
inline constexpr BinTable sharing_event_bins{"sharing_event_bin", "sharing_event_chunk", event_keys, "lines"};

}  // namespace cachescape::profile
