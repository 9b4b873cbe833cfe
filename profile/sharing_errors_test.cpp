// What is said about files whose sharing is no good: exactly.
#include <gtest/gtest.h>

#include "profile/complaint.hpp"
#include "profile/sharing_example.hpp"

namespace cachescape::profile {
namespace {

TEST(SharingErrors, NameTableAndRow) {
  const std::pair<const char*, const char*> cases[] = {
      {"UPDATE sharing SET degree = 0", ": table sharing, id 1: degree is 0: at least 1 was expected"},
      {"UPDATE sharing SET degree = 4294967296",
       ": table sharing, id 1: degree is 4294967296: at most 4294967295 was expected"},
      {"UPDATE sharing SET line = 63",
       ": table sharing, id 1: line is 63: a power of two up to 1073741824 was expected"},
      {"UPDATE sharing SET ways = 65537", ": table sharing, id 1: ways is 65537: at most 65536 was expected"},
      {"UPDATE sharing SET id = 2", ": table sharing, id 2: id 1 was expected"},
      {"INSERT INTO sharing VALUES(2, 1, 32, 1, 0)",
       ": table sharing, id 2: sharing by 1 thread, 32-byte lines follows sharing by 1 thread, 64-byte lines: degrees "
       "and lines must ascend"},
      {"DELETE FROM sharing_kind WHERE kind = 1", ": table sharing_kind: there is no row for sharing 1, kind 1"},
      {"INSERT INTO sharing_kind VALUES(2, 0, 1, 1)",
       ": table sharing_kind, sharing 2, kind 0: the row belongs to no sharing and kind"},
      {"UPDATE sharing_kind SET cold = touches + 1 WHERE kind = 1",
       ": table sharing_kind, sharing 1, kind 1: cold is 5: at most 4 was expected"},
      {"DELETE FROM sharing_event WHERE event = 5", ": table sharing_event: there is no row for sharing 1, event 5"},
      {"UPDATE sharing_event SET count = -1 WHERE event = 2",
       ": table sharing_event, sharing 1, event 2: count is -1: an integer from 0 on was expected"},
      {"INSERT INTO sharing_chunk VALUES(1, 3, 0, 0, 0, 1, '[1]')",
       ": table sharing_chunk, sharing 1, kind 3, fate 0, first 0: kind is none of 0, 1 and 2"},
      {"INSERT INTO sharing_chunk VALUES(1, 0, 3, 0, 0, 1, '[1]')",
       ": table sharing_chunk, sharing 1, kind 0, fate 3, first 0: fate is none of 0, 1 and 2"},
      {"INSERT INTO sharing_chunk VALUES(1, 2, 2, 900, 900, 1, '[1]')",
       ": table sharing_chunk, sharing 1, kind 2, fate 2, first 900: the counts come to more than touches in table "
       "sharing_kind"},
      {"INSERT INTO sharing_chunk VALUES(1, 2, 2, 900, 900, 0, '[0]')",
       ": table sharing_chunk, sharing 1, kind 2, fate 2, first 900: bins, at character 3: a list must not begin or "
       "end with 0"},
      {"INSERT INTO sharing_chunk VALUES(2, 0, 0, 0, 0, 1, '[1]')",
       ": table sharing_chunk, sharing 2: there is no sharing 2"},
      {"DELETE FROM sharing_chunk WHERE fate = 1",
       ": table sharing_chunk: the counts of sharing 1, kind 0 come to 3 less than touches in table sharing_kind"},
      {"INSERT INTO sharing_event_chunk VALUES(1, 6, 0, 0, 1, '[1]')",
       ": table sharing_event_chunk, sharing 1, event 6, first 0: event is none of 0 … 5"},
      {"INSERT INTO sharing_event_chunk VALUES(1, 1, 77, 77, 1, '[1]')",
       ": table sharing_event_chunk, sharing 1, event 1, first 77: the counts come to more than count in table "
       "sharing_event"},
      {"DELETE FROM sharing_event_chunk WHERE event = 2",
       ": table sharing_event_chunk: the counts of sharing 1, event 2 come to 3 less than count in table "
       "sharing_event"},
      {"UPDATE sharing_sets SET sets = 0 WHERE sets = 1",
       ": table sharing_sets, sharing 1, sets 0: sets is 0: at least 1 was expected"},
      {"INSERT INTO sharing_sets VALUES(2, 1, 0)", ": table sharing_sets, sharing 2, sets 1: there is no sharing 2"},
      {"INSERT INTO sharing_set_bin VALUES(1, 3, 0, 0, 0, 1)",
       ": table sharing_set_bin, sharing 1, sets 3, kind 0, fate 0, distance 0: the number of sets is not in table "
       "sharing_sets, or out of order"},
      {"INSERT INTO sharing_set_bin VALUES(1, 1, 0, 0, 4, 1)",
       ": table sharing_set_bin, sharing 1, sets 1, kind 0, fate 0, distance 4: the distance is not less than the 4 "
       "ways"},
      {"INSERT INTO sharing_set_bin VALUES(1, 1, 1, 2, 3, 1)",
       ": table sharing_set_bin, sharing 1, sets 1, kind 2, fate 2, distance 1: the counts come to more than touches "
       "in "
       "table sharing_sets"},
      {"UPDATE sharing_sets SET touches = touches + 1 WHERE sets = 8",
       ": table sharing_set_bin: the counts of sharing 1, 8 sets come to 1 less than touches in table sharing_sets"},
      {"UPDATE sharing_pair SET site = 5 WHERE id = 1", ": table sharing_pair, id 1: there is no site 5"},
      {"UPDATE sharing_pair SET writer_object = 0 WHERE id = 1", ": table sharing_pair, id 1: there is no object 0"},
      {"UPDATE sharing_pair SET site = NULL WHERE id = 1", ": table sharing_pair, id 2: pairs do not ascend"},
      {"UPDATE shared_line SET address = 'x'", ": table shared_line, id 1: address is 'x': an integer was expected"},
      {"UPDATE line_use SET shared_line = 3 WHERE id = 4", ": table line_use, id 4: there is no shared_line 3"},
      {"UPDATE line_use SET shared_line = 2 WHERE id = 1", ": table line_use, id 2: shared lines do not ascend"},
      {"UPDATE line_use SET thread = -1 WHERE id = 2",
       ": table line_use, id 2: thread is -1: an integer from 0 on was expected"},
      {"UPDATE line_use SET writes = 2 WHERE id = 2", ": table line_use, id 2: writes is 2: at most 1 was expected"},
      {"UPDATE line_use SET bytes = -1 WHERE id = 2", "fine"},
  };
  for (const auto& [sql, expected] : cases) EXPECT_EQ(complaint(sharing_example(), sql), expected) << sql;
}

TEST(SharingErrors, OfRowsOfOlderVersionsNameTableAndRow) {
  const std::pair<const char*, const char*> cases[] = {
      {"INSERT INTO sharing_bin VALUES(1, 3, 0, 0, 1)",
       ": table sharing_bin, sharing 1, kind 3, fate 0, distance 0: kind is none of 0, 1 and 2"},
      {"INSERT INTO sharing_bin VALUES(1, 0, 3, 0, 1)",
       ": table sharing_bin, sharing 1, kind 0, fate 3, distance 0: fate is none of 0, 1 and 2"},
      {"INSERT INTO sharing_bin VALUES(1, 2, 2, 900, 1)",
       ": table sharing_bin, sharing 1, kind 2, fate 2, distance 900: the counts come to more than touches in table "
       "sharing_kind"},
      {"INSERT INTO sharing_bin VALUES(1, 2, 2, 900, 0)",
       ": table sharing_bin, sharing 1, kind 2, fate 2, distance 900: count is 0: at least 1 was expected"},
      {"INSERT INTO sharing_bin VALUES(2, 0, 0, 0, 1)", ": table sharing_bin, sharing 2: there is no sharing 2"},
      {"DELETE FROM sharing_bin WHERE fate = 1",
       ": table sharing_bin: the counts of sharing 1, kind 0 come to 3 less than touches in table sharing_kind"},
      {"INSERT INTO sharing_event_bin VALUES(1, 6, 0, 1)",
       ": table sharing_event_bin, sharing 1, event 6, lines 0: event is none of 0 … 5"},
      {"INSERT INTO sharing_event_bin VALUES(1, 1, 77, 1)",
       ": table sharing_event_bin, sharing 1, event 1, lines 77: the counts come to more than count in table "
       "sharing_event"},
      {"DELETE FROM sharing_event_bin WHERE event = 2",
       ": table sharing_event_bin: the counts of sharing 1, event 2 come to 3 less than count in table sharing_event"},
  };
  for (const auto& [sql, expected] : cases)
    EXPECT_EQ(complaint_of_stored("version-3-sharing.cscape", sql), expected) << sql;
}

TEST(SharingErrors, OfSetCountersBeyondMemory) {
  EXPECT_EQ(complaint(sharing_example(),
                      "UPDATE sharing SET ways = 65536; INSERT INTO sharing_sets WITH RECURSIVE n(i) AS (SELECT 100 "
                      "UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT 1, i, 0 FROM n"),
            ": table sharing_sets, sharing 1, sets 209: there are more than 67108864 counters of set distances");
}

}  // namespace
}  // namespace cachescape::profile
