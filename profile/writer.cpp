#include "profile/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "profile/form.hpp"
#include "profile/replace.hpp"
#include "profile/row_writer.hpp"
#include "profile/schema.hpp"

namespace cachescape::profile {
namespace {

constexpr std::uint64_t page_bytes = 4096;

/// Undoes the transaction unless it was committed.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database) {
    CACHESCAPE_CHECK(database.run("BEGIN IMMEDIATE"));
    return Transaction(database);
  }
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (database_ != nullptr) (void)database_->run("ROLLBACK");
  }

  Result<void> commit() {
    CACHESCAPE_CHECK(database_->run("COMMIT"));
    database_ = nullptr;
    return {};
  }

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

/// SQLite tries to read what it may not write, and then says what that failed for.
Result<void> make_file(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return failure(ErrorKind::io, fmt::format("cannot create: {}", std::generic_category().message(errno)), path,
                   "check the path and the permissions of its folder");
  close(file);
  return {};
}

Result<void> write_empty(const std::string& path) {
  CACHESCAPE_CHECK(make_file(path));
  CACHESCAPE_TRY(const auto database, Database::open(path, Database::Access::create));
  CACHESCAPE_CHECK(database->run(fmt::format("PRAGMA page_size = {}", page_bytes)));
  CACHESCAPE_TRY(Transaction transaction, Transaction::begin(*database));
  CACHESCAPE_CHECK(database->run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, schema_version)));
  for (const SchemaObject& table : tables()) {
    if (table.in(schema_version)) CACHESCAPE_CHECK(database->run(std::string(table.sql)));
  }
  for (const SchemaObject& view : views()) CACHESCAPE_CHECK(database->run(std::string(view.sql)));
  CACHESCAPE_CHECK(database->run("INSERT INTO recording VALUES('recording', 0, 0, 0)"));
  CACHESCAPE_CHECK(write_rows(*database, Profile{}));
  return transaction.commit();
}

std::unexpected<Error> about(Error error, const std::string& path) {
  error.where = path;
  return std::unexpected(std::move(error));
}

/// Where the file system cannot do it, SQLite keeps its usual journal: readers then wait for updates, and all else
/// holds.
Result<void> prepare_for_live_reading(const Database& database, const WriterOptions& options) {
  CACHESCAPE_CHECK(database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384"));
  if (options.max_bytes == 0) return {};
  return database.run(
      fmt::format("PRAGMA max_page_count = {}", std::max<std::uint64_t>(1, options.max_bytes / page_bytes)));
}

/// Whether the log is in the file to its last page. A reader in mid-query is waited for.
Result<bool> checkpoint(const Database& database) {
  const int code = sqlite3_wal_checkpoint_v2(database.raw(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if ((code & 0xff) == SQLITE_BUSY) return false;
  if (code != SQLITE_OK) return std::unexpected(database.error(code));
  return true;
}

}  // namespace

Result<void> ProfileWriter::check(const std::string& path) {
  CACHESCAPE_TRY(const std::string resolved, resolve(path));
  if (auto free = check_replaceable(resolved); !free) return about(std::move(free).error(), path);
  const std::string staged = staging_path(resolved);
  const auto written = write_empty(staged);
  discard(staged);
  if (!written) return about(written.error(), path);
  return {};
}

Result<std::unique_ptr<ProfileWriter>> ProfileWriter::create(const std::string& path, WriterOptions options) {
  CACHESCAPE_TRY(std::string resolved, resolve(path));
  if (auto free = check_replaceable(resolved); !free) return about(std::move(free).error(), path);
  const std::string staged = staging_path(resolved);
  if (auto written = write_empty(staged); !written) {
    discard(staged);
    return about(std::move(written).error(), path);
  }
  if (auto placed = put_in_place(staged, resolved); !placed) return about(std::move(placed).error(), path);
  CACHESCAPE_TRY(auto database, Database::open(path, Database::Access::write));
  CACHESCAPE_CHECK(prepare_for_live_reading(*database, options));
  return std::unique_ptr<ProfileWriter>(new ProfileWriter(std::move(resolved), std::move(database)));
}

Result<void> ProfileWriter::update(const Profile& profile) {
  if (database_ == nullptr) return failure(ErrorKind::usage, "the profile is finished and cannot be updated", path_);
  if (auto form = check_form(profile); !form) return about(std::move(form).error(), database_->name());
  CACHESCAPE_TRY(Transaction transaction, Transaction::begin(*database_));
  CACHESCAPE_CHECK(write_rows(*database_, profile));
  CACHESCAPE_TRY(Statement recording,
                 database_->prepare("UPDATE recording SET updates = ?1, instructions = ?2, bytes = ?3"));
  recording.bind(1, updates_ + 1);
  recording.bind(2, profile.instructions);
  recording.bind(3, profile.bytes);
  CACHESCAPE_CHECK(recording.run());
  CACHESCAPE_CHECK(transaction.commit());
  ++updates_;
  return {};
}

Result<void> ProfileWriter::finish() {
  if (database_ == nullptr) return failure(ErrorKind::usage, "the profile is finished already", path_);
  CACHESCAPE_CHECK(database_->run("UPDATE recording SET state = 'finished'"));
  CACHESCAPE_TRY(const bool whole, checkpoint(*database_));
  if (whole) {
    sqlite3_busy_timeout(database_->raw(), 0);
    // Refused while another connection is open, even if it does nothing.
    if (!database_->run("PRAGMA journal_mode = DELETE")) return replace_by_copy();
  }
  database_.reset();
  return {};
}

Result<void> ProfileWriter::replace_by_copy() {
  const std::string staged = staging_path(path_);
  CACHESCAPE_TRY(Statement copy, database_->prepare("VACUUM INTO ?1"));
  copy.bind(1, std::string_view(staged));
  if (auto copied = copy.run(); !copied) {
    discard(staged);
    return copied;
  }
  const std::string name = database_->name();
  copy = Statement(*database_, nullptr);
  database_.reset();
  if (auto placed = put_in_place(staged, path_); !placed) return about(std::move(placed).error(), name);
  return {};
}

Result<void> write_profile(const std::string& path, const Profile& profile) {
  CACHESCAPE_TRY(const auto writer, ProfileWriter::create(path));
  CACHESCAPE_CHECK(writer->update(profile));
  return writer->finish();
}

}  // namespace cachescape::profile
