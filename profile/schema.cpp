#include "profile/schema.hpp"

#include <array>

namespace cachescape::profile {
namespace {

constexpr std::array<SchemaObject, 47> all_tables = {{
    {"recording", R"(CREATE TABLE recording(
  state TEXT NOT NULL,            -- 'recording' or 'finished'
  updates INTEGER NOT NULL,       -- snapshots written so far
  instructions INTEGER NOT NULL,  -- 0 = unknown
  bytes INTEGER NOT NULL          -- sum of access sizes
))"},
    {"provenance", R"(CREATE TABLE provenance(
  position INTEGER PRIMARY KEY,   -- 1, 2, …
  key TEXT NOT NULL,
  value TEXT NOT NULL
))"},
    {"thread", R"(CREATE TABLE thread(
  thread INTEGER PRIMARY KEY,
  reads INTEGER NOT NULL,         -- accesses, analysed or not
  writes INTEGER NOT NULL,
  modifies INTEGER NOT NULL
))"},
    {"sampling", R"(CREATE TABLE sampling(
  method TEXT NOT NULL,           -- 'none', 'shards_rate', 'shards_size' or 'interval'
  rate REAL NOT NULL,
  accesses_on INTEGER NOT NULL,
  accesses_off INTEGER NOT NULL,
  max_lines INTEGER NOT NULL,
  analysed INTEGER NOT NULL
))"},
    {"loss", R"(CREATE TABLE loss(
  lost_accesses INTEGER NOT NULL,
  skipped_records INTEGER NOT NULL,
  truncated INTEGER NOT NULL      -- 0 or 1
))"},
    {"stack", R"(CREATE TABLE stack(
  id INTEGER PRIMARY KEY,         -- 1, 2, … by (scope, thread, line)
  scope TEXT NOT NULL,            -- 'everything' or 'thread'
  thread INTEGER,                 -- NULL for everything
  line INTEGER NOT NULL,          -- bytes
  footprint_lines INTEGER NOT NULL
))"},
    {"stack_kind", R"(CREATE TABLE stack_kind(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,          -- 0 read, 1 write, 2 modify
  touches INTEGER NOT NULL,       -- cold + sum of stack_bin.count
  cold INTEGER NOT NULL,
  PRIMARY KEY(stack, kind)
) WITHOUT ROWID)"},
    {"stack_bin", R"(CREATE TABLE stack_bin(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  distance INTEGER NOT NULL,
  count INTEGER NOT NULL,         -- touches with exactly this distance
  PRIMARY KEY(stack, kind, distance)
) WITHOUT ROWID)",
     1, rows_until},
    {"stack_chunk", R"(CREATE TABLE stack_chunk(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  first INTEGER NOT NULL,         -- the least distance of the chunk
  last INTEGER NOT NULL,          -- the greatest
  count INTEGER NOT NULL,         -- touches, all bins together
  bins TEXT NOT NULL,             -- [c,d,…]: counts of first, first + 1, …; or {"n":c,…}: counts of first + n
  PRIMARY KEY(stack, kind, first)
))",
     chunks_since},
    {"popularity", R"(CREATE TABLE popularity(
  stack INTEGER NOT NULL,
  touches INTEGER NOT NULL,
  lines INTEGER NOT NULL,         -- lines touched exactly so often
  PRIMARY KEY(stack, touches)
) WITHOUT ROWID)"},
    {"write_back", R"(CREATE TABLE write_back(
  stack INTEGER PRIMARY KEY,      -- whose write-backs were followed
  writes INTEGER NOT NULL         -- sum of write_back_bin.count: touches that write
))",
     write_backs_since},
    {"write_back_bin", R"(CREATE TABLE write_back_bin(
  stack INTEGER NOT NULL,
  lines INTEGER NOT NULL,         -- caches of up to so many lines write the data back, larger ones never do
  count INTEGER NOT NULL,         -- touches that write
  PRIMARY KEY(stack, lines)
) WITHOUT ROWID)",
     write_backs_since, rows_until},
    {"write_back_chunk", R"(CREATE TABLE write_back_chunk(
  stack INTEGER NOT NULL,
  first INTEGER NOT NULL,         -- the least number of lines of the chunk: caches of up to so many write the data back, larger ones never do
  last INTEGER NOT NULL,          -- the greatest
  count INTEGER NOT NULL,         -- touches that write, all bins together
  bins TEXT NOT NULL,             -- [c,d,…]: counts of first, first + 1, …; or {"n":c,…}: counts of first + n
  PRIMARY KEY(stack, first)
))",
     chunks_since},
    {"set_profile", R"(CREATE TABLE set_profile(
  id INTEGER PRIMARY KEY,         -- 1, 2, … by (scope, thread, line)
  scope TEXT NOT NULL,
  thread INTEGER,
  line INTEGER NOT NULL,
  ways INTEGER NOT NULL,          -- distances from here on are misses
  reads INTEGER NOT NULL,         -- touches
  writes INTEGER NOT NULL,
  modifies INTEGER NOT NULL
))"},
    {"set_grid", R"(CREATE TABLE set_grid(
  set_profile INTEGER NOT NULL,
  sets INTEGER NOT NULL,
  hits INTEGER NOT NULL,          -- sum of set_bin.count
  PRIMARY KEY(set_profile, sets)
) WITHOUT ROWID)"},
    {"set_bin", R"(CREATE TABLE set_bin(
  set_profile INTEGER NOT NULL,
  sets INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  distance INTEGER NOT NULL,      -- less than ways
  count INTEGER NOT NULL,
  PRIMARY KEY(set_profile, sets, kind, distance)
) WITHOUT ROWID)"},
    {"foreign_cold", R"(CREATE TABLE foreign_cold(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  cold INTEGER NOT NULL,          -- of stack_kind.cold: those whose line another thread touched last
  PRIMARY KEY(stack, kind)
) WITHOUT ROWID)",
     sharing_since},
    {"foreign_bin", R"(CREATE TABLE foreign_bin(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  distance INTEGER NOT NULL,
  count INTEGER NOT NULL,         -- of stack_bin.count: those whose line another thread touched last
  PRIMARY KEY(stack, kind, distance)
) WITHOUT ROWID)",
     sharing_since, rows_until},
    {"foreign_chunk", R"(CREATE TABLE foreign_chunk(
  stack INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  first INTEGER NOT NULL,         -- the least distance of the chunk
  last INTEGER NOT NULL,          -- the greatest
  count INTEGER NOT NULL,         -- touches, all bins together; of stack_bin.count: those whose line another thread touched last
  bins TEXT NOT NULL,             -- [c,d,…]: counts of first, first + 1, …; or {"n":c,…}: counts of first + n
  PRIMARY KEY(stack, kind, first)
))",
     chunks_since},
    {"foreign_set_bin", R"(CREATE TABLE foreign_set_bin(
  set_profile INTEGER NOT NULL,
  sets INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  distance INTEGER NOT NULL,
  count INTEGER NOT NULL,         -- of set_bin.count: those whose line another thread touched last
  PRIMARY KEY(set_profile, sets, kind, distance)
) WITHOUT ROWID)",
     sharing_since},
    {"location", R"(CREATE TABLE location(
  id INTEGER PRIMARY KEY,         -- 1, 2, …, like all ids
  function TEXT NOT NULL,         -- of the source; '' and 0 = unknown
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  inlined_at INTEGER              -- location of the call that was inlined here
))",
     places_since},
    {"block", R"(CREATE TABLE block(
  id INTEGER PRIMARY KEY,
  function TEXT NOT NULL,         -- that contains it once everything is inlined
  module TEXT NOT NULL,           -- source file or binary
  location INTEGER,
  loop_depth INTEGER NOT NULL,
  entry INTEGER NOT NULL,         -- 0 or 1
  executions INTEGER NOT NULL,    -- 0 = not counted
  instructions INTEGER NOT NULL   -- per execution
))",
     places_since},
    {"site", R"(CREATE TABLE site(
  id INTEGER PRIMARY KEY,
  location INTEGER,
  block INTEGER,
  variable TEXT NOT NULL,
  type TEXT NOT NULL
))",
     places_since},
    {"object", R"(CREATE TABLE object(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,             -- 'unknown', 'heap', 'global' or 'stack'
  name TEXT NOT NULL,
  location INTEGER,               -- where it is declared or allocated
  allocations INTEGER NOT NULL,
  bytes INTEGER NOT NULL,         -- of all of them together
  most_bytes INTEGER NOT NULL     -- at one time
))",
     places_since},
    {"counter", R"(CREATE TABLE counter(
  id INTEGER PRIMARY KEY,
  metric TEXT NOT NULL,
  block INTEGER,
  value INTEGER NOT NULL          -- of all executions
))",
     places_since},
    {"context", R"(CREATE TABLE context(
  id INTEGER PRIMARY KEY,
  caller INTEGER,                 -- a lesser id, or NULL
  function TEXT NOT NULL,         -- that contains the code once everything is inlined
  module TEXT NOT NULL,           -- source file
  recursive INTEGER NOT NULL,     -- 0 or 1: called again below itself
  calls INTEGER NOT NULL          -- how often it was entered
))",
     contexts_since},
    {"context_counter", R"(CREATE TABLE context_counter(
  context INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value INTEGER NOT NULL,         -- without what it calls
  PRIMARY KEY(context, metric)
) WITHOUT ROWID)",
     contexts_since},
    {"place_line", R"(CREATE TABLE place_line(
  line INTEGER NOT NULL           -- bytes; of all distances by place
))",
     places_since},
    {"place", R"(CREATE TABLE place(
  id INTEGER PRIMARY KEY,         -- sites, then objects
  scope TEXT NOT NULL,            -- 'site' or 'object'
  owner INTEGER NOT NULL,         -- its id
  reads INTEGER NOT NULL,         -- accesses, analysed or not
  writes INTEGER NOT NULL,
  modifies INTEGER NOT NULL,
  bytes INTEGER NOT NULL
))",
     places_since},
    {"place_kind", R"(CREATE TABLE place_kind(
  place INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  touches INTEGER NOT NULL,       -- cold + sum of place_bin.count
  cold INTEGER NOT NULL,
  PRIMARY KEY(place, kind)
) WITHOUT ROWID)",
     places_since},
    {"place_bin", R"(CREATE TABLE place_bin(
  place INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  distance INTEGER NOT NULL,      -- the least with the same five leading binary digits
  count INTEGER NOT NULL,
  PRIMARY KEY(place, kind, distance)
) WITHOUT ROWID)",
     places_since},
    {"sharing", R"(CREATE TABLE sharing(
  id INTEGER PRIMARY KEY,         -- 1, 2, … by (degree, line)
  degree INTEGER NOT NULL,        -- threads that each cache serves
  line INTEGER NOT NULL,          -- bytes
  caches INTEGER NOT NULL,        -- that the threads come to
  ways INTEGER NOT NULL           -- in sharing_set_bin, distances from here on are left out
))",
     sharing_since},
    {"sharing_kind", R"(CREATE TABLE sharing_kind(
  sharing INTEGER NOT NULL,
  kind INTEGER NOT NULL,          -- 0 read, 1 write, 2 modify
  touches INTEGER NOT NULL,       -- cold + sum of sharing_bin.count
  cold INTEGER NOT NULL,          -- first ones of each cache
  PRIMARY KEY(sharing, kind)
) WITHOUT ROWID)",
     sharing_since},
    {"sharing_bin", R"(CREATE TABLE sharing_bin(
  sharing INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  fate INTEGER NOT NULL,          -- 0 kept: larger caches hit; lost to another cache's write, 1 truly, 2 falsely shared: none hits
  distance INTEGER NOT NULL,      -- of lost lines: smaller caches had evicted them before
  count INTEGER NOT NULL,         -- touches
  PRIMARY KEY(sharing, kind, fate, distance)
) WITHOUT ROWID)",
     sharing_since, rows_until},
    {"sharing_chunk", R"(CREATE TABLE sharing_chunk(
  sharing INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  fate INTEGER NOT NULL,          -- 0 kept: larger caches hit; lost to another cache's write, 1 truly, 2 falsely shared: none hits
  first INTEGER NOT NULL,         -- the least distance of the chunk; of lost lines: smaller caches had evicted them before
  last INTEGER NOT NULL,          -- the greatest
  count INTEGER NOT NULL,         -- touches, all bins together
  bins TEXT NOT NULL,             -- [c,d,…]: counts of first, first + 1, …; or {"n":c,…}: counts of first + n
  PRIMARY KEY(sharing, kind, fate, first)
))",
     chunks_since},
    {"sharing_event", R"(CREATE TABLE sharing_event(
  sharing INTEGER NOT NULL,
  event INTEGER NOT NULL,         -- 0 taken, 1 remote, 2 upgrade, 3 upgrade in MSI, 4 none in MSI after all, 5 write-back
  count INTEGER NOT NULL,         -- sum of sharing_event_bin.count
  PRIMARY KEY(sharing, event)
) WITHOUT ROWID)",
     sharing_since},
    {"sharing_event_bin", R"(CREATE TABLE sharing_event_bin(
  sharing INTEGER NOT NULL,
  event INTEGER NOT NULL,
  lines INTEGER NOT NULL,         -- 0 to 4: in caches of more lines; 5: in caches of up to so many
  count INTEGER NOT NULL,
  PRIMARY KEY(sharing, event, lines)
) WITHOUT ROWID)",
     sharing_since, rows_until},
    {"sharing_event_chunk", R"(CREATE TABLE sharing_event_chunk(
  sharing INTEGER NOT NULL,
  event INTEGER NOT NULL,
  first INTEGER NOT NULL,         -- the least number of lines of the chunk; events 0 to 4: in caches of more lines; 5: in caches of up to so many
  last INTEGER NOT NULL,          -- the greatest
  count INTEGER NOT NULL,         -- events, all bins together
  bins TEXT NOT NULL,             -- [c,d,…]: counts of first, first + 1, …; or {"n":c,…}: counts of first + n
  PRIMARY KEY(sharing, event, first)
))",
     chunks_since},
    {"sharing_sets", R"(CREATE TABLE sharing_sets(
  sharing INTEGER NOT NULL,
  sets INTEGER NOT NULL,
  touches INTEGER NOT NULL,       -- sum of sharing_set_bin.count
  PRIMARY KEY(sharing, sets)
) WITHOUT ROWID)",
     sharing_since},
    {"sharing_set_bin", R"(CREATE TABLE sharing_set_bin(
  sharing INTEGER NOT NULL,
  sets INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  fate INTEGER NOT NULL,          -- as in sharing_bin
  distance INTEGER NOT NULL,      -- less than ways
  count INTEGER NOT NULL,
  PRIMARY KEY(sharing, sets, kind, fate, distance)
) WITHOUT ROWID)",
     sharing_since},
    {"sharing_pair", R"(CREATE TABLE sharing_pair(
  id INTEGER PRIMARY KEY,
  site INTEGER,                   -- that found its line gone; NULL = unknown, as all of these
  object INTEGER,
  writer_site INTEGER,            -- that took it away
  writer_object INTEGER,
  true_sharing INTEGER NOT NULL,  -- misses of caches without end that serve one thread each
  false_sharing INTEGER NOT NULL
))",
     sharing_since},
    {"shared_line", R"(CREATE TABLE shared_line(
  id INTEGER PRIMARY KEY,         -- the worst is the first
  address INTEGER NOT NULL,       -- printf('%x', address): addresses from 2^63 on are negative here
  true_sharing INTEGER NOT NULL,  -- misses
  false_sharing INTEGER NOT NULL
))",
     sharing_since},
    {"line_use", R"(CREATE TABLE line_use(
  id INTEGER PRIMARY KEY,         -- by shared_line
  shared_line INTEGER NOT NULL,
  thread INTEGER NOT NULL,        -- 0, 1, … by appearance
  site INTEGER,
  object INTEGER,
  writes INTEGER NOT NULL,        -- 0 or 1
  bytes INTEGER NOT NULL          -- a bit for each byte, or each 64th of a line, that is used: printf('%x', bytes)
))",
     sharing_since},
    {"signature", R"(CREATE TABLE signature(
  id INTEGER PRIMARY KEY,         -- 1, 2, … by (scope, thread, word, every_word)
  scope TEXT NOT NULL,            -- 'everything' or 'thread'
  thread INTEGER,                 -- NULL for everything
  word INTEGER NOT NULL,          -- bytes, 4 or 8: nothing smaller is told apart
  every_word INTEGER NOT NULL,    -- 1: an access makes a reference to each word that it covers; 0: to its first
  reads INTEGER NOT NULL,         -- references
  writes INTEGER NOT NULL,
  modifies INTEGER NOT NULL,
  steps INTEGER NOT NULL          -- sum of signature_step.count
))",
     signatures_since},
    {"signature_bin", R"(CREATE TABLE signature_bin(
  signature INTEGER NOT NULL,
  site INTEGER NOT NULL,          -- 0 = all of them
  bin INTEGER NOT NULL,           -- 0: distance 0; 1 … 16: from 2^(bin - 1) to below 2^bin blocks of 512 bytes; 17: farther; 18: first touches
  reads INTEGER NOT NULL,         -- references
  writes INTEGER NOT NULL,
  modifies INTEGER NOT NULL,
  after_others INTEGER NOT NULL,  -- of these: to a block that another thread touched last
  PRIMARY KEY(signature, site, bin)
) WITHOUT ROWID)",
     signatures_since},
    {"signature_half", R"(CREATE TABLE signature_half(
  signature INTEGER NOT NULL,
  site INTEGER NOT NULL,
  bin INTEGER NOT NULL,
  half INTEGER NOT NULL,          -- bytes, 4, 8 … 256: half of a part of a block
  same INTEGER NOT NULL,          -- of `again`: in the same half as at the last touch of the part
  again INTEGER NOT NULL,         -- references to a part that had been touched before
  PRIMARY KEY(signature, site, bin, half)
) WITHOUT ROWID)",
     signatures_since},
    {"signature_step", R"(CREATE TABLE signature_step(
  signature INTEGER NOT NULL,
  step INTEGER NOT NULL,          -- blocks, modulo 4096, from one first touch to the next of the same thread
  count INTEGER NOT NULL,
  PRIMARY KEY(signature, step)
) WITHOUT ROWID)",
     signatures_since},
}};

constexpr std::array<SchemaObject, 20> all_views = {{
    // What were tables up to version 4. Both forms of bins have keys that count from the first value on.
    {"stack_bin", R"(CREATE VIEW stack_bin(stack, kind, distance, count) AS
SELECT stack, kind, first + b.key, b.value FROM stack_chunk, json_each(bins) b WHERE b.value > 0)",
     chunks_since},
    {"write_back_bin", R"(CREATE VIEW write_back_bin(stack, lines, count) AS
SELECT stack, first + b.key, b.value FROM write_back_chunk, json_each(bins) b WHERE b.value > 0)",
     chunks_since},
    {"foreign_bin", R"(CREATE VIEW foreign_bin(stack, kind, distance, count) AS
SELECT stack, kind, first + b.key, b.value FROM foreign_chunk, json_each(bins) b WHERE b.value > 0)",
     chunks_since},
    {"sharing_bin", R"(CREATE VIEW sharing_bin(sharing, kind, fate, distance, count) AS
SELECT sharing, kind, fate, first + b.key, b.value FROM sharing_chunk, json_each(bins) b WHERE b.value > 0)",
     chunks_since},
    {"sharing_event_bin", R"(CREATE VIEW sharing_event_bin(sharing, event, lines, count) AS
SELECT sharing, event, first + b.key, b.value FROM sharing_event_chunk, json_each(bins) b WHERE b.value > 0)",
     chunks_since},
    {"v_summary", R"(CREATE VIEW v_summary(name, value) AS
SELECT 'state', state FROM recording
UNION ALL SELECT 'accesses', (SELECT coalesce(sum(reads + writes + modifies), 0) FROM thread)
UNION ALL SELECT 'reads', (SELECT coalesce(sum(reads), 0) FROM thread)
UNION ALL SELECT 'writes', (SELECT coalesce(sum(writes), 0) FROM thread)
UNION ALL SELECT 'modifies', (SELECT coalesce(sum(modifies), 0) FROM thread)
UNION ALL SELECT 'bytes', bytes FROM recording
UNION ALL SELECT 'instructions', nullif(instructions, 0) FROM recording
UNION ALL SELECT 'threads', (SELECT count(*) FROM thread)
UNION ALL SELECT 'line sizes', (SELECT group_concat(line, ' ') FROM (SELECT DISTINCT line FROM stack ORDER BY line))
UNION ALL SELECT 'sampling', method FROM sampling
UNION ALL SELECT 'rate', rate FROM sampling
UNION ALL SELECT 'lost accesses', lost_accesses FROM loss
UNION ALL SELECT 'skipped records', skipped_records FROM loss
UNION ALL SELECT 'truncated', CASE WHEN truncated OR (SELECT state FROM recording) <> 'finished' THEN 'yes' ELSE 'no' END FROM loss)"},
    {"v_threads", R"(CREATE VIEW v_threads(thread, reads, writes, modifies, accesses, share) AS
SELECT thread, reads, writes, modifies, reads + writes + modifies,
       (reads + writes + modifies) * 1.0 / nullif(sum(reads + writes + modifies) OVER (), 0)
FROM thread ORDER BY thread)"},
    {"v_footprint", R"(CREATE VIEW v_footprint(scope, thread, line, lines, bytes, touches, cold) AS
SELECT scope, thread, line, footprint_lines, footprint_lines * line,
       (SELECT sum(touches) FROM stack_kind WHERE stack = id), (SELECT sum(cold) FROM stack_kind WHERE stack = id)
FROM stack ORDER BY id)"},
    // Partitioned by what it is asked for, and with the stacks before their bins, so that a question about one stack
    // reads no other.
    {"v_miss_curve", R"(CREATE VIEW v_miss_curve(scope, thread, line, lines, bytes, touches, misses, miss_ratio) AS
WITH total(stack, touches) AS (SELECT stack, sum(touches) FROM stack_kind GROUP BY stack)
SELECT scope, thread, line, 0, 0, touches, touches, CASE WHEN touches > 0 THEN 1.0 END
FROM stack JOIN total ON stack = id
UNION ALL
SELECT scope, thread, line, lines, lines * line, touches, touches - hits, (touches - hits) * 1.0 / touches
FROM (SELECT DISTINCT scope, thread, line, touches, distance + 1 AS lines,
             sum(count) OVER (PARTITION BY id, scope, thread, line ORDER BY distance) AS hits
      FROM stack CROSS JOIN total ON total.stack = id CROSS JOIN stack_bin ON stack_bin.stack = id))"},
    {"v_write_backs", R"(CREATE VIEW v_write_backs(scope, thread, line, lines, bytes, writes, write_backs) AS
SELECT scope, thread, line, lines, lines * line, writes,
       sum(count) OVER (PARTITION BY id, scope, thread, line ORDER BY lines DESC)
FROM stack CROSS JOIN write_back w ON w.stack = id CROSS JOIN write_back_bin b ON b.stack = id
WHERE lines > 0)",
     write_backs_since},
    {"v_set_misses", R"(CREATE VIEW v_set_misses(scope, thread, line, sets, ways, bytes, touches, misses, miss_ratio) AS
WITH RECURSIVE way(distance) AS (
       SELECT 0 WHERE EXISTS (SELECT 1 FROM set_profile WHERE ways > 0)
       UNION ALL SELECT distance + 1 FROM way WHERE distance + 1 < (SELECT max(ways) FROM set_profile)),
     bin(set_profile, sets, distance, hits) AS (
       SELECT set_profile, sets, distance, sum(count) FROM set_bin GROUP BY set_profile, sets, distance),
     curve(id, sets, ways, hits) AS (
       SELECT id, g.sets, w.distance + 1, sum(coalesce(b.hits, 0)) OVER (PARTITION BY id, g.sets ORDER BY w.distance)
       FROM set_profile JOIN set_grid g ON g.set_profile = id JOIN way w ON w.distance < ways
       LEFT JOIN bin b ON b.set_profile = id AND b.sets = g.sets AND b.distance = w.distance)
SELECT scope, thread, line, sets, curve.ways, sets * curve.ways * line, reads + writes + modifies,
       reads + writes + modifies - hits, (reads + writes + modifies - hits) * 1.0 / nullif(reads + writes + modifies, 0)
FROM set_profile JOIN curve USING (id))"},
    {"v_sites",
     R"(CREATE VIEW v_sites(site, function, file, line, column, container, variable, type, reads, writes, modifies, accesses, bytes, touches, cold) AS
SELECT s.id, coalesce(nullif(l.function, ''), b.function, ''), coalesce(l.file, ''), coalesce(l.line, 0),
       coalesce(l.column, 0), coalesce(b.function, ''), variable, type, reads, writes, modifies,
       reads + writes + modifies, bytes,
       (SELECT coalesce(sum(touches), 0) FROM place_kind WHERE place = p.id),
       (SELECT coalesce(sum(cold), 0) FROM place_kind WHERE place = p.id)
FROM place p JOIN site s ON s.id = owner LEFT JOIN location l ON l.id = s.location LEFT JOIN block b ON b.id = s.block
WHERE scope = 'site')",
     places_since},
    {"v_functions",
     R"(CREATE VIEW v_functions(function, sites, reads, writes, modifies, accesses, bytes, touches, cold) AS
SELECT function, count(*), sum(reads), sum(writes), sum(modifies), sum(accesses), sum(bytes), sum(touches), sum(cold)
FROM v_sites GROUP BY function)",
     places_since},
    {"v_objects",
     R"(CREATE VIEW v_objects(object, kind, name, file, line, allocations, bytes, accesses, touches, cold) AS
SELECT o.id, kind, name, coalesce(l.file, ''), coalesce(l.line, 0), allocations, o.bytes, reads + writes + modifies,
       (SELECT coalesce(sum(touches), 0) FROM place_kind WHERE place = p.id),
       (SELECT coalesce(sum(cold), 0) FROM place_kind WHERE place = p.id)
FROM place p JOIN object o ON o.id = owner LEFT JOIN location l ON l.id = o.location
WHERE scope = 'object')",
     places_since},
    {"v_contexts", R"(CREATE VIEW v_contexts(context, stack, function, module, recursive, calls) AS
WITH RECURSIVE path(id, text) AS (
       SELECT id, function FROM context WHERE caller IS NULL
       UNION ALL SELECT c.id, text || ' > ' || c.function FROM path JOIN context c ON c.caller = path.id)
SELECT c.id, text, function, module, recursive, calls FROM context c JOIN path USING (id))",
     contexts_since},
    {"v_counters", R"(CREATE VIEW v_counters(function, metric, value) AS
SELECT coalesce(function, ''), metric, sum(value) FROM counter LEFT JOIN block ON block.id = block GROUP BY 1, 2)",
     places_since},
    // As v_miss_curve: a question about one degree reads no other.
    {"v_sharing",
     R"(CREATE VIEW v_sharing(degree, line, lines, bytes, caches, touches, misses, cold, true_sharing, false_sharing) AS
WITH total(sharing, touches, cold) AS (SELECT sharing, sum(touches), sum(cold) FROM sharing_kind GROUP BY sharing)
SELECT degree, line, 0, 0, caches, touches, touches, cold, 0, 0
FROM sharing JOIN total ON sharing = id
UNION ALL
SELECT degree, line, lines, lines * line, caches, touches, touches - hits, cold, true_sharing, false_sharing
FROM (SELECT DISTINCT degree, line, caches, touches, cold, distance + 1 AS lines,
             sum(count * (fate = 0)) OVER smaller AS hits,
             sum(count * (fate = 1)) OVER smaller AS true_sharing,
             sum(count * (fate = 2)) OVER smaller AS false_sharing
      FROM sharing CROSS JOIN total ON total.sharing = id CROSS JOIN sharing_bin ON sharing_bin.sharing = id
      WINDOW smaller AS (PARTITION BY id, degree, line ORDER BY distance)))",
     sharing_since},
    {"v_false_sharing",
     R"(CREATE VIEW v_false_sharing(shared_line, address, false_sharing, true_sharing, thread, writes, bytes, object, function, file, line, variable) AS
SELECT l.id, printf('0x%x', address), false_sharing, true_sharing, thread, writes, printf('%016x', u.bytes),
       coalesce(o.name, ''), coalesce(nullif(p.function, ''), b.function, ''), coalesce(p.file, ''), coalesce(p.line, 0),
       coalesce(s.variable, '')
FROM shared_line l JOIN line_use u ON u.shared_line = l.id LEFT JOIN object o ON o.id = u.object
LEFT JOIN site s ON s.id = u.site LEFT JOIN location p ON p.id = s.location LEFT JOIN block b ON b.id = s.block
WHERE false_sharing > 0 ORDER BY u.id)",
     sharing_since},
    {"v_signature_hits",
     R"(CREATE VIEW v_signature_hits(scope, thread, word, every_word, site, blocks, bytes, hit_rate) AS
WITH RECURSIVE depth(bin, blocks) AS (SELECT 0, 1 UNION ALL SELECT bin + 1, 2 * blocks FROM depth WHERE bin < 16),
     total(signature, site, refs) AS (
       SELECT signature, site, sum(reads + writes + modifies) FROM signature_bin GROUP BY signature, site)
SELECT scope, thread, word, every_word, site, blocks, 512 * blocks,
       (SELECT coalesce(sum(reads + writes + modifies), 0) FROM signature_bin b
        WHERE b.signature = id AND b.site = total.site AND b.bin <= depth.bin) * 1.0 / refs
FROM (SELECT id, scope, thread, word, every_word FROM signature) JOIN total ON total.signature = id CROSS JOIN depth)",
     signatures_since},
    {"v_signature_halves",
     R"(CREATE VIEW v_signature_halves(scope, thread, word, every_word, site, half, same, again, share) AS
SELECT scope, thread, word, every_word, site, half, sum(same), sum(again), sum(same) * 1.0 / sum(again)
FROM signature JOIN signature_half ON signature_half.signature = id GROUP BY id, site, half)",
     signatures_since},
}};

}  // namespace

std::span<const SchemaObject> tables() { return all_tables; }
std::span<const SchemaObject> views() { return all_views; }

}  // namespace cachescape::profile
