#include "cli/help.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/description.hpp"
#include "machine/close_names.hpp"

namespace cachescape::cli {
namespace {

constexpr std::size_t text_column = 28;
constexpr std::size_t width = 100;

/// Characters, not bytes.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// "  label      text", the text wrapped and indented to its column.
std::string entry(const std::string& label, const std::string& text) {
  std::string out = "  " + label;
  std::size_t column = columns(out);
  if (column + 2 > text_column) {
    out += '\n';
    column = 0;
  }
  out += std::string(text_column - column, ' ');
  column = text_column;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (column > text_column && column + 1 + word.size() > width) {
      out += '\n' + std::string(text_column, ' ');
      column = text_column;
    } else if (column > text_column) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string label_of(const OptionDescription& o) {
  if (o.positional()) return o.value;
  std::string label = fmt::format("{}", fmt::join(o.flags, ", "));
  if (!o.value.empty()) label += ' ' + o.value;
  return label;
}

std::string text_of(const OptionDescription& o) {
  std::string text = o.text;
  if (o.required && !o.positional()) text += " (required)";
  if (!o.default_text.empty()) text += fmt::format(" (default: {})", o.default_text);
  return text;
}

/// The deepest verb that the command line names, "cachescape" where it names none.
const CLI::App& named_verb(const CLI::App& app, const std::vector<std::string>& arguments, std::size_t& depth) {
  const CLI::App* verb = &app;
  for (depth = 0; depth < arguments.size(); ++depth) {
    const auto verbs = verb->get_subcommands([&](const CLI::App* v) { return v->get_name() == arguments[depth]; });
    if (verbs.empty()) break;
    verb = verbs.front();
  }
  return *verb;
}

struct UnknownFlag {
  std::string name;
  std::string meant;  ///< the known flag that is spelt most alike, or empty
};

/// The first word that looks like a flag and is none of the verb's.
std::optional<UnknownFlag> unknown_flag(const VerbDescription& verb, const std::vector<std::string>& words) {
  std::vector<std::string_view> known;
  for (const OptionDescription& o : verb.options) known.insert(known.end(), o.flags.begin(), o.flags.end());
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string flag = word.substr(0, word.find('='));
    if (!flag.starts_with('-') || flag == "-" || std::ranges::find(known, flag) != known.end()) continue;
    if (flag.size() > 1 && std::isdigit(static_cast<unsigned char>(flag[1])) != 0) continue;
    const auto close = machine::close_names(flag, known, 1);
    return UnknownFlag{flag, close.empty() ? "" : std::string(close.front())};
  }
  return std::nullopt;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  VerbDescription d = describe(*app);
  if (!name.empty()) d.path = name;
  std::string out = fmt::format("{}\n\nUsage: {}\n", d.text, synopsis(d));
  if (!d.verbs.empty()) {
    out += "\nVerbs:\n";
    // The first sentence says enough in a list.
    for (const VerbDescription& v : d.verbs) out += entry(v.name, v.text.substr(0, v.text.find(".\n")));
  }
  const auto add_options = [&](const char* title, bool positional) {
    bool first = true;
    for (const OptionDescription& o : d.options) {
      if (o.positional() != positional) continue;
      if (first) out += fmt::format("\n{}:\n", title);
      first = false;
      out += entry(label_of(o), text_of(o));
    }
  };
  add_options("Arguments", true);
  add_options("Options", false);
  if (!d.examples.empty()) out += "\nExamples:\n" + d.examples + '\n';
  if (!d.verbs.empty()) out += fmt::format("\n{} <verb> --help tells more.\n", d.path);
  return out;
}

namespace {

/// As `cachescape record` does: with arguments of its own.
bool takes_program(const VerbDescription& verb) {
  return std::ranges::any_of(verb.options,
                             [](const OptionDescription& o) { return o.positional() && o.value == "program"; });
}

}  // namespace

Error parse_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  std::size_t depth = 0;
  const CLI::App& verb = named_verb(app, arguments, depth);
  std::string path = "cachescape";
  for (std::size_t i = 0; i < depth; ++i) path += ' ' + arguments[i];

  Error result{ErrorKind::usage, error.what(), {}, fmt::format("{} --help shows what it takes", path)};
  const VerbDescription description = describe(verb);
  if (!description.verbs.empty() && depth == arguments.size()) {
    result.what = "a verb is missing";
  } else if (!description.verbs.empty() && !arguments[depth].starts_with('-')) {
    std::vector<std::string_view> names;
    for (const VerbDescription& v : description.verbs) names.emplace_back(v.name);
    result.what = fmt::format("there is no verb “{}”", arguments[depth]);
    const auto close = machine::close_names(arguments[depth], names, 1);
    result.hint = close.empty() ? result.hint : fmt::format("did you mean {} {}?", path, close.front());
  } else if (const auto flag =
                 unknown_flag(description, {arguments.begin() + static_cast<std::ptrdiff_t>(depth), arguments.end()})) {
    result.what = fmt::format("there is no option {}", flag->name);
    if (!flag->meant.empty()) result.hint = fmt::format("did you mean {}? {}", flag->meant, result.hint);
    if (takes_program(description)) result.hint += "; those of the program come after --";
  } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // "Could not convert: --cores = x" tells the flag and the value; only the sentence is wrong.
    const std::string text = error.what();
    const auto colon = text.find(": ");
    const auto equals = text.find(" = ");
    if (colon != std::string::npos && equals != std::string::npos && colon < equals) {
      result.what =
          fmt::format("{} does not take “{}”", text.substr(colon + 2, equals - colon - 2), text.substr(equals + 3));
    }
  }
  result.where = path == "cachescape" ? "" : path.substr(std::string("cachescape ").size());
  return result;
}

}  // namespace cachescape::cli
