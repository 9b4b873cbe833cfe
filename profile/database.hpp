// SQLite as values that clean up after themselves and errors that say what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cachescape/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace cachescape::profile {

class Database;

/// A prepared statement. Valid as long as its database.
class Statement {
 public:
  Statement(const Database& database, sqlite3_stmt* raw) : database_(&database), raw_(raw) {}

  sqlite3_stmt* raw() const { return raw_.get(); }
  const Database& database() const { return *database_; }

  /// True where there is a row.
  Result<bool> step();
  /// Runs a statement that gives no rows, and makes it ready to run again.
  Result<void> run();
  /// Ready to run again, with the same bindings.
  void reset();
  void bind(int parameter, std::uint64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind_null(int parameter);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
};

/// One connection, for one thread at a time. Errors name the file.
class Database {
 public:
  enum class Access : std::uint8_t { read, write, create };

  /// The file must exist unless it is to be created.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
  /// A database in memory, never written; the bytes must outlive it.
  static Result<std::unique_ptr<Database>> open(std::span<const std::byte> bytes, std::string name);

  /// One or several statements whose rows are not wanted.
  Result<void> run(const std::string& sql) const;
  Result<Statement> prepare(std::string_view sql) const;
  /// The first column of the first row, 0 where there is none.
  Result<std::int64_t> integer(std::string_view sql) const;
  /// What SQLite's result `code` means, for the operation that just failed.
  Error error(int code) const;

  const std::string& name() const { return name_; }
  sqlite3* raw() const { return raw_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database(sqlite3* raw, std::string name) : raw_(raw), name_(std::move(name)) {}
  Result<void> harden() const;

  std::unique_ptr<sqlite3, Close> raw_;
  std::string name_;
};

}  // namespace cachescape::profile
