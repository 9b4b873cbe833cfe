#include "cli/description.hpp"

#include <algorithm>

namespace cachescape::cli {
namespace {

OptionDescription describe(const CLI::Option& option) {
  OptionDescription d;
  if (!option.get_positional()) {
    for (const std::string& s : option.get_snames()) d.flags.push_back("-" + s);
    for (const std::string& l : option.get_lnames()) d.flags.push_back("--" + l);
  }
  if (option.get_type_size_max() > 0)
    d.value = option.get_positional() ? option.get_name(true, false) : option.get_type_name();
  // The parser tells of checks after the placeholder, in words of its own.
  d.value = d.value.substr(0, d.value.find(':'));
  d.text = option.get_description();
  d.default_text = option.get_default_str();
  d.required = option.get_required();
  d.repeated = option.get_items_expected_max() > 1;
  return d;
}

VerbDescription describe(const CLI::App& app, const std::string& prefix) {
  VerbDescription d;
  d.name = app.get_name();
  d.path = prefix.empty() ? d.name : prefix + ' ' + d.name;
  d.text = app.get_description();
  for (const CLI::Option* option : app.get_options()) d.options.push_back(describe(*option));
  for (const CLI::App* below : app.get_subcommands({})) {
    if (!below->get_name().empty()) {
      // Verbs without a group are for programs, not for people.
      if (!below->get_group().empty()) d.verbs.push_back(describe(*below, d.path));
      continue;
    }
    // The parser keeps a group of options that exclude each other as a verb without a name, with a --help of its own.
    for (const CLI::Option* option : below->get_options()) {
      if (option != below->get_help_ptr()) d.options.push_back(describe(*option));
    }
  }
  std::ranges::stable_partition(d.options, &OptionDescription::positional);
  d.examples = app.get_footer();
  if (const auto title = d.examples.find('\n'); title != std::string::npos) d.examples.erase(0, title + 1);
  return d;
}

}  // namespace

std::vector<std::string> OptionDescription::choices() const {
  if (value.find('|') == std::string::npos) return {};
  return CLI::detail::split(value, '|');
}

VerbDescription describe(const CLI::App& app) { return describe(app, ""); }

std::string synopsis(const VerbDescription& verb) {
  std::string text = verb.path;
  const bool has_options = std::ranges::any_of(verb.options, [](const auto& o) { return !o.positional(); });
  if (has_options) text += " [options]";
  for (const OptionDescription& o : verb.options) {
    if (!o.positional()) continue;
    const std::string name = o.value + (o.repeated ? "…" : "");
    text += o.required ? ' ' + name : " [" + name + ']';
  }
  if (!verb.verbs.empty()) text += " <verb> …";
  return text;
}

}  // namespace cachescape::cli
