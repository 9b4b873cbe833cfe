// Any bytes as a profile. Most changed databases are refused by SQLite, so other bytes become rows of a sound one,
// which only the reader's own checks can refuse, or, where they look like it, the text of a chunk.
#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/bin_text.hpp"
#include "profile/form.hpp"
#include "profile/form_rules.hpp"
#include "profile/reader.hpp"
#include "profile/schema.hpp"
#include "profile/validate.hpp"

using namespace cachescape;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// What is read has the form of a profile, and its parts agree.
void read(std::span<const std::byte> bytes) {
  const auto whole = profile::read_profile(bytes, "fuzz");
  const auto header = profile::read_header(bytes, "fuzz");
  if (!whole) {
    require(!whole.error().what.empty() && whole.error().where.starts_with("fuzz"));
    return;
  }
  require(profile::check_form(*whole).has_value());
  require(header && header->stacks.size() == whole->stacks.size() && header->sets.size() == whole->sets.size() &&
          header->sharing.size() == whole->sharing.degrees.size() &&
          header->signatures.size() == whole->signatures.size());
  (void)profile::validate(*whole);
  profile::ReadFilter filter;
  filter.lines = {LineSize{6}};
  filter.popularity = false;
  require(profile::read_profile(bytes, "fuzz", filter).has_value());
}

/// What is taken for bins has their form, and comes to the same when it is written again.
void read_chunk(std::string_view text, std::uint64_t first) {
  std::vector<Bin> bins;
  if (const auto parsed = profile::parse_text(text, first, bins); !parsed) {
    require(!parsed.error().what.empty());
    return;
  }
  require(!bins.empty() && bins.front().value == first && profile::check_bins(bins, 0, 0, "fuzz").has_value());
  std::string again;
  profile::append_text(again, bins);
  std::vector<Bin> back;
  require(profile::parse_text(again, first, back).has_value() && back == bins);
}

class RowBytes {
 public:
  RowBytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t next() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  /// A value for SQL: small numbers mostly, and now and then what does not belong there.
  std::string value() {
    switch (const std::uint8_t choice = next(); choice % 16) {
      case 0:
        return "NULL";
      case 1:
        return "9223372036854775807";
      case 2:
        return "-" + std::to_string(next());
      case 3:
        return "0.5";
      case 4:
        return "'everything'";
      case 5:
        return "'thread'";
      case 6:
        return "x'6162'";
      case 7:
        return std::to_string(1u << (next() % 32));
      case 8:
        return "'finished'";
      case 9:
        return "'site'";
      case 10:
        return "'object'";
      case 11:
        return "'" + bins() + "'";
      default:
        return std::to_string(choice / 16);
    }
  }

 private:
  /// Of the characters that the bins of a chunk have.
  std::string bins() {
    constexpr std::string_view characters = "0123456789,[]{}:\"";
    std::string text;
    for (std::size_t n = next() % 64; n > 0; --n) text += characters[next() % characters.size()];
    return text;
  }

  const std::uint8_t* data_;
  std::size_t size_;
};

struct Table {
  const char* name;
  int columns;
};
constexpr Table rows_of[] = {{"recording", 4},
                             {"provenance", 3},
                             {"thread", 4},
                             {"sampling", 6},
                             {"loss", 3},
                             {"stack", 5},
                             {"stack_kind", 4},
                             {"stack_bin", 4},
                             {"stack_chunk", 6},
                             {"foreign_cold", 3},
                             {"foreign_bin", 4},
                             {"foreign_chunk", 6},
                             {"write_back_chunk", 5},
                             {"sharing_chunk", 7},
                             {"sharing_event_chunk", 6},
                             {"foreign_set_bin", 5},
                             {"popularity", 3},
                             {"set_profile", 8},
                             {"set_grid", 3},
                             {"set_bin", 5},
                             {"location", 6},
                             {"block", 8},
                             {"site", 5},
                             {"object", 7},
                             {"counter", 4},
                             {"place_line", 1},
                             {"place", 7},
                             {"place_kind", 4},
                             {"place_bin", 4},
                             {"write_back", 2},
                             {"write_back_bin", 3},
                             {"sharing", 5},
                             {"sharing_kind", 4},
                             {"sharing_bin", 5},
                             {"sharing_event", 3},
                             {"sharing_event_bin", 4},
                             {"sharing_sets", 3},
                             {"sharing_set_bin", 6},
                             {"sharing_pair", 7},
                             {"shared_line", 4},
                             {"line_use", 7},
                             {"signature", 9},
                             {"signature_bin", 7},
                             {"signature_half", 6},
                             {"signature_step", 3}};

std::string schema(std::int64_t version) {
  std::string sql =
      "PRAGMA page_size = 512; BEGIN; PRAGMA application_id = " + std::to_string(profile::application_id) +
      "; PRAGMA user_version = " + std::to_string(version) + ";";
  for (const auto& table : profile::tables())
    if (table.in(version)) sql += std::string(table.sql) + ";";
  return sql;
}

/// The same bins in both ways of keeping them.
std::string bins_of(std::int64_t version) {
  if (version < profile::chunks_since) {
    return "INSERT INTO stack_bin VALUES(1,0,0,1);INSERT INTO sharing_bin VALUES(1,0,2,0,1);"
           "INSERT INTO sharing_event_bin VALUES(1,0,0,1);";
  }
  return "INSERT INTO stack_chunk VALUES(1,0,0,0,1,'[1]');INSERT INTO sharing_chunk VALUES(1,0,2,0,0,1,'[1]');"
         "INSERT INTO sharing_event_chunk VALUES(1,0,0,0,1,'{\"0\":1}');";
}

/// A profile with one of each thing.
std::string sound(std::int64_t version) {
  return schema(version) + bins_of(version) +
         "INSERT INTO recording VALUES('finished',1,0,0);INSERT INTO sampling VALUES('none',1,0,0,0,0);INSERT INTO "
         "loss "
         "VALUES(0,0,0);"
         "INSERT INTO stack VALUES(1,'everything',NULL,64,1);INSERT INTO stack_kind "
         "VALUES(1,0,2,1),(1,1,0,0),(1,2,0,0);"
         "INSERT INTO write_back VALUES(1,0);INSERT INTO set_profile "
         "VALUES(1,'everything',NULL,64,2,2,0,0);"
         "INSERT INTO set_grid VALUES(1,1,1);INSERT INTO set_bin VALUES(1,1,0,0,1);"
         "INSERT INTO location VALUES(1,'f','f.c',1,1,NULL),(2,'g','f.c',2,1,1);INSERT INTO block "
         "VALUES(1,'f','f.c',1,0,1,1,1);INSERT INTO site VALUES(1,2,1,'x','i8');INSERT INTO object "
         "VALUES(1,'heap','f',1,1,1,1);INSERT INTO counter VALUES(1,'loads',1,1);INSERT INTO place_line VALUES(64);"
         "INSERT INTO place VALUES(1,'site',1,2,0,0,2);INSERT INTO place_kind VALUES(1,0,2,1);INSERT INTO place_bin "
         "VALUES(1,0,0,1);"
         "INSERT INTO sharing VALUES(1,1,64,2,2);INSERT INTO sharing_kind VALUES(1,0,2,1),(1,1,0,0),(1,2,0,0);"
         "INSERT INTO sharing_event VALUES(1,0,1),(1,1,0),(1,2,0),(1,3,0),(1,4,0),(1,5,0);"
         "INSERT INTO sharing_sets VALUES(1,1,1);INSERT INTO sharing_set_bin VALUES(1,1,0,2,0,1);"
         "INSERT INTO sharing_pair VALUES(1,1,1,1,1,0,1);INSERT INTO shared_line VALUES(1,64,0,1);"
         "INSERT INTO line_use VALUES(1,1,0,1,1,0,1);"
         "INSERT INTO signature VALUES(1,'everything',NULL,4,0,2,0,0,1);INSERT INTO signature_bin "
         "VALUES(1,0,0,1,0,0,0),(1,0,18,1,0,0,0),(1,1,0,1,0,0,0);INSERT INTO signature_half "
         "VALUES(1,0,0,4,1,1),(1,1,0,4,1,1);INSERT INTO signature_step VALUES(1,1,1);COMMIT;";
}

/// A sound profile, then the rows that the bytes say. The first byte says which way of keeping bins.
void read_rows(RowBytes bytes) {
  static const std::array<std::string, 2> starts = {sound(profile::chunks_since), sound(profile::rows_until)};
  const std::string& start = starts[bytes.next() % 2];
  sqlite3* database = nullptr;
  require(sqlite3_open(":memory:", &database) == SQLITE_OK);
  require(sqlite3_exec(database, start.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  for (int rows = 0; !bytes.empty() && rows < 64; ++rows) {
    const std::uint8_t choice = bytes.next();
    const Table& table = rows_of[choice % std::size(rows_of)];
    std::string sql = (choice & 0x80) != 0 ? std::string("DELETE FROM ") + table.name + ";" : "";
    sql += std::string("INSERT OR REPLACE INTO ") + table.name + " VALUES(";
    for (int c = 0; c < table.columns; ++c) sql += (c > 0 ? "," : "") + bytes.value();
    // Rows that SQLite itself refuses are passed over.
    (void)sqlite3_exec(database, (sql + ")").c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> file(sqlite3_serialize(database, "main", &size, 0),
                                                             sqlite3_free);
  sqlite3_close(database);
  require(file != nullptr);
  read(std::as_bytes(std::span(file.get(), static_cast<std::size_t>(size))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view magic = "SQLite format 3";
  if (size >= magic.size() && std::memcmp(data, magic.data(), magic.size()) == 0) {
    read(std::as_bytes(std::span(data, size)));
  } else if (size > 0 && (data[0] == '[' || data[0] == '{')) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const std::uint64_t first : {std::uint64_t{0}, profile::max_integer - 7}) read_chunk(text, first);
  } else {
    read_rows(RowBytes(data, size));
  }
  return 0;
}
