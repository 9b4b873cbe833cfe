// A seed as a program of its own: one C file, without input and libraries, that does what measure() does.
#pragma once

#include <string>

#include "cachescape/result.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// The text of a C11 program for POSIX systems. `name` says in its first line what it was made from; `chains` is what
/// it runs with unless told otherwise. The seed takes one to five characters a reference. Fails as lay_out() does.
Result<std::string> proxy_program(const synth::Seed& seed, const std::string& name, unsigned chains);

}  // namespace cachescape::proxy
