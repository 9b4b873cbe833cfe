// `cachescape man`: the manual page, from the same descriptions as the help.
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/description.hpp"
#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"

namespace cachescape::cli {
namespace {

/// Text as roff wants it: no line begins with a control character, backslashes and hyphens are themselves.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string section(const VerbDescription& verb) {
  std::string out;
  if (verb.path != "cachescape") out += fmt::format(".SS {}\n{}\n", roff(verb.path), roff(verb.text));
  for (const OptionDescription& o : verb.options) {
    const std::string flags = o.positional() ? "" : fmt::format("\\fB{}\\fR ", fmt::join(o.flags, "\\fR, \\fB"));
    out += fmt::format(".TP\n{}\\fI{}\\fR\n{}", flags, roff(o.value), roff(o.text));
    if (!o.default_text.empty()) out += fmt::format(" (default: {})", roff(o.default_text));
    out += '\n';
  }
  if (verb.path != "cachescape" && !verb.examples.empty())
    out += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}\n.fi\n", roff(verb.examples));
  for (const VerbDescription& v : verb.verbs) out += section(v);
  return out;
}

std::string manual_page(const VerbDescription& program) {
  std::string out = fmt::format(".TH CACHESCAPE 1 \"\" \"cachescape {}\" \"User Commands\"\n", version);
  out += fmt::format(".SH NAME\ncachescape \\- {}\n", roff(program.text));
  out += ".SH SYNOPSIS\n.B cachescape\n.I verb\n.RI [ options ]\n";
  out += ".SH VERBS AND OPTIONS\n" + section(program);
  out += ".SH EXAMPLES\n.nf\n" + roff(program.examples) + "\n.fi\n";
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, text] : exit_code_texts)
    out += fmt::format(".TP\n{}\n{}\n", static_cast<int>(code), roff(text));
  return out;
}

}  // namespace

void add_man(Program& program) {
  CLI::App& verb = program.add_verb("man", "Print the manual page (roff)");
  set_examples(verb,
               {{"cachescape man | man -l -", "Read it"}, {"cachescape man > cachescape.1", "Keep it as a file"}});
  program.on(verb, [&program]() -> Result<int> {
    std::fputs(manual_page(describe(program.app())).c_str(), stdout);
    return exit_success;
  });
}

}  // namespace cachescape::cli
