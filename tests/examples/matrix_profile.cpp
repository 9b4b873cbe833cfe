// Writes examples/profiles/matrix.cscape anew, after a change of the format or of the example:
//   ninja -C build/release matrix_profile && build/release/tests/examples/matrix_profile
//   examples/profiles/matrix.cscape
#include <cstdio>

#include "product/report/places_example.hpp"
#include "profile/writer.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: matrix_profile FILE\n", stderr);
    return 2;
  }
  const auto written = cachescape::profile::write_profile(argv[1], cachescape::report::MatrixExample().profile());
  if (written) return 0;
  std::fprintf(stderr, "%s: %s\n", argv[1], written.error().what.c_str());
  return 1;
}
