// The profile of examples/matrix_multiply.c with N = 40, whose multiply() was inlined into main(): what
// examples/profiles/matrix.cscape holds. Accesses, places and counters are made by following the source, not by an
// observer, so that tests know every number.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "cachescape/profile.hpp"
#include "profile/naive_profile.hpp"

namespace cachescape::report {

class MatrixExample {
 public:
  static constexpr std::uint64_t n = 40;

  Profile profile() {
    run();
    Profile profile = profile::naive_profile(accesses_, {.lines = {LineSize{6}}, .sets = {1, 16, 64}, .ways = 8});
    profile.provenance = {{"command", "./matrix_multiply"},
                          {"recorded", "2026-01-15T09:30:00Z"},
                          {"duration", "0.0021"},
                          {"version", "0.1.0"}};
    profile.instructions = 8 * n * n + 6 * n * n + 9 * n * n * n + 5;
    profile.places = places();
    return profile;
  }

 private:
  enum SiteNumber : std::uint32_t { store_a, store_b, load_sum, load_a, load_b, store_sum, load_printed, site_count };
  enum ObjectNumber : std::uint32_t { matrix_a, matrix_b, matrix_c, object_count };
  enum BlockNumber : std::uint32_t { fill, row_by_column, inner, print, block_count };

  struct Event {
    SiteNumber site;
    ObjectNumber object;
  };

  void access(SiteNumber site, ObjectNumber object, std::uint64_t row, std::uint64_t column, AccessKind kind) {
    const std::uint64_t address = 0x10000 + (object * n * n + row * n + column) * sizeof(double);
    accesses_.push_back({Address{address}, sizeof(double), kind, ThreadId{0}, SiteId{site}});
    events_.push_back({site, object});
  }

  void run() {
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        access(store_a, matrix_a, i, j, AccessKind::write);
        access(store_b, matrix_b, i, j, AccessKind::write);
      }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        access(load_sum, matrix_c, i, j, AccessKind::read);
        for (std::uint64_t k = 0; k < n; ++k) {
          access(load_a, matrix_a, i, k, AccessKind::read);
          access(load_b, matrix_b, k, j, AccessKind::read);
        }
        access(store_sum, matrix_c, i, j, AccessKind::write);
      }
    }
    access(load_printed, matrix_c, 1, 2, AccessKind::read);
  }

  /// Distances by place, in Mattson's list; every access touches one line.
  template <std::size_t count, class PlaceOf>
  std::vector<PlaceDistances> distances(PlaceOf place_of) const {
    constexpr LineSize line{6};
    profile::NaiveStack stack;
    std::array<PlaceDistances, count> places{};
    std::array<std::array<std::map<std::uint64_t, std::uint64_t>, access_kinds>, count> bins;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      const std::uint32_t place = place_of(events_[i]);
      const auto kind = static_cast<std::size_t>(accesses_[i].kind);
      PlaceDistances& p = places[place];
      ++p.accesses[kind];
      p.bytes += accesses_[i].size;
      if (const auto distance = stack.touch(line.line_of(accesses_[i].address))) {
        ++bins[place][kind][place_distance(*distance)];
      } else {
        ++p.kinds[kind].cold;
      }
    }
    for (std::uint32_t place = 0; place < count; ++place) {
      places[place].place = place;
      for (std::size_t k = 0; k < access_kinds; ++k) places[place].kinds[k].bins = profile::bins_of(bins[place][k]);
    }
    return {places.begin(), places.end()};
  }

  Places places() const {
    const std::string file = "matrix_multiply.c";
    Places p;
    p.locations = {{"main", file, 26, 15, nowhere}, {"main", file, 27, 15, nowhere}, {"main", file, 32, 39, nowhere},
                   {"multiply", file, 17, 20, 2},   {"multiply", file, 18, 51, 2},   {"multiply", file, 18, 61, 2},
                   {"multiply", file, 19, 15, 2},   {"main", file, 33, 28, nowhere}, {"", file, 12, 15, nowhere},
                   {"", file, 12, 24, nowhere},     {"", file, 12, 33, nowhere}};
    p.blocks = {{"main", file, 0, 2, false, n * n, 8},
                {"main", file, 3, 2, false, n * n, 6},
                {"main", file, 4, 3, false, n * n * n, 9},
                {"main", file, 7, 0, false, 1, 5}};
    p.sites = {{0, fill, "a[][]", "f64"},  {1, fill, "b[][]", "f64"},  {3, row_by_column, "c[][]", "f64"},
               {4, inner, "a[][]", "f64"}, {5, inner, "b[][]", "f64"}, {6, row_by_column, "c[][]", "f64"},
               {7, print, "c[][]", "f64"}};
    constexpr std::uint64_t bytes = n * n * sizeof(double);
    p.objects = {{Object::Kind::global, "a", 8, 1, bytes, bytes},
                 {Object::Kind::global, "b", 9, 1, bytes, bytes},
                 {Object::Kind::global, "c", 10, 1, bytes, bytes}};
    const auto count = [&](std::uint32_t block, std::initializer_list<std::pair<const char*, std::uint64_t>> each) {
      for (const auto& [metric, times] : each) {
        p.counted.push_back({metric, block, times * p.blocks[block].executions});
      }
    };
    count(fill, {{"blocks", 1},
                 {"instructions", 8},
                 {"stores", 2},
                 {"bytes.stored", 16},
                 {"store.f64", 2},
                 {"int.ops", 3},
                 {"op.bits", 96},
                 {"branches.conditional", 1},
                 {"op.store", 2},
                 {"op.sitofp", 2},
                 {"op.add", 3},
                 {"op.br", 1}});
    count(row_by_column, {{"blocks", 1},
                          {"instructions", 6},
                          {"loads", 1},
                          {"stores", 1},
                          {"bytes.loaded", 8},
                          {"bytes.stored", 8},
                          {"load.f64", 1},
                          {"store.f64", 1},
                          {"int.ops", 1},
                          {"op.bits", 32},
                          {"branches.conditional", 1},
                          {"op.load", 1},
                          {"op.store", 1},
                          {"op.getelementptr", 2},
                          {"op.add", 1},
                          {"op.br", 1}});
    count(inner, {{"blocks", 1},
                  {"instructions", 9},
                  {"loads", 2},
                  {"bytes.loaded", 16},
                  {"load.f64", 2},
                  {"flops", 2},
                  {"int.ops", 2},
                  {"op.bits", 448},
                  {"flop.bits", 384},
                  {"branches.conditional", 1},
                  {"op.load", 2},
                  {"op.getelementptr", 2},
                  {"op.fmul", 1},
                  {"op.fadd", 1},
                  {"op.add", 2},
                  {"op.br", 1}});
    count(print, {{"blocks", 1},
                  {"instructions", 5},
                  {"loads", 1},
                  {"bytes.loaded", 8},
                  {"load.f64", 1},
                  {"calls", 1},
                  {"call.printf", 1},
                  {"branches.other", 1},
                  {"op.load", 1},
                  {"op.call", 1},
                  {"op.ret", 1}});
    p.site_distances = distances<site_count>([](const Event& e) { return e.site; });
    p.object_distances = distances<object_count>([](const Event& e) { return e.object; });
    return p;
  }

  std::vector<Access> accesses_;
  std::vector<Event> events_;
};

}  // namespace cachescape::report
