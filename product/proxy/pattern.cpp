#include "product/proxy/pattern.hpp"

#include <string>
#include <vector>

#include "product/proxy/embedded_files.hpp"
#include "product/proxy/scatter.hpp"
#include "product/proxy/straighten.hpp"
#include "product/signature/text.hpp"
#include "product/synth/synthesize.hpp"

namespace cachescape::proxy {
namespace {

constexpr std::string_view random_pattern = "random";

}  // namespace

bool is_pattern(std::string_view name) { return name == "stride" || name == random_pattern; }

Result<synth::Seed> pattern_seed(std::string_view name) {
  const std::string file = std::string{name} + ".sig";
  CACHESCAPE_TRY(const std::vector<signature::Signature> signatures,
                 signature::read_text(bytes::text_of(embedded_files(), file), file));
  synth::SynthesisOptions options;
  options.unique = true;
  CACHESCAPE_TRY(const synth::Synthesis synthesis, synth::synthesize(signatures, options));
  // What a signature leaves open makes the difference between a stride and steps to and fro, and between random places
  // and block after block.
  return name == random_pattern ? scattered(synthesis.seed) : straightened(synthesis.seed);
}

}  // namespace cachescape::proxy
