#include "cli/thread_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "product/report/number_text.hpp"
#include "session/order.h"
#include "session/session_atomic.h"

namespace cachescape::cli {

void add_order_option(CLI::App& verb, std::string& order) {
  verb.add_option("--order", order,
                  "Order between threads: of blocks of some thousand accesses, finely in pieces of some ten, or exact; "
                  "auto: fine as soon as there is a second thread")
      ->check(CLI::IsMember({"auto", "blocks", "fine", "exact"}))
      ->type_name("auto|blocks|fine|exact");
}

void ask_for_order(cachescape_session& session, const std::string& order) {
  session.order = order == "fine"    ? CACHESCAPE_ORDER_FINE
                  : order == "exact" ? CACHESCAPE_ORDER_EXACT
                                     : CACHESCAPE_ORDER_BLOCKS;
  session.order_of_threads = order == "auto" ? static_cast<std::uint32_t>(CACHESCAPE_ORDER_FINE) : session.order;
}

std::string order_kept(const cachescape_session& session, std::uint64_t accesses, std::uint64_t parts,
                       std::uint64_t late) {
  const std::uint32_t order = cachescape_load32(&session.order);
  if (order == CACHESCAPE_ORDER_EXACT) {
    return late == 0 ? "exact: by tickets"
                     : fmt::format("exact by tickets, but for {} that came late", report::counted(late, "record"));
  }
  return fmt::format("of {} of {} accesses on average", order == CACHESCAPE_ORDER_FINE ? "pieces" : "blocks",
                     report::with_thousands(accesses / std::max<std::uint64_t>(parts, 1)));
}

}  // namespace cachescape::cli
