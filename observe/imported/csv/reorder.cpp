#include "observe/imported/csv/reorder.hpp"

#include <algorithm>

namespace cachescape::imported {

bool ReorderWindow::add(Time time, const Access& access) {
  if (time < taken_) return false;
  if (time >= newest_) {
    newest_ = time;
    run_.push_back({time, access});
  } else {
    strays_.push_back({{time, access}, arrivals_++});
    std::ranges::push_heap(strays_, later);
  }
  return true;
}

Access ReorderWindow::take() {
  Row row;
  // Of equal times the one in the run came first: when the stray came, the run had already passed its time.
  if (strays_.empty() || (!run_.empty() && run_.front().time <= strays_.front().row.time)) {
    row = run_.front();
    run_.pop_front();
  } else {
    std::ranges::pop_heap(strays_, later);
    row = strays_.back().row;
    strays_.pop_back();
  }
  taken_ = row.time;
  return row.access;
}

}  // namespace cachescape::imported
