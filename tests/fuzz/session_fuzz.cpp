// Hostile tables and records of a program, as the collector reads them. Input: SessionInput, with tables and
// descriptors.
#include "observe/collect/made_module.hpp"
#include "tests/fuzz/session_input.hpp"

using namespace cachescape::collect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t program = 0x400000;
  static SessionFile session = *SessionFile::create(0);
  const SessionInput input(data, size);
  session.header().arena_used = 0;
  session.header().modules_used = 0;
  join(session, input.tables[0], input.tables[1], program, {}, 16);
  // The tables are as good a list of files and stacks as any.
  session.header().loaded_at = session.header().arena_at;

  for (const bool want_blocks : {false, true}) {
    DecoderContext context;
    context.want_blocks = want_blocks;
    context.most_trips = 1000;
    context.most_bytes = 1 << 20;
    context.session = &session;
    context.modules.update(session);
    decode(context, input.words);
    (void)context.modules.counted(session);
  }
  return 0;
}
