// What a program will do on a machine: the hierarchy's outcome from a profile alone. docs/design/prediction.md says
// which numbers are exact and which are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cachescape/outcome.hpp"
#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "machine/machine.hpp"
#include "model/confidence.hpp"
#include "model/streams.hpp"

namespace cachescape::model {

/// How much of a cache is modelled, as in Byfl's comparison; each more than the one before.
enum class Detail : std::uint8_t {
  stack,      ///< lines only: every cache is fully associative, and no other takes lines from it
  sets,       ///< sets too
  touches,    ///< also other caches' touches: a line that another thread touched last is looked for in all caches
              ///< together
  coherence,  ///< other caches' writes instead, which is what takes lines from caches
};

struct PredictOptions {
  bool classify = true;  ///< tell the causes of misses apart
  Detail detail = Detail::coherence;
};

/// How a level's write-backs and bytes out were found.
enum class WriteBackMethod : std::uint8_t {
  exact,     ///< those of the simulator
  modelled,  ///< by distances, but for the reason given the cache may do otherwise
  unknown,   ///< 0 in the outcome
};

struct LevelPrediction {
  Method method = Method::sdcm;
  /// Why the misses are not those of the simulator to the access; clauses without full stop. Empty = they are.
  std::vector<std::string> why_not_exact;
  WriteBackMethod write_backs = WriteBackMethod::unknown;
  /// Why they are not exact; a clause without full stop. Empty = they are.
  std::string write_back_note;
  bool coherent = false;  ///< what other instances' writes do is in the numbers
  /// Of the level's misses, where the profile was sampled.
  std::optional<Interval> confidence;

  bool exact() const { return why_not_exact.empty(); }
  friend bool operator==(const LevelPrediction&, const LevelPrediction&) = default;
};

struct Prediction {
  /// As the simulator's; upgrades, invalidations and remote hits are 0 where coherence is not modelled.
  HierarchyOutcome outcome;
  std::vector<LevelPrediction> levels;  ///< one per level of the outcome
  /// Average memory access time of a touch: the sum over levels of hits × latency, plus memory's, over touches. Where
  /// the machine gives every latency.
  std::optional<double> amat_cycles;
  std::vector<std::string> warnings;  ///< sentences without full stop

  friend bool operator==(const Prediction&, const Prediction&) = default;
};

/// Every level is judged by the whole stream at its own line size, as if nothing were nearer to the core; its accesses
/// are the misses of the level before. Pure. Precondition: machine::validate(machine) succeeds.
Result<Prediction> predict(const Profile& profile, const machine::Machine& machine, const PredictOptions& options = {});
/// The same for many machines and one profile: microseconds each.
Result<Prediction> predict(const Streams& streams, const machine::Machine& machine, const PredictOptions& options = {});

}  // namespace cachescape::model
