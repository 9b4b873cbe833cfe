// Hostile tables of translated code and records, as the collector reads them. Input: SessionInput, with mappings and
// descriptors, which are read as counts of instructions and as
// contexts too.
#include "observe/collect/made_code.hpp"
#include "tests/fuzz/session_input.hpp"

using namespace cachescape::collect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static SessionFile session = *SessionFile::create(0);
  SessionInput input(data, size);
  session.header().arena_used = 0;
  MadeCode code;
  code.mappings = input.tables[0];
  code.descriptors = code.counts = code.contexts = input.tables[1];
  join(session, code);
  // Files that hostile paths name are another target's (symbols).
  std::erase(input.words, std::uint64_t{CACHESCAPE_MAPPED});

  DecoderContext context;
  context.session = &session;
  context.most_bytes = 1 << 20;
  decode(context, input.words);
  context.code.instructions(session);
  return 0;
}
