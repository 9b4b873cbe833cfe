#include "model/sdcm.hpp"

#include <cmath>

#include <boost/math/special_functions/beta.hpp>

namespace cachescape::model {
namespace {

namespace policies = boost::math::policies;
/// No exceptions, and no long double: its extra digits cost three times the time.
using Policy =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::rounding_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace

double sdcm_hit_probability(std::uint64_t distance, double lines, std::uint64_t ways) {
  const auto d = static_cast<double>(distance);
  const auto a = static_cast<double>(ways);
  if (a >= lines) return d < lines ? 1 : 0;
  if (distance < ways) return 1;
  const double same_set = a / lines;
  if (ways == 1) return std::exp(d * std::log1p(-same_set));
  // The binomial distribution's tail: P(X < A) with X of D trials is 1 − I_p(A, D − A + 1).
  return boost::math::ibetac(a, d - a + 1, same_set, Policy());
}

}  // namespace cachescape::model
