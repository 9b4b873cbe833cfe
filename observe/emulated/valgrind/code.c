/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables of translated code in the session: descriptors of records, counters of instructions, and the files that
 * code is mapped from. */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>
#include "observe/emulated/valgrind/tool.h"
#include "session/code_writer.h"
#include "session/session_atomic.h"
#include "session/stack.h"

enum { no_descriptor = 0x7fffffff }; /* a record that names it cannot be read, and is counted */

static struct cachescape_list descriptors, mappings, counts, contexts;
static struct cachescape_counter_pool counters;
static Bool full;

Bool cs_begin_code(void) {
  struct cachescape_session* const s = cs_session();
  uint64_t at = 0;
  struct cachescape_code* const code = cachescape_arena(cs_session(), sizeof *code, &at);
  full = False;
  descriptors.count = mappings.count = counts.count = contexts.count = 0;
  counters.next_at = counters.end_at = 0;
  if (code == NULL) return False;
  descriptors.last = cachescape_new_part(cs_session(), &code->descriptors_at);
  mappings.last = cachescape_new_part(cs_session(), &code->mappings_at);
  counts.last = cachescape_new_part(cs_session(), &code->counts_at);
  if (descriptors.last == NULL || mappings.last == NULL || counts.last == NULL) return False;
  if (cs_wants_stacks() && (contexts.last = cachescape_new_part(cs_session(), &code->contexts_at)) == NULL)
    return False;
  cachescape_store64(&s->code_at, at);
  return True;
}

/* One superblock needs a few parts at most. */
Bool cs_code_has_room(void) {
  struct cachescape_session* const s = cs_session();
  if (cachescape_load64(&s->arena_used) + 8 * cachescape_part_bytes <= s->arena_bytes) return True;
  if (!full) cs_say("the session has no room for more code: what is translated from now on is not observed", "");
  full = True;
  cachescape_add64(&s->unobserved, 1);
  return False;
}

UInt cs_add_descriptor(const struct cachescape_code_descriptor* descriptor,
                       const struct cachescape_code_access* access) {
  const ULong access_bytes = descriptor->accesses * sizeof *access;
  const ULong bytes = sizeof *descriptor + access_bytes;
  char* const entry = cachescape_next_entry(cs_session(), &descriptors, bytes);
  if (entry == NULL) return no_descriptor;
  VG_(memcpy)(entry, descriptor, sizeof *descriptor);
  VG_(memcpy)(entry + sizeof *descriptor, access, access_bytes);
  return cachescape_complete_entry(&descriptors, bytes);
}

ULong cs_new_counter(void) { return cachescape_new_counter(cs_session(), &counters); }

void cs_add_count(const struct cachescape_code_count* count) {
  void* const entry = cachescape_next_entry(cs_session(), &counts, sizeof *count);
  if (entry == NULL) return;
  VG_(memcpy)(entry, count, sizeof *count);
  cachescape_complete_entry(&counts, sizeof *count);
}

struct cachescape_code_context* cs_add_context(UInt caller, UInt mapping, Addr function) {
  struct cachescape_code_context* const row = cachescape_next_entry(cs_session(), &contexts, sizeof *row);
  if (row == NULL) return NULL;
  row->address = function;
  row->mapping = mapping;
  row->caller = caller;
  cachescape_complete_entry(&contexts, sizeof *row);
  return row;
}

ULong cs_keep_in_session(const void* from, ULong bytes) {
  uint64_t at = 0;
  void* const to = cachescape_arena(cs_session(), bytes, &at);
  if (to == NULL) return 0;
  VG_(memcpy)(to, from, bytes);
  return at;
}

/* Instructions that markers name. */
struct site {
  struct site* next;
  UWord instruction;
  UInt session; /* that knows it */
  ULong name;
};

ULong cs_site_at(Addr instruction, UInt flags) {
  static VgHashTable* sites;
  if (sites == NULL) sites = VG_(HT_construct)("cachescape.sites");
  struct site* site = VG_(HT_lookup)(sites, instruction);
  if (site == NULL) {
    site = VG_(calloc)("cachescape.site", 1, sizeof *site);
    site->instruction = instruction;
    VG_(HT_add_node)(sites, site);
  }
  if (site->session == cs_session_number()) return site->name;
  Addr begin, end;
  struct cachescape_code_descriptor descriptor = {instruction, 0, 0, 1};
  descriptor.mapping = cs_mapping_of(instruction, &begin, &end);
  const struct cachescape_code_access named = {0, 0, 0, (uint8_t)(CACHESCAPE_READ | flags), 0, 0, 0};
  site->name = CACHESCAPE_CODE | cs_add_descriptor(&descriptor, &named);
  site->session = cs_session_number();
  return site->name;
}

/* Mappings that the session knows. */
static struct known {
  Addr begin, end;
  ULong device, inode;
  Off64T offset;
}* known;
static UInt known_room;

static Bool is_known(const struct known* k, const NSegment* segment) {
  return k->begin == segment->start && k->end == segment->end + 1 && k->device == segment->dev &&
         k->inode == segment->ino && k->offset == segment->offset;
}

static Bool add_mapping(const NSegment* segment) {
  const HChar* const path = VG_(am_get_filename)(segment);
  if (path == NULL) return False;
  const ULong path_bytes = (VG_(strlen)(path) + 1 + 7) & ~7ULL;
  UChar build_id[CACHESCAPE_MAX_BUILD_ID];
  const UInt id_bytes = cs_build_id(path, build_id, sizeof build_id);
  const ULong bytes = sizeof(struct cachescape_mapping) + path_bytes + ((id_bytes + 7) & ~7U);
  struct cachescape_mapping* const entry = cachescape_next_entry(cs_session(), &mappings, bytes);
  if (entry == NULL) return False;
  entry->begin = segment->start;
  entry->end = segment->end + 1;
  entry->file_offset = (ULong)segment->offset;
  entry->path_bytes = (uint32_t)path_bytes;
  entry->build_id_bytes = id_bytes;
  VG_(strcpy)((HChar*)(entry + 1), path);
  VG_(memcpy)((HChar*)(entry + 1) + path_bytes, build_id, id_bytes);
  const UInt number = cachescape_complete_entry(&mappings, bytes);
  if (number >= known_room) {
    known_room = 2 * number + 64;
    known = VG_(realloc)("cachescape.mappings", known, known_room * sizeof *known);
  }
  known[number].begin = segment->start;
  known[number].end = segment->end + 1;
  known[number].device = segment->dev;
  known[number].inode = segment->ino;
  known[number].offset = segment->offset;
  cs_mark(CACHESCAPE_MAPPED, number, 0, 0, 0, 1);
  return True;
}

/* The number + 1 of the mapping around an address and its bounds, or 0 and none where no file is mapped there. */
UInt cs_mapping_of(Addr address, Addr* begin, Addr* end) {
  static UInt last;
  const NSegment* const segment = VG_(am_find_nsegment)(address);
  if (segment == NULL || segment->kind != SkFileC) {
    *begin = *end = 0;
    return 0;
  }
  *begin = segment->start;
  *end = segment->end + 1;
  if (last < mappings.count && is_known(&known[last], segment)) return last + 1;
  /* Newer ones first: what was unmapped may have been where another is now. */
  for (UInt i = mappings.count; i-- > 0;) {
    if (!is_known(&known[i], segment)) continue;
    last = i;
    return i + 1;
  }
  if (!add_mapping(segment)) return 0;
  last = mappings.count - 1;
  return mappings.count;
}

void cs_note_mapping(Addr address) {
  const UInt before = mappings.count;
  Addr begin, end;
  const UInt number_plus_1 = cs_mapping_of(address, &begin, &end);
  /* One that was there before, while another may have been there since. */
  if (number_plus_1 != 0 && mappings.count == before) cs_mark(CACHESCAPE_MAPPED, number_plus_1 - 1, 0, 0, 0, 1);
}
