// What is written reads back as it was, for machines of every kind.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "machine/inline_text.hpp"
#include "machine/keys.hpp"
#include "machine/presets.hpp"
#include "machine/toml_file.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {
namespace {

/// Text with what is special in TOML: quotes, backslashes, control characters, letters beyond ASCII.
rc::Gen<std::string> any_text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "a", "Z", "0", " ", "\"", "'", "\\", "\n", "\t", "\x01", "\x7f", "#", "=", "[", "]", ".", "ä", "→", "𝄞"})),
      [](const std::vector<std::string>& letters) {
        std::string text;
        for (const std::string& l : letters) text += l;
        return text;
      });
}

std::optional<double> any_optional(double least) {
  if (!*rc::gen::arbitrary<bool>()) return std::nullopt;
  return least + static_cast<double>(*rc::gen::inRange(0, 1'000'000)) / 7;
}

Machine any_machine() {
  Machine m;
  m.name = "m" + *any_text();
  m.title = *any_text();
  m.cores = *rc::gen::inRange<std::uint32_t>(0, max_cores + 1);
  m.coherence = *rc::gen::element(Coherence::none, Coherence::msi, Coherence::mesi);
  m.frequency = any_optional(0.1);
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  double latency = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Level l;
    l.name = "L" + std::to_string(i + 1);
    l.sets = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 5000), rc::gen::just<std::uint64_t>(1));
    l.ways = *rc::gen::inRange<std::uint64_t>(1, 70);
    l.line = LineSize{*rc::gen::inRange(0U, max_line_log2 + 1)};
    l.replacement = *rc::gen::element(Replacement::lru, Replacement::plru, Replacement::fifo, Replacement::random,
                                      Replacement::srrip);
    l.write = *rc::gen::element(WritePolicy::back, WritePolicy::through);
    l.write_allocate = *rc::gen::arbitrary<bool>();
    l.bandwidth = any_optional(0.5);
    if ((l.latency = any_optional(latency))) latency = *l.latency;
    if (i > 0) {
      const Level& below = m.levels.back();
      l.inclusion = *rc::gen::element(Inclusion::non_inclusive, Inclusion::inclusive, Inclusion::exclusive);
      if (l.inclusion == Inclusion::exclusive) l.line = below.line;
      if (l.inclusion == Inclusion::inclusive) l.line = std::max(l.line, below.line);
      l.shared_by = below.shared_by * *rc::gen::inRange(1U, 4U);
    }
    if (*rc::gen::inRange(0, 4) == 0 || (i > 0 && m.levels.back().shared_by == shared_by_all)) {
      l.shared_by = shared_by_all;
    }
    m.levels.push_back(l);
  }
  m.memory_latency = any_optional(latency);
  std::vector<std::string> keys{"*", "cores", "memory_latency"};
  for (const Level& l : m.levels) {
    keys.push_back(l.name + ".*");
    keys.push_back(l.name + "." + std::string{*rc::gen::elementOf(sourced_level_keys)});
  }
  for (const std::string& key : *rc::gen::unique<std::vector<std::string>>(rc::gen::elementOf(keys))) {
    m.sources.emplace_back(key, *any_text());
    if (m.sources.size() == 3) break;
  }
  return m;
}

RC_GTEST_PROP(RoundTrip, ThroughToml, ()) {
  const Machine m = any_machine();
  RC_ASSERT(validate(m).has_value());
  const auto back = read_machine(to_toml(m), "elsewhere");
  if (!back) RC_FAIL(back.error().where + ": " + back.error().what + "\n" + to_toml(m));
  RC_ASSERT(*back == m);
}

RC_GTEST_PROP(RoundTrip, ThroughInlineText, ()) {
  Machine m = any_machine();
  for (Level& l : m.levels) l.latency = l.bandwidth = std::nullopt;
  const auto back = read_inline(to_inline(m));
  if (!back) RC_FAIL(back.error().where + ": " + back.error().what + "\n" + to_inline(m));
  RC_ASSERT(back->levels == m.levels);
}

TEST(RoundTrip, OfEveryPreset) {
  for (const std::string_view name : preset_names()) {
    const auto m = read_machine(preset_text(name)->text, name, load_preset);
    ASSERT_TRUE(m) << name << ": " << m.error().what;
    EXPECT_EQ(read_machine(to_toml(*m), "elsewhere"), *m) << name;
  }
}

TEST(RoundTrip, WritesAReadableFile) {
  Machine m;
  m.name = "demo";
  m.title = "Say \"hi\"";
  m.cores = 4;
  m.frequency = 3.5;
  m.levels.resize(1);
  m.levels[0].name = "L1";
  m.levels[0].sets = 64;
  m.levels[0].ways = 12;
  m.levels[0].latency = 5;
  m.sources = {{"L1.size", "manual"}};
  EXPECT_EQ(to_toml(m), R"(name = "demo"
title = "Say \"hi\""
cores = 4
coherence = "mesi"
frequency_ghz = 3.5

[[level]]
name = "L1"
size = "48 KiB"
ways = 12
line = 64
shared_by = 1
replacement = "lru"
write = "back"
write_allocate = true
inclusion = "non-inclusive"
latency = 5

[source]
"L1.size" = "manual"
)");
}

}  // namespace
}  // namespace cachescape::machine
