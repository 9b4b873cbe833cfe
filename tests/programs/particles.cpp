// Particles as an array of structures, moved and binned: C++ with templates, exceptions and containers.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Particle {
  double x, y, z;
  double vx, vy, vz;
  int cell;
  int charge;
};

template <class Real>
static Real wrapped(Real v, Real size) {
  if (v < 0) v += size;
  if (v >= size) v -= size;
  if (v < 0 || v >= size) throw std::out_of_range("a particle has left the box");
  return v;
}

static void move(std::vector<Particle>& particles, double dt) {
  for (Particle& p : particles) {
    try {
      p.x = wrapped(p.x + p.vx * dt, 1.0);
      p.y = wrapped(p.y + p.vy * dt, 1.0);
      p.z = wrapped(p.z + p.vz * dt, 1.0);
    } catch (const std::out_of_range&) {
      p.x = p.y = p.z = 0.5;
    }
  }
}

static void bin(std::vector<Particle>& particles, std::vector<int>& counts, int cells) {
  for (int& c : counts) c = 0;
  for (Particle& p : particles) {
    p.cell =
        (static_cast<int>(p.x * cells) * cells + static_cast<int>(p.y * cells)) * cells + static_cast<int>(p.z * cells);
    counts[static_cast<std::size_t>(p.cell)] += p.charge;
  }
}

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atol(argv[1])) : 5000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 4;
  const int cells = 16;
  std::vector<Particle> particles(n);
  unsigned long long state = 7;
  const auto draw = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  for (Particle& p : particles)
    p = {draw(), draw(), draw(), draw() - 0.5, draw() - 0.5, draw() < 0.001 ? 1e6 : draw() - 0.5, 0, 1};
  std::vector<int> counts(static_cast<std::size_t>(cells) * cells * cells);
  for (int s = 0; s < steps; s++) {
    move(particles, 0.01);
    bin(particles, counts, cells);
  }
  double sum = 0;
  for (const Particle& p : particles) sum += p.x + p.y + p.z;
  int most = 0;
  for (const int c : counts)
    if (c > most) most = c;
  std::printf("%.6f %d\n", sum, most);
  return 0;
}
