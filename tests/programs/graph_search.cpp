// Breadth-first search over a random graph: pointers and indices that no loop predicts.
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4000;
  const int degree = 8;
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(n));
  unsigned long long state = 3;
  for (auto& list : neighbours) {
    for (int k = 0; k < degree; k++) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      list.push_back(static_cast<int>((state >> 33) % static_cast<unsigned>(n)));
    }
  }
  long total = 0;
  for (int start = 0; start < 3; start++) {
    std::vector<int> depth(static_cast<std::size_t>(n), -1);
    std::queue<int> open;
    depth[static_cast<std::size_t>(start)] = 0;
    open.push(start);
    while (!open.empty()) {
      const int v = open.front();
      open.pop();
      for (const int w : neighbours[static_cast<std::size_t>(v)]) {
        if (depth[static_cast<std::size_t>(w)] >= 0) continue;
        depth[static_cast<std::size_t>(w)] = depth[static_cast<std::size_t>(v)] + 1;
        open.push(w);
      }
    }
    for (const int d : depth) total += d;
  }
  std::printf("%ld\n", total);
  return 0;
}
