/* Loads that wait for each other, and loads that do not: one list, four lists at once, an array, an array by way of
 * another. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096 };

struct element {
  struct element* next;
  long value;
};

static struct element elements[COUNT];
static long numbers[COUNT];
static int order[COUNT];

__attribute__((noinline)) static long one_list(const struct element* e) {
  for (int i = 0; i < COUNT; i++) e = e->next;
  return e->value;
}

__attribute__((noinline)) static long four_lists(const struct element* e) {
  const struct element *f = e + 1, *g = e + 2, *h = e + 3;
  for (int i = 0; i < COUNT; i++) {
    e = e->next;
    f = f->next;
    g = g->next;
    h = h->next;
  }
  return e->value + f->value + g->value + h->value;
}

__attribute__((noinline)) static long sum_of_list(const struct element* e) {
  long sum = 0;
  for (int i = 0; i < COUNT; i++) {
    sum += e->value;
    e = e->next;
  }
  return sum;
}

__attribute__((noinline)) static long sum_of_array(void) {
  long sum = 0;
  for (int i = 0; i < COUNT; i++) sum += numbers[i];
  return sum;
}

__attribute__((noinline)) static long sum_in_order(void) {
  long sum = 0;
  for (int i = 0; i < COUNT; i++) sum += numbers[order[i]];
  return sum;
}

int main(void) {
  for (int i = 0; i < COUNT; i++) {
    elements[i].next = &elements[(i + 1021) % COUNT];
    elements[i].value = numbers[i] = i;
    order[i] = (i * 5 + 1) % COUNT;
  }
  long sum = one_list(elements) + four_lists(elements);
  sum += sum_of_list(elements) + sum_of_array() + sum_in_order();
  printf("%ld\n", sum);
  return 0;
}
