// `cachescape signature`: a workload in a few hundred numbers.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/percentage.hpp"
#include "cli/progress.hpp"
#include "cli/signature_input.hpp"
#include "cli/verb.hpp"
#include "product/signature/concise.hpp"
#include "product/signature/json.hpp"
#include "product/signature/text.hpp"

namespace cachescape::cli {
namespace {

using signature::By;

struct SignatureOptions {
  std::string input;
  std::string output = "-";
  std::string by = "program";
  std::uint32_t word = 0;
  bool every_word = false;
  std::size_t top = 0;
  double max_error = -1;
  bool plain = false;
  bool json = false;
};

By by_named(const std::string& name) {
  if (name == "thread") return By::thread;
  if (name == "function") return By::function;
  return name == "block" ? By::block : By::program;
}

Result<int> run(const SignatureOptions& options) {
  CACHESCAPE_CHECK(check_output(options.output, options.input));
  SignatureChoice choice;
  choice.by = by_named(options.by);
  if (options.word > 0 || options.every_word) {
    choice.rule = SignatureRule{options.word > 0 ? options.word : 4, options.every_word};
  }
  CACHESCAPE_TRY(std::vector<signature::Signature> signatures, read_signatures(options.input, choice));
  if (options.top > 0 && signatures.size() > options.top) {
    std::ranges::stable_sort(signatures, std::greater{}, &signature::Signature::references);
    signatures.resize(options.top);
  }
  if (options.plain) {
    for (signature::Signature& s : signatures) s.detail.reset();
  }
  std::vector<signature::Points> points;
  if (options.max_error >= 0) {
    std::size_t before = 0;
    std::size_t after = 0;
    for (const signature::Signature& s : signatures) {
      points.push_back(signature::concise(s, options.max_error / 100));
      before += signature::Points::all().count(s);
      after += points.back().count(s);
    }
    note(fmt::format("{} of {} numbers stay for errors of up to {:g} %", after, before, options.max_error));
  }
  CACHESCAPE_CHECK(write_file(options.output, options.json ? json_text(signature::to_json(signatures, points))
                                                           : signature::to_text(signatures, points)));
  return exit_success;
}

}  // namespace

void add_signature(Program& program) {
  CLI::App& verb = program.add_verb("signature", "Tell a workload's locality in a few hundred numbers");
  auto options = std::make_shared<SignatureOptions>();
  verb.add_option("PROFILE", options->input, "A .cscape recorded with --signature, or a file of signatures")
      ->required();
  verb.add_option("-o,--output", options->output, "The file to write")->type_name("FILE")->capture_default_str();
  verb.add_option("--by", options->by, "One signature for the program, or for each thread, function or block")
      ->type_name("program|thread|function|block")
      ->check(CLI::IsMember({"program", "thread", "function", "block"}))
      ->capture_default_str();
  verb.add_option("--top", options->top, "Only so many: those with the most references")->type_name("N");
  verb.add_option("--word", options->word, "Which signature of a profile that has several: with words of so many bytes")
      ->type_name("4|8")
      ->check(CLI::IsMember({4, 8}));
  verb.add_flag("--every-word", options->every_word, "The one in which an access refers to every word that it covers");
  percentage(verb.add_option("--max-error", options->max_error,
                             "Leave out numbers that can be told from others with errors of up to so many per cent"));
  verb.add_flag("--plain", options->plain,
                "Only what the dissertation's signatures have: no widths, kinds and threads");
  verb.add_flag("--json", options->json, "Write JSON");
  set_examples(verb, {{"cachescape record --signature -- ./app && cachescape signature app.cscape -o app.sig",
                       "A workload to hand on without the program"},
                      {"cachescape signature app.cscape --by function --top 5", "What each of five functions does"},
                      {"cachescape signature app.cscape --max-error 1%", "In fewer numbers"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
