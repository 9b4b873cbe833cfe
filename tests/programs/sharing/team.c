// Sixteen threads that share in the ways programs do, one way for each run: team stencil|histogram|counters|queue
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { threads = 16, rows = 128, columns = 256, bins = 512, items = 20000 };

static double grid[2][rows][columns];
static int histogram[bins];
static long counters[threads];
static struct {
  int next;
  int results[items];
} queue;

// Rows are dealt out; each thread reads its neighbours' edges.
static void stencil(void) {
  for (int step = 0; step < 4; ++step) {
    double(*from)[columns] = grid[step % 2];
    double(*to)[columns] = grid[(step + 1) % 2];
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 1; i < rows - 1; ++i) {
      for (int j = 1; j < columns - 1; ++j)
        to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
    }
  }
}

// Everybody adds to the same bins.
static void count(void) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < items; ++i) {
#pragma omp atomic
    histogram[i * 2654435761u % bins]++;
  }
}

// Everybody has a counter of its own, beside the others'.
static void tally(void) {
#pragma omp parallel num_threads(threads)
  {
    volatile long* mine = &counters[omp_get_thread_num()];
    for (int i = 0; i < items / threads; ++i) ++*mine;
  }
}

// Whoever is free takes the next item.
static void serve(void) {
#pragma omp parallel num_threads(threads)
  for (;;) {
    int mine;
#pragma omp atomic capture
    mine = queue.next++;
    if (mine >= items) break;
    queue.results[mine] = mine * mine;
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "stencil") == 0) {
    stencil();
  } else if (strcmp(what, "histogram") == 0) {
    count();
  } else if (strcmp(what, "counters") == 0) {
    tally();
  } else if (strcmp(what, "queue") == 0) {
    serve();
  } else {
    fprintf(stderr, "usage: team stencil|histogram|counters|queue\n");
    return 1;
  }
  return 0;
}
