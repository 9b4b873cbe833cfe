#include "product/proxy/emit.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "product/proxy/chain.hpp"
#include "product/proxy/embedded_files.hpp"

namespace cachescape::proxy {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// One difference: the sign in the lowest bit, five bits a character, lowest first; the sixth bit says that more
/// follow.
void append_difference(std::string& text, std::int64_t difference) {
  auto value = static_cast<std::uint64_t>(difference < 0 ? ~difference : difference) << 1 |
               static_cast<std::uint64_t>(difference < 0);
  while (value >= 32) {
    text += alphabet[32 | (value & 31)];
    value >>= 5;
  }
  text += alphabet[value];
}

/// String literals of no more characters than every C compiler takes (C11, 5.2.4.1), and of whole differences.
/// Compilers read them a hundred times as fast as numbers between commas.
std::string literals(const synth::Seed& seed) {
  constexpr std::size_t most_characters = 4095;
  constexpr std::size_t longest_difference = 7;
  std::string text;
  std::string line;
  std::int64_t last = 0;
  for (const std::uint32_t word : seed.words) {
    if (line.size() + longest_difference > most_characters) {
      text += "    \"" + line + "\",\n";
      line.clear();
    }
    append_difference(line, word - last);
    last = word;
  }
  return text + "    \"" + line + "\",\n";
}

/// What may stand in a comment.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 32 || c == '\\' || c == '?') c = ' ';
  }
  return text;
}

}  // namespace

Result<std::string> proxy_program(const synth::Seed& seed, const std::string& name, unsigned chains) {
  CACHESCAPE_TRY(const Layout layout, lay_out(seed, Bytes{0}, chains));
  const std::string data = fmt::format(
      "// {}\n"
      "typedef uint{}_t element;\n"
      "static const uint64_t references = {}, period = {}, working_set = {}, least_replications = {};\n"
      "enum {{ usual_chains = {} }};\n"
      "static const char alphabet[] = \"{}\";\n"
      "static const char *const seed[] = {{\n{}}};\n",
      one_line(name), layout.element * 8, layout.references, layout.period, seed.working_set, layout.replications,
      chains, alphabet, literals(seed));
  constexpr std::string_view mark = "// SEED\n";
  std::string program{bytes::text_of(embedded_files(), "program.c")};
  return program.replace(program.find(mark), mark.size(), data);
}

}  // namespace cachescape::proxy
