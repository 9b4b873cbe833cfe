#include "bytes/system_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace cachescape::bytes {
namespace {

struct Words {
  std::string_view what;
  std::string_view hint;
};

Words words_for(int number) {
  switch (number) {
    case ENOENT:
      return {"there is no such file or folder", "check the spelling of the path"};
    case ENOTDIR:
      return {"a part of the path is not a folder", "check the spelling of the path"};
    case EISDIR:
      return {"it is a folder, not a file", "name a file in it"};
    case EACCES:
    case EPERM:
      return {"permission denied", "check the permissions of the file and of the folders on its path"};
    case EROFS:
      return {"the file system is read-only", "choose another place for the output"};
    case ENOSPC:
      return {"no space left on the device", "free some space or choose another place for the output"};
    case EDQUOT:
      return {"no space left in your disk quota", "free some space or choose another place for the output"};
    case EFBIG:
      return {"the file would become larger than the system allows", "check the file size limit (ulimit -f)"};
    case EPIPE:
      return {"the program that reads the output has ended", ""};
    case EMFILE:
    case ENFILE:
      return {"too many files are open", "raise the limit on open files (ulimit -n)"};
    case EBADF:
      return {"it is not open", "check how the program was started"};
    default:
      return {"", ""};
  }
}

}  // namespace

Error system_error(int number, std::string_view action, const std::string& name) {
  const Words words = words_for(number);
  const std::string why = words.what.empty() ? std::generic_category().message(number) : std::string(words.what);
  return Error{ErrorKind::io, fmt::format("cannot {}: {}", action, why), name, std::string(words.hint)};
}

}  // namespace cachescape::bytes
