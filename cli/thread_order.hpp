// How finely the accesses of several threads are ordered: asked for by --order, told by the profile.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "session/session.h"

namespace cachescape::cli {

void add_order_option(CLI::App& verb, std::string& order);

/// Before the program begins.
void ask_for_order(cachescape_session& session, const std::string& order);

/// What the order of accesses is worth, for the profile; `parts` were ordered as one each, `late` of them came too
/// late.
std::string order_kept(const cachescape_session& session, std::uint64_t accesses, std::uint64_t parts,
                       std::uint64_t late);

}  // namespace cachescape::cli
