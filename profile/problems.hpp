// Collects what validate() finds.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cachescape/profile.hpp"

namespace cachescape::profile {

class Problems {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> sentence, Values&&... values) {
    found_.push_back(fmt::format(sentence, std::forward<Values>(values)...));
  }
  void add_text(std::string sentence) { found_.push_back(std::move(sentence)); }
  bool none() const { return found_.empty(); }
  std::vector<std::string> take() && { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

/// What concerns the set distances of an unsampled profile: among themselves and against the stack distances.
void validate_sets(const Profile& profile, Problems& problems);
/// What concerns the places of an unsampled profile: each by itself, and all together against the program.
void validate_places(const Profile& profile, Problems& problems);
/// What concerns the sharing of an unsampled profile: among itself and against the stack distances.
void validate_sharing(const Profile& profile, Problems& problems);
/// What concerns the signatures of an unsampled profile: each by itself, and against accesses and footprints.
void validate_signatures(const Profile& profile, Problems& problems);

}  // namespace cachescape::profile
