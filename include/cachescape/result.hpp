// How every component says that something went wrong: a value with what, where and what to do.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace cachescape {

enum class ErrorKind : std::uint8_t {
  usage,        ///< the caller asked for something that makes no sense
  io,           ///< the operating system refused: missing file, full disk, no permission
  malformed,    ///< the input breaks its format's rules
  truncated,    ///< the input ends too early
  corrupt,      ///< a checksum says that the input was changed
  unsupported,  ///< well-formed, but not something this build or machine can do
  limit,        ///< a safety limit would be exceeded
};

/// Messages are sentences without a final full stop, in plain words, and name the offending value.
struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string what;   ///< what is wrong, and what was expected
  std::string where;  ///< file, with line or offset; may be empty
  std::string hint;   ///< what the user can do about it; may be empty
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(ErrorKind kind, std::string what, std::string where = {}, std::string hint = {}) {
  return std::unexpected(Error{kind, std::move(what), std::move(where), std::move(hint)});
}

}  // namespace cachescape

// Evaluates `expression` (a Result); on failure returns its error from the enclosing function, else
// binds the value to `declaration`.
#define CACHESCAPE_JOIN_(a, b) a##b
#define CACHESCAPE_JOIN(a, b) CACHESCAPE_JOIN_(a, b)
#define CACHESCAPE_TRY_(result, declaration, expression)          \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define CACHESCAPE_TRY(declaration, expression) \
  CACHESCAPE_TRY_(CACHESCAPE_JOIN(result_at_line_, __LINE__), declaration, expression)
// The same for a Result<void>, or where the value is not wanted.
#define CACHESCAPE_CHECK(expression) \
  if (auto check = (expression); !check) return std::unexpected(std::move(check).error())
