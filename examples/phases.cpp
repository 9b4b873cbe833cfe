// A program of three phases, to record one of.
#include <cstdio>

static volatile int grid[1000];

namespace phase {

[[gnu::noinline]] void read(int by) {
  for (int i = 0; i < 1000; ++i) grid[i] = i * by;
}

[[gnu::noinline]] int solve(int rounds) {
  for (int k = 0; k < rounds; ++k)
    for (int i = 0; i < 1000; ++i) grid[i] = grid[999 - i] + k;
  return grid[0] % 7;
}

[[gnu::noinline]] void write(int result) { std::printf("solved %d\n", result); }

}  // namespace phase

int main() {
  phase::read(2);
  phase::write(phase::solve(6));
}
