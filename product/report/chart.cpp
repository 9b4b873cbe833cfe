#include "product/report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "product/report/chart_canvas.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

constexpr std::size_t gutter = 8;  // "100.0 % " before the plot

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return low > high; }
};

class Plot {
 public:
  Plot(const std::vector<Series>& series, const ChartOptions& options)
      : series_(series),
        options_(options),
        canvas_(std::max<std::size_t>(options.width, 40) - gutter, std::max<std::size_t>(options.height, 4)) {
    for (const Series& s : series) {
      for (const double x : s.x) x_.include(std::log2(x));
      for (const double y : s.y) top_ = std::max(top_, y);
    }
    if (top_ <= 0) top_ = 1;
    fine_ = options.glyphs == Glyphs::unicode && (series.size() == 1 || options.colours != Colours::none);
    if (x_.empty()) return;
    // One point, or several at one place, stand at the left end.
    if (x_.high - x_.low < 1e-6) x_.high = x_.low + 1;
    for (std::size_t i = 0; i < series.size(); ++i) draw(i);
  }

  std::string text(const std::function<std::string(double)>& label_of) const {
    std::string out;
    const std::string side = options_.glyphs == Glyphs::unicode ? "┤" : "|";
    const std::string plain_side = options_.glyphs == Glyphs::unicode ? "│" : "|";
    for (std::size_t r = 0; r < canvas_.rows(); ++r) {
      const bool labelled = r == 0 || r + 1 == canvas_.rows() || r == canvas_.rows() / 2;
      std::string line(gutter - 1, ' ');
      if (labelled) line = fmt::format("{:>5.1f} %", 100 * value_at(r));
      line += (labelled ? side : plain_side) + canvas_.row(r, options_.glyphs, options_.colours);
      out += line + '\n';
    }
    out += axis(label_of);
    if (series_.size() > 1) out += legend();
    return out;
  }

 private:
  double value_at(std::size_t row) const {
    return top_ * static_cast<double>(canvas_.rows() - 1 - row) / static_cast<double>(canvas_.rows() - 1);
  }

  /// The series' value at log2(x), or nothing outside its points.
  double value(const Series& s, double at) const {
    const auto above = std::ranges::upper_bound(s.x, std::exp2(at) * (1 + 1e-12));
    if (above == s.x.begin()) return std::numeric_limits<double>::quiet_NaN();
    const auto i = static_cast<std::size_t>(above - s.x.begin()) - 1;
    if (i + 1 == s.x.size()) return at > std::log2(s.x[i]) + 1e-9 ? std::numeric_limits<double>::quiet_NaN() : s.y[i];
    if (options_.steps) return s.y[i];
    const double from = std::log2(s.x[i]);
    return s.y[i] + (s.y[i + 1] - s.y[i]) * (at - from) / (std::log2(s.x[i + 1]) - from);
  }

  void draw(std::size_t index) {
    const std::size_t across = canvas_.columns() * (fine_ ? 2 : 1);
    const std::size_t down = canvas_.rows() * (fine_ ? 4 : 1);
    const Series& s = series_[index];
    if (s.x.empty()) return;
    const double span = x_.high - x_.low;
    std::size_t before = down;
    for (std::size_t c = 0; c < across; ++c) {
      const double at = x_.low + span * static_cast<double>(c) / static_cast<double>(across - 1);
      const double y = value(s, at);
      if (std::isnan(y)) continue;
      const double share = std::clamp(y / top_, 0.0, 1.0);
      const auto row = down - 1 - static_cast<std::size_t>(std::lround(share * static_cast<double>(down - 1)));
      if (!fine_) {
        canvas_.mark(c, row, index);
        continue;
      }
      // A fall of several rows is a line, not a gap.
      for (std::size_t r = before == down ? row : std::min(before, row);
           r <= (before == down ? row : std::max(before, row)); ++r) {
        canvas_.dot(c, r, index);
      }
      before = row;
    }
  }

  std::string axis(const std::function<std::string(double)>& label_of) const {
    const bool unicode = options_.glyphs == Glyphs::unicode;
    std::string line = std::string(gutter - 1, ' ') + (unicode ? "└" : "+");
    for (std::size_t c = 0; c < canvas_.columns(); ++c) line += unicode ? "─" : "-";
    line += '\n';
    if (x_.empty()) return line;
    // As many labels as fit with room between them, at whole powers of two.
    std::string labels(gutter, ' ');
    std::size_t free = gutter;
    const double span = x_.high - x_.low;
    for (double at = std::ceil(x_.low - 1e-9); at <= x_.high + 1e-9; at += 1) {
      const std::string label = label_of(std::exp2(at));
      const auto centre = gutter + static_cast<std::size_t>(
                                       std::lround((at - x_.low) / span * static_cast<double>(canvas_.columns() - 1)));
      const std::size_t width = display_width(label);
      const std::size_t last = gutter + canvas_.columns() - std::min(canvas_.columns(), width);
      const std::size_t start = std::clamp(centre - std::min(centre, width / 2), gutter, last);
      if (start < free) continue;
      labels.append(start - display_width(labels), ' ');
      labels += label;
      free = start + width + 2;
    }
    labels.erase(labels.find_last_not_of(' ') + 1);
    return line + labels + '\n';
  }

  std::string legend() const {
    std::string out;
    std::string line;
    std::size_t columns = 0;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const std::string mark = fine_ ? "━━" : ChartCanvas::mark_of(i, options_.glyphs);
      const std::size_t width = display_width(mark) + 1 + display_width(series_[i].name);
      if (!line.empty() && columns + 3 + width > std::max<std::size_t>(options_.width, 40)) {
        out += line + '\n';
        line.clear();
      }
      columns = line.empty() ? gutter + width : columns + 3 + width;
      line += line.empty() ? std::string(gutter, ' ') : "   ";
      line += ChartCanvas::coloured(mark, i, options_.colours) + ' ' + series_[i].name;
    }
    return out + line + '\n';
  }

  const std::vector<Series>& series_;
  const ChartOptions& options_;
  ChartCanvas canvas_;
  Range x_;
  double top_ = 0;
  bool fine_ = false;
};

}  // namespace

std::string chart(const std::vector<Series>& series, const std::function<std::string(double)>& label_of,
                  const ChartOptions& options) {
  return Plot(series, options).text(label_of);
}

}  // namespace cachescape::report
