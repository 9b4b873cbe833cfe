/* Runs a program that was compiled with -Dmain=program twice at the same time, in two threads. */
#include "two_threads.h"
#include <pthread.h>

static int count;
static char** arguments;

static void* run(void* nothing) {
  program(count, arguments);
  return nothing;
}

int main(int argc, char** argv) {
  count = argc;
  arguments = argv;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
