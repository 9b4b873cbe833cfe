// `cachescape completion`: completions for bash and zsh, from the same descriptions as the help.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/description.hpp"
#include "cli/exit_code.hpp"
#include "cli/verb.hpp"

namespace cachescape::cli {
namespace {

/// The words that may follow a verb: its own verbs and flags.
std::vector<std::string> words_after(const VerbDescription& verb) {
  std::vector<std::string> words;
  for (const VerbDescription& v : verb.verbs) words.push_back(v.name);
  for (const OptionDescription& o : verb.options) words.insert(words.end(), o.flags.begin(), o.flags.end());
  return words;
}

void add_bash_cases(const VerbDescription& verb, std::string& verbs, std::string& values) {
  verbs += fmt::format("    '{}') words='{}' ;;\n", verb.path, fmt::join(words_after(verb), " "));
  for (const OptionDescription& o : verb.options) {
    const auto choices = o.choices();
    if (o.flags.empty()) continue;
    const std::string pattern = fmt::format("'{} {}'", verb.path, fmt::join(o.flags, fmt::format("'|'{} ", verb.path)));
    if (!choices.empty()) {
      values += fmt::format("    {}) words='{}'; only=1 ;;\n", pattern, fmt::join(choices, " "));
    } else if (o.value == "MACHINE") {
      values += fmt::format("    {}) words=\"host $(cachescape machine list --names 2>/dev/null)\" ;;\n", pattern);
    } else if (!o.value.empty()) {
      values += fmt::format("    {}) words='' ;;\n", pattern);
    }
  }
  for (const VerbDescription& v : verb.verbs) add_bash_cases(v, verbs, values);
}

std::string bash(const VerbDescription& program) {
  std::string verbs;
  std::string values;
  add_bash_cases(program, verbs, values);
  std::string paths;
  const auto collect = [&](auto&& self, const VerbDescription& v) -> void {
    paths += (paths.empty() ? "'" : "|'") + v.path + '\'';
    for (const VerbDescription& below : v.verbs) self(self, below);
  };
  collect(collect, program);
  return fmt::format(R"(# bash completion for cachescape: source <(cachescape completion bash)
_cachescape() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path=cachescape words='' only='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {paths}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{verbs}  esac
  case "$path $previous" in
{values}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ -z $only && $word != -* ]]; then
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _cachescape cachescape
)",
                     fmt::arg("paths", paths), fmt::arg("verbs", verbs), fmt::arg("values", values));
}

// Zsh reads the bash function through its own compatibility layer, so that there is one set of rules.
std::string zsh(const VerbDescription& program) {
  return "#compdef cachescape\n# zsh completion for cachescape: source <(cachescape completion zsh)\n"
         "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash(program);
}

}  // namespace

void add_completion(Program& program) {
  CLI::App& verb = program.add_verb("completion", "Print a script that completes command lines in your shell");
  auto shell = std::make_shared<std::string>();
  verb.add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  set_examples(verb,
               {{"source <(cachescape completion bash)", "Complete in this shell; put it in ~/.bashrc to keep it"}});
  program.on(verb, [&program, shell]() -> Result<int> {
    const VerbDescription description = describe(program.app());
    std::fputs((*shell == "zsh" ? zsh(description) : bash(description)).c_str(), stdout);
    return exit_success;
  });
}

}  // namespace cachescape::cli
