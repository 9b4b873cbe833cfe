// A benchmark written by cachescape from a memory signature: it touches memory as the program did from which the
// signature was taken, and does nothing else. No input, no libraries:
//   cc -O2 proxy.c -o proxy && ./proxy --help
// J. Weinberg, The Chameleon Framework, dissertation, University of California, San Diego, 2008, chapter 5.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

// SEED

// As many loads as do not wait for each other: one loop for each number, so that all indices stay in registers.
enum { most_chains = 20 };
#if defined(__GNUC__)
// In one instruction, and in the order of the source.
#define STEP(k)    \
  i##k = at[i##k]; \
  __asm__ volatile("" : "+r"(i##k));
typedef const element* chased;
#else
#define STEP(k) i##k = at[i##k];
typedef const volatile element* chased;
#endif
#define BEGIN(k) uint64_t i##k = index[k];
#define END(k) index[k] = i##k;
#define TO1(x) x(0)
#define TO2(x) TO1(x) x(1)
#define TO3(x) TO2(x) x(2)
#define TO4(x) TO3(x) x(3)
#define TO5(x) TO4(x) x(4)
#define TO6(x) TO5(x) x(5)
#define TO7(x) TO6(x) x(6)
#define TO8(x) TO7(x) x(7)
#define TO9(x) TO8(x) x(8)
#define TO10(x) TO9(x) x(9)
#define TO11(x) TO10(x) x(10)
#define TO12(x) TO11(x) x(11)
#define TO13(x) TO12(x) x(12)
#define TO14(x) TO13(x) x(13)
#define TO15(x) TO14(x) x(14)
#define TO16(x) TO15(x) x(15)
#define TO17(x) TO16(x) x(16)
#define TO18(x) TO17(x) x(17)
#define TO19(x) TO18(x) x(18)
#define TO20(x) TO19(x) x(19)
#define LOOP(n)                                                       \
  static void chase##n(chased at, uint64_t* index, uint64_t rounds) { \
    TO##n(BEGIN) for (; rounds > 0; --rounds){TO##n(STEP)} TO##n(END) \
  }
LOOP(1)
LOOP(2)
LOOP(3)
LOOP(4)
LOOP(5)
LOOP(6)
LOOP(7)
LOOP(8)
LOOP(9)
LOOP(10)
LOOP(11)
LOOP(12)
LOOP(13)
LOOP(14)
LOOP(15)
LOOP(16)
LOOP(17)
LOOP(18)
LOOP(19)
LOOP(20)
typedef void (*loop)(chased, uint64_t*, uint64_t);
static const loop loops[most_chains] = {chase1,  chase2,  chase3,  chase4,  chase5,  chase6,  chase7,
                                        chase8,  chase9,  chase10, chase11, chase12, chase13, chase14,
                                        chase15, chase16, chase17, chase18, chase19, chase20};

// x86-64 has 15 registers for 13 indices, the array and the counter of steps.
#if defined(__x86_64__)
enum { chains_in_registers = 13 };
#else
enum { chains_in_registers = 20 };
#endif

struct options {
  uint64_t footprint, operations, visits;
  unsigned chains, repetitions;
  int processor;  // -1: any
  double delay;
  int huge_pages;
};

static void fail(const char* what, const char* of) {
  fprintf(stderr, "proxy: %s %s\n", what, of);
  exit(2);
}

// 32K, 1.5G, 4096.
static uint64_t number(const char* text, double most) {
  char* end;
  double value = strtod(text, &end);
  static const char units[] = "KMGT";
  const char* unit = *end ? strchr(units, *end & ~32) : NULL;
  if (unit) {
    for (const char* u = units; u <= unit; ++u) value *= 1024;
    ++end;
  }
  if (end == text || *end || !(value >= 0 && value <= most)) fail("makes no sense:", text);
  return (uint64_t)value;
}

static void help(void) {
  printf(
      "Usage: proxy [options]\n"
      "  --footprint SIZE  memory to touch, at least (32K, 1.5G; %" PRIu64
      " bytes)\n"
      "  --ops N           operations of each repetition (what takes half a second)\n"
      "  --repeat N        repetitions (5)\n"
      "  --ilp N           loads that do not wait for each other, 1 to 20 (%d)\n"
      "  --cpu N           the processor to run on (any)\n"
      "  --delay SECONDS   to wait between initialisation and warm-up (0)\n"
      "  --huge-pages      lay the array into huge pages where there are some\n"
      "  --visits N        print the first N elements that the loop visits, and measure nothing\n",
      working_set * least_replications, usual_chains);
}

static struct options parse(int count, char** words) {
  struct options o = {0, 0, 0, usual_chains, 5, -1, 0, 0};
  for (int i = 1; i < count; ++i) {
    const char* name = words[i];
    if (!strcmp(name, "--help")) {
      help();
      exit(0);
    }
    if (!strcmp(name, "--huge-pages")) {
      o.huge_pages = 1;
      continue;
    }
    if (i + 1 == count) fail("unknown, or without a value:", name);
    const char* value = words[++i];
    if (!strcmp(name, "--footprint"))
      o.footprint = number(value, 1e14);
    else if (!strcmp(name, "--ops"))
      o.operations = number(value, 1e18);
    else if (!strcmp(name, "--visits"))
      o.visits = number(value, 1e18);
    else if (!strcmp(name, "--repeat"))
      o.repetitions = (unsigned)number(value, 1e6);
    else if (!strcmp(name, "--ilp"))
      o.chains = (unsigned)number(value, most_chains);
    else if (!strcmp(name, "--cpu"))
      o.processor = (int)number(value, 1e6);
    else if (!strcmp(name, "--delay"))
      o.delay = strtod(value, NULL);
    else
      fail("there is no option", name);
  }
  if (o.chains < 1) fail("at least 1:", "--ilp");
  if (o.repetitions < 1) fail("at least 1:", "--repeat");
  return o;
}

static void bind_to(int processor) {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (processor < CPU_SETSIZE) CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof set, &set)) fail("--cpu:", strerror(errno));
#else
  (void)processor;
  fail("--cpu:", "only on Linux");
#endif
}

// Differences of successive words, the sign in the lowest bit, five bits a character, lowest first; the sixth bit says
// that more follow.
static uint32_t* words_of_seed(void) {
  uint32_t* words = malloc(references * sizeof *words);
  if (!words) fail("out of memory:", "the seed");
  unsigned char digits[256] = {0};
  for (unsigned d = 0; d < 64; ++d) digits[(unsigned char)alphabet[d]] = (unsigned char)d;
  uint64_t count = 0, value = 0;
  uint32_t word = 0;
  unsigned shift = 0;
  for (size_t p = 0; p < sizeof seed / sizeof *seed; ++p) {
    for (const char* c = seed[p]; *c; ++c) {
      const unsigned digit = digits[(unsigned char)*c];
      value |= (uint64_t)(digit & 31u) << shift;
      shift += 5;
      if (digit & 32u) continue;
      word += (uint32_t)(value & 1 ? ~(value >> 1) : value >> 1);
      words[count++] = word;
      value = shift = 0;
    }
  }
  return words;
}

static const char* pages = "small pages";

static element* memory(uint64_t size, int huge) {
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* at = MAP_FAILED;
#if defined(MAP_HUGETLB)
  const uint64_t huge_page = 2 << 20;
  if (huge) at = mmap(NULL, (size + huge_page - 1) / huge_page * huge_page, protection, flags | MAP_HUGETLB, -1, 0);
  if (at != MAP_FAILED) pages = "reserved huge pages";
#endif
  if (at != MAP_FAILED) return at;
  at = mmap(NULL, size, protection, flags, -1, 0);
  if (at == MAP_FAILED) fail("cannot get the memory:", strerror(errno));
#if defined(MADV_HUGEPAGE)
  if (!madvise(at, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && huge) pages = "transparent huge pages, if any";
#else
  (void)huge;
#endif
  return at;
}

// A place on the closed loop of all replications.
struct place {
  uint64_t offset, reference;
};

static void advance(struct place* p, uint64_t elements) {
  if (++p->reference < references) return;
  p->reference = 0;
  p->offset += period;
  if (p->offset == elements) p->offset = 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Between two of the sorted values where the middle lies there.
static double quantile(const double* sorted, unsigned count, double share) {
  const double at = share * (count - 1);
  const unsigned below = (unsigned)at, above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

static void show(const char* what, double rate) { printf("%-14s  %14.2f  %16.3f\n", what, rate / 1e6, 1e9 / rate); }

int main(int count, char** arguments) {
  const struct options o = parse(count, arguments);
  if (o.processor >= 0) bind_to(o.processor);

  uint64_t replications = (o.footprint + working_set - 1) / working_set;
  if (replications < least_replications) replications = least_replications;
  const uint64_t elements = replications * period, visits = replications * references;
  if (sizeof(element) == 4 && elements > (uint64_t)1 << 32)
    fail("--footprint:", "4-byte elements tell 2^32 apart (16 GiB)");
  element* array = memory(elements * sizeof *array, o.huge_pages);
  uint64_t index[most_chains];
  uint32_t* words = words_of_seed();
  struct place from = {0, 0}, to = {0, 0};
  for (unsigned k = 0; k < o.chains; ++k) {
    index[k] = to.offset + words[to.reference];
    advance(&to, elements);
  }
  for (uint64_t i = 0; i < visits; ++i) {
    array[from.offset + words[from.reference]] = (element)(to.offset + words[to.reference]);
    advance(&from, elements);
    advance(&to, elements);
  }
  free(words);

  const loop chase = loops[o.chains - 1];
  for (uint64_t i = 0; i < o.visits; ++i) {
    const unsigned k = (unsigned)(i % o.chains);
    printf("%" PRIu64 "\n", index[k]);
    if (k + 1 == o.chains) chase(array, index, 1);
  }
  if (o.visits) return 0;

  struct timespec wait = {(time_t)o.delay, (long)((o.delay - (double)(time_t)o.delay) * 1e9)};
  while (nanosleep(&wait, &wait) && errno == EINTR) continue;
  // Once around, or more than any cache holds.
  const uint64_t enough = (uint64_t)1 << 26;
  const uint64_t warm_up = ((visits < enough ? visits : enough) + o.chains - 1) / o.chains;
  chase(array, index, warm_up);
  uint64_t rounds = (o.operations + o.chains - 1) / o.chains;
  for (uint64_t some = 1024; rounds == 0; some *= 2) {
    const double start = now();
    chase(array, index, some);
    const double took = now() - start;
    if (took >= 0.05) rounds = (uint64_t)((double)some * 0.5 / took) + 1;
  }
  const uint64_t operations = rounds * o.chains;
  double* rates = malloc(o.repetitions * sizeof *rates);
  if (!rates) fail("out of memory:", "--repeat");
  for (unsigned r = 0; r < o.repetitions; ++r) {
    const double start = now();
    chase(array, index, rounds);
    rates[r] = (double)operations / (now() - start);
  }
  qsort(rates, o.repetitions, sizeof *rates, ascending);

  printf("array of %" PRIu64 " bytes at %p: %" PRIu64 " x %" PRIu64 ", %zu-byte elements, %s\n",
         elements * sizeof *array, (void*)array, replications, working_set, sizeof *array, pages);
  printf("%u chain%s%s, %u x %" PRIu64 " operations after a warm-up of %" PRIu64 "\n\n", o.chains,
         o.chains == 1 ? "" : "s", o.chains > chains_in_registers ? " (some not in registers)" : "", o.repetitions,
         operations, warm_up * o.chains);
  printf("                M operations/s  ns per operation\n");
  show("median", quantile(rates, o.repetitions, 0.5));
  show("best", rates[o.repetitions - 1]);
  show("worst", rates[0]);
  show("lower quartile", quantile(rates, o.repetitions, 0.25));
  show("upper quartile", quantile(rates, o.repetitions, 0.75));
  // Where the chains got to depends on every load.
  return index[0] < elements ? 0 : 1;
}
