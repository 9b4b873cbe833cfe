#include "cli/compiler_call.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <span>
#include <string_view>

namespace cachescape::cli {
namespace {

/// Of sources, those that a preprocessor has read already search no folders for headers.
enum class Input { object, preprocessed, source, header };

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// What a file is by the end of its name.
Input input_of(std::string_view name) {
  static constexpr std::string_view sources[] = {
      ".c",   ".cc",  ".cp",  ".cxx", ".cpp", ".CPP", ".c++", ".C",   ".f",   ".F",    ".for", ".FOR", ".f90",
      ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f18", ".F18", ".cppm", ".ccm", ".m",   ".mm"};
  static constexpr std::string_view preprocessed[] = {".i", ".ii", ".mi", ".mii", ".bc", ".ll"};
  static constexpr std::string_view headers[] = {".h", ".hh", ".hp", ".hxx", ".hpp", ".HPP", ".h++", ".H"};
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::any_of(sources, ends)) return Input::source;
  if (std::ranges::any_of(preprocessed, ends)) return Input::preprocessed;
  return std::ranges::any_of(headers, ends) ? Input::header : Input::object;
}

/// What a file is when -x says its language.
Input input_in(std::string_view language) {
  if (language.ends_with("-header")) return Input::header;
  if (language.ends_with("cpp-output") || language == "ir") return Input::preprocessed;
  return language.starts_with("assembler") ? Input::object : Input::source;
}

/// Options whose value is the next word.
bool takes_value(std::string_view option) {
  static constexpr std::string_view options[] = {"-o",
                                                 "-x",
                                                 "-target",
                                                 "-I",
                                                 "-L",
                                                 "-D",
                                                 "-U",
                                                 "-include",
                                                 "-imacros",
                                                 "-isystem",
                                                 "-iquote",
                                                 "-idirafter",
                                                 "-MF",
                                                 "-MT",
                                                 "-MQ",
                                                 "-Xclang",
                                                 "-Xlinker",
                                                 "-Xassembler",
                                                 "-mllvm",
                                                 "-arch",
                                                 "-T",
                                                 "-u",
                                                 "-z",
                                                 "-framework",
                                                 "-isysroot",
                                                 "--sysroot",
                                                 "-l",
                                                 "-e",
                                                 "-A",
                                                 "-J",
                                                 "-module-dir",
                                                 "--param",
                                                 "-iprefix",
                                                 "-iwithprefix",
                                                 "-MJ",
                                                 "-include-pch",
                                                 "-cxx-isystem",
                                                 "-rpath",
                                                 "-resource-dir",
                                                 "-Xanalyzer",
                                                 "-Xpreprocessor",
                                                 "-serialize-diagnostics",
                                                 "--serialize-diagnostics"};
  return is_one_of(option, options);
}

/// Options with which no code is made, and nothing linked.
bool makes_no_code(std::string_view option) {
  static constexpr std::string_view options[] = {
      "-E",           "-M",           "-MM",         "-fsyntax-only", "--analyze", "-emit-ast", "--version",
      "-dumpversion", "-dumpmachine", "-verify-pch", "--help",        "-###",      "-cc1",      "-cc1as"};
  return is_one_of(option, options) || option.starts_with("-print-") || option.starts_with("--print-");
}

/// Options with which what is compiled is not linked, not yet or into no program.
bool stops_before_linking(std::string_view option) {
  return option == "-c" || option == "-S" || option == "-r" || option == "--precompile";
}

/// The runtime is for Linux on x86-64, with pointers of 64 bits.
bool is_foreign(std::string_view target) {
  const bool ours = target.starts_with("x86_64") || target.starts_with("amd64");
  return !ours || target.find("linux") == target.npos || target.ends_with("x32");
}

/// The arguments with those of @files, as far as the work depends on them: quoted blanks are no such thing.
std::vector<std::string> with_files_read(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  for (const std::string& a : arguments) {
    std::ifstream file(a.starts_with("@") ? a.substr(1) : std::string());
    if (!file) {
      all.push_back(a);
      continue;
    }
    for (std::string word; file >> word;) {
      std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
      all.push_back(word);
    }
  }
  return all;
}

}  // namespace

CompilerCall compiler_call(const std::vector<std::string>& given) {
  constexpr std::string_view target_option = "--target=";
  const std::vector<std::string> arguments = with_files_read(given);
  CompilerCall call;
  bool sources = false, preprocessed = false, headers = false, linked = false, stops_early = false, no_code = false;
  std::string language = "none";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : std::string();
    if (a.empty()) continue;
    if (a[0] != '-' || a == "-") {
      const Input input = language != "none" ? input_in(language) : a == "-" ? Input::source : input_of(a);
      sources |= input == Input::source;
      preprocessed |= input == Input::preprocessed;
      headers |= input == Input::header;
      linked |= input != Input::header;
      continue;
    }
    if (a.starts_with("-x")) language = a == "-x" ? next : a.substr(2);
    if (a.starts_with(target_option)) call.foreign = is_foreign(a.substr(target_option.size()));
    if (a == "-target") call.foreign = is_foreign(next);
    if (a == "-m32" || a == "-mx32" || a == "-m16") call.foreign = true;
    if (a == "-m64") call.foreign = false;
    no_code |= makes_no_code(a);
    stops_early |= stops_before_linking(a);
    if (a == "-shared") call.shared = true;
    if (a == "-static" || a == "-static-pie") call.fully_static = true;
    if (a.starts_with("-flto")) call.link_time = true;
    if (a == "-fno-lto") call.link_time = false;
    if (takes_value(a)) ++i;
  }
  call.reads = sources || headers;
  call.compiles = (sources || preprocessed) && !no_code;
  call.links = linked && !stops_early && !no_code;
  return call;
}

}  // namespace cachescape::cli
