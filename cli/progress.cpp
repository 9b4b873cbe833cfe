#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

bool terminal() {
  static const bool is = isatty(STDERR_FILENO) == 1;
  return is;
}

void wipe() { std::fputs("\r\x1b[K", stderr); }

std::string bar(double done) {
  constexpr int cells = 20;
  const int full = static_cast<int>(done * cells);
  std::string text;
  for (int i = 0; i < cells; ++i) text += i < full ? "█" : "░";
  return text;
}

}  // namespace

void note(const std::string& text) {
  if (terminal()) wipe();
  std::fputs(("cachescape: " + text + '\n').c_str(), stderr);
}

std::string slowdown_text(const std::optional<double>& slowdown) {
  if (!slowdown) return {};
  // Not more digits than can be meant.
  const double step = *slowdown < 10 ? 1 : std::pow(10, std::floor(std::log10(*slowdown)) - 1);
  const auto times = static_cast<std::uint64_t>(std::max(1.0, std::round(*slowdown / step) * step));
  return fmt::format(", about {} slower", times == 1 ? "1 time" : report::with_thousands(times) + " times");
}

Progress::~Progress() {
  if (shown_) wipe();
}

bool Progress::is_time() {
  if (!terminal()) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  return true;
}

void Progress::update(const AccessSource& source) {
  if (is_time()) show(source.status());
}

void Progress::update(const std::function<ProgramStatus()>& ask) {
  if (!is_time()) return;
  const ProgramStatus status = ask();
  std::string line = fmt::format("{} {}, {:.1f} M/s", doing_, report::counted(status.accesses, "access"),
                                 static_cast<double>(status.accesses) / seconds() / 1e6);
  if (status.footprint > 0) line += fmt::format(", {} touched", report::bytes_text(status.footprint));
  line += slowdown_text(status.slowdown);
  // How much of the time it does not run at all, because the analysis is behind or because it sleeps.
  line += fmt::format(", on a processor {:.0f} % of {:.0f} s", 100 * status.processor_seconds / seconds(), seconds());
  write(line);
}

void Progress::update(std::string_view stage, double done) {
  if (is_time()) write(fmt::format("{} {:3.0f} %  {}: {}, {:.0f} s", bar(done), 100 * done, doing_, stage, seconds()));
}

void Progress::show(const SourceStatus& status) {
  const double seconds = this->seconds();
  std::string line = fmt::format("{} {}", doing_, report::counted(status.accesses.value, "access"));
  line += fmt::format(", {:.1f} M/s", static_cast<double>(status.accesses.value) / seconds / 1e6);
  if (status.bytes_total && *status.bytes_total > 0) {
    const double done = static_cast<double>(status.bytes_read) / static_cast<double>(*status.bytes_total);
    line = fmt::format("{} {:3.0f} %  {}", bar(done), 100 * done, line);
    if (done > 0) line += fmt::format(", {:.0f} s left", seconds * (1 - done) / done);
  }
  write(line);
}

void Progress::write(const std::string& line) {
  shown_ = true;
  wipe();
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace cachescape::cli
