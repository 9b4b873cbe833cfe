// Hostile tables and records of a program, as the collector reads them. Input: SessionInput, with tables and
// descriptors.
#include "observe/collect/made_module.hpp"
#include "session/context.h"
#include "tests/fuzz/session_input.hpp"

using namespace cachescape::collect;

namespace {

/// The words again, as calling contexts whose links lead to one another: no input would find where they lie.
void put_contexts(SessionFile& session, std::vector<std::uint64_t> words) {
  constexpr std::size_t words_each = sizeof(cachescape_context) / sizeof(std::uint64_t) + 4;
  constexpr std::size_t most = 64;
  words.resize(std::min(words.size(), words_each * most));
  cachescape_session& s = session.header();
  const std::uint64_t begin = s.arena_at + s.arena_used;
  for (std::size_t at = 0; at + 1 < words.size(); at += words_each)
    for (std::size_t link = at; link < at + 2; ++link)
      if (words[link] != 0) words[link] = begin + words[link] % most * words_each * sizeof(std::uint64_t);
  s.contexts_at = put(session, words.data(), words.size() * sizeof(std::uint64_t));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t program = 0x400000;
  static SessionFile session = *SessionFile::create(0);
  const SessionInput input(data, size);
  session.header().arena_used = 0;
  session.header().modules_used = 0;
  join(session, input.tables[0], input.tables[1], program, {}, 16);
  // The tables are as good a list of files and stacks as any.
  session.header().loaded_at = session.header().arena_at;
  put_contexts(session, input.words);

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
