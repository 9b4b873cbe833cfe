#include "cli/signature_input.hpp"

#include <filesystem>
#include <span>
#include <string_view>

#include "bytes/source.hpp"
#include "product/signature/text.hpp"
#include "product/synth/seed_file.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

/// How every profile begins.
constexpr std::string_view database = "SQLite format 3";

Result<std::vector<signature::Signature>> from_profile(const std::string& path, const SignatureChoice& choice) {
  profile::ReadFilter filter;
  filter.popularity = false;
  filter.write_backs = false;
  filter.sharing = false;
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(path, filter));
  auto signatures = signature::signatures_of(profile, choice.by, choice.rule);
  if (!signatures) {
    signatures.error().where = path;
    return signatures;
  }
  if (choice.by == signature::By::program) {
    signatures->front().name = std::filesystem::path(path).stem().string();
  }
  return signatures;
}

}  // namespace

Result<std::vector<signature::Signature>> read_signatures(const std::string& path, const SignatureChoice& choice) {
  CACHESCAPE_TRY(const auto source, bytes::open_source(path));
  std::string text(database.size(), '\0');
  CACHESCAPE_TRY(const std::size_t got, bytes::read_fully(*source, std::as_writable_bytes(std::span(text))));
  text.resize(got);
  if (text == database) return from_profile(path, choice);
  CACHESCAPE_TRY(const std::vector<std::byte> rest, bytes::read_all(*source, signature::max_file_bytes));
  text.append(reinterpret_cast<const char*>(rest.data()), rest.size());
  if (synth::is_seed(std::as_bytes(std::span(text))))
    return failure(ErrorKind::malformed, "this is a seed, made from a signature already", path,
                   "cachescape expand makes traces of it, cachescape bench runs it");
  if (choice.by != signature::By::program || choice.rule)
    return failure(ErrorKind::usage, "a file of signatures has those that it has", path,
                   "--by, --word and --every-word choose among those of a profile");
  return signature::read_text(text, source->name());
}

}  // namespace cachescape::cli
