// A folder for one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace cachescape::profile {

class Scratch {
 public:
  Scratch() {
    // In memory where possible: hundreds of databases that wait for a disk would make slow tests.
    std::error_code none;
    const std::filesystem::path parent =
        std::filesystem::is_directory("/dev/shm", none) ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "cachescape-profile-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace cachescape::profile
