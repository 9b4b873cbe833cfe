// Small programs, compiled by the compilers at hand and looked up as if they had run, against binutils and LLVM.
#include "observe/symbols/symbolizer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "observe/symbols/demangled.hpp"
#include "observe/symbols/elf_file.hpp"
#include "observe/symbols/frame_table.hpp"
#include "observe/symbols/symbol_table.hpp"

namespace cachescape::symbols {
namespace {

namespace fs = std::filesystem;

constexpr const char* source = R"(
#include <cstdio>
#include <vector>
namespace shop {
int stock[1000];
static double prices[10];
template <class T> inline __attribute__((always_inline)) T twice(T x) {
  return x * (T)stock[(long)x % 1000];
}
inline __attribute__((always_inline)) int counted(int x) {
  static int calls;
  calls += 1;
  return twice(x) + calls;
}
__attribute__((noinline)) int sell(int x) {
  auto later = [x](int y) __attribute__((noinline)) { prices[y % 10] += x; return y + counted(x); };
  return counted(x) + later(x + 1);
}
}
int main(int argc, char**) {
  std::vector<int> v(100, argc);
  int sum = 0;
  for (int x : v) sum += shop::sell(x);
  std::printf("%d\n", sum);
}
)";

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "symbols-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::ofstream(folder / "x.cpp") << source;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path built(const std::string& compiler, const std::string& options, const std::string& name = "x") const {
    const fs::path program = folder / name;
    (void)output_of(fmt::format("{} {} {}/x.cpp -o {} 2>&1", compiler, options, folder.string(), program.string()));
    return program;
  }

  fs::path folder;
};

constexpr std::uint64_t loaded_at = 0x555500000000;

/// As the program's file would lie in memory.
std::vector<MappedObject> mapped(const fs::path& file, std::uint64_t bias = loaded_at) {
  return {{file.string(), bias, bias + 0x10000000, 0, bias, {}}};
}

/// Every address of the program's own functions, in steps.
std::vector<std::uint64_t> addresses_in(const fs::path& program, const std::string& names) {
  std::vector<std::uint64_t> all;
  std::istringstream lines(output_of("nm -S --defined-only " + program.string()));
  const std::regex wanted("([0-9a-f]+) ([0-9a-f]+) [tTwW] .*(" + names + ").*");
  for (std::string line; std::getline(lines, line);)
    if (std::smatch m; std::regex_match(line, m, wanted))
      for (std::uint64_t i = 0, begin = std::stoull(m[1], nullptr, 16); i < std::stoull(m[2], nullptr, 16); ++i)
        all.push_back(begin + i);
  return all;
}

/// Tools are asked for linkage names, as demanglers differ; gcc's clones are named or not.
std::string plain(const std::string& name) {
  const std::string text = demangled(name);
  return text.substr(0, text.find(" [clone"));
}

/// One line per frame, innermost first, as `function file:line`.
std::string frames(const Symbolizer& symbolizer, const CodePlace& place, bool with_columns) {
  std::string text;
  for (std::uint32_t i = place.location; i != nowhere; i = symbolizer.locations()[i].inlined_at) {
    const Location& l = symbolizer.locations()[i];
    text += fmt::format("{} {}:{}", l.function, fs::path(l.file).filename().string(), l.line);
    text += with_columns ? fmt::format(":{}\n", l.column) : "\n";
  }
  return text;
}

std::string joined(const std::vector<std::uint64_t>& addresses) {
  std::string text;
  for (const std::uint64_t a : addresses) text += fmt::format(" {:#x}", a);
  return text;
}

/// What llvm-symbolizer says of each address, in the form of frames().
std::vector<std::string> frames_of_llvm(const fs::path& program, const std::vector<std::uint64_t>& addresses) {
  std::istringstream lines(output_of("llvm-symbolizer-19 --output-style=LLVM --inlines --no-demangle -e " +
                                     program.string() + joined(addresses)));
  std::vector<std::string> all(1);
  for (std::string function, place; std::getline(lines, function);) {
    if (function.empty()) {
      all.emplace_back();
      continue;
    }
    std::getline(lines, place);
    all.back() += plain(function) + " " + place.substr(place.rfind('/') + 1) + "\n";
  }
  all.pop_back();
  return all;
}

/// The same from addr2line.
std::vector<std::string> frames_of_addr2line(const fs::path& program, const std::vector<std::uint64_t>& addresses) {
  std::istringstream lines(output_of("addr2line -a -f -i -e " + program.string() + joined(addresses)));
  std::vector<std::string> all;
  for (std::string function, place; std::getline(lines, function);) {
    if (function.starts_with("0x")) {
      all.emplace_back();
      continue;
    }
    std::getline(lines, place);
    place = place.substr(place.rfind('/') + 1);
    all.back() += plain(function) + " " + place.substr(0, place.find(' ')) + "\n";
  }
  return all;
}

struct Build {
  const char* compiler;
  const char* options;
  bool against_llvm;  ///< which tool is the judge

  friend void PrintTo(const Build& b, std::ostream* out) { *out << b.compiler << ' ' << b.options; }
};

class Builds : public Scratch, public testing::WithParamInterface<Build> {};

TEST_P(Builds, AgreeWithOtherSymbolizersAtEveryByteOfFunctions) {
  const Build& build = GetParam();
  const fs::path program = built(build.compiler, build.options);
  const std::vector<std::uint64_t> addresses = addresses_in(program, "sell|main$|stock");
  ASSERT_GT(addresses.size(), 50u);
  const auto expected =
      build.against_llvm ? frames_of_llvm(program, addresses) : frames_of_addr2line(program, addresses);
  ASSERT_EQ(expected.size(), addresses.size());

  Symbolizer symbolizer(mapped(program));
  std::vector<std::uint64_t> in_program = addresses;
  for (std::uint64_t& a : in_program) a += loaded_at;
  const auto places = symbolizer.locate(in_program);
  std::size_t inlined = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    ASSERT_EQ(frames(symbolizer, places[i], build.against_llvm), expected[i]) << fmt::format("{:#x}", addresses[i]);
    EXPECT_EQ(places[i].known, Known::source);
    inlined += symbolizer.locations()[places[i].location].inlined_at != nowhere;
  }
  EXPECT_GT(inlined, 10u);
  EXPECT_TRUE(symbolizer.problems().empty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, Builds,
                         testing::Values(Build{"g++", "-g -O1", false}, Build{"g++", "-g -O2 -gdwarf-4 -no-pie", false},
                                         Build{"g++", "-g -O2", true}, Build{"clang++-19", "-g -O2", true},
                                         Build{"clang++-19", "-gdwarf-4 -O1", true},
                                         Build{"clang++-19", "-gsplit-dwarf -g -O1", true},
                                         Build{"clang++-19", "-gline-tables-only -O1", true}));

TEST_F(Scratch, FallsBackToSymbolsThenToTheModule) {
  const fs::path program = built("g++", "-O1");
  const std::uint64_t sell = addresses_in(program, "sell").front();
  const std::vector<std::uint64_t> asked{loaded_at + sell + 1, loaded_at + 0x20, 0x1000};
  Symbolizer symbolizer(mapped(program));
  const auto places = symbolizer.locate(asked);
  EXPECT_EQ(places[0].known, Known::symbol);
  EXPECT_EQ(symbolizer.locations()[places[0].location], (Location{"shop::sell(int)", "", 0, 0, nowhere}));
  EXPECT_EQ(symbolizer.text(places[0]), "shop::sell(int)+0x1");
  EXPECT_EQ(places[1].known, Known::module);
  EXPECT_EQ(symbolizer.text(places[1]), "x+0x20");
  EXPECT_EQ(places[2].known, Known::nothing);
  EXPECT_EQ(symbolizer.text(places[2]), "");

  (void)output_of("strip " + program.string());
  Symbolizer stripped(mapped(program));
  EXPECT_EQ(stripped.locate(asked)[0].known, Known::function);
  EXPECT_EQ(stripped.text(stripped.locate(asked)[0]), fmt::format("x+{:#x}", sell + 1));
}

TEST_F(Scratch, FunctionsOfStrippedProgramsAreNamedByTheirBeginnings) {
  for (const char* build :
       {"g++ -O1", "g++ -O2 -no-pie", "g++ -O1 -static", "clang++-19 -O2", "clang++-19 -O1 -fuse-ld=lld"}) {
    const std::string compiler = std::string(build).substr(0, std::string(build).find(' '));
    const fs::path program = built(compiler, std::string(build).substr(compiler.size()));
    const std::vector<std::uint64_t> addresses = addresses_in(program, "4sell");
    ASSERT_GT(addresses.size(), 20u) << build;
    const ElfFile file = *ElfFile::open(program);
    const SymbolTable symbols = SymbolTable::of(file);
    const FrameTable frames = FrameTable::of(file);
    for (const std::uint64_t address : addresses)
      ASSERT_EQ(frames.begin_of_function(address), symbols.function_at(address)->address) << build << ' ' << address;
    EXPECT_EQ(frames.begin_of_function(0), std::nullopt);

    (void)output_of("strip " + program.string());
    Symbolizer stripped(mapped(program));
    const auto place = stripped.locate(std::vector{loaded_at + addresses[5]})[0];
    EXPECT_EQ(place.known, Known::function);
    EXPECT_EQ(stripped.locations()[place.location],
              (Location{fmt::format("x+{:#x}", *frames.begin_of_function(addresses[5])), "", 0, 0, nowhere}));
  }
}

TEST_F(Scratch, NamesExportedFunctionsOfAStrippedLibrary) {
  const fs::path library = built("g++", "-O1 -shared -fPIC");
  const std::uint64_t sell = addresses_in(library, "sell").front();
  (void)output_of("strip " + library.string());
  Symbolizer symbolizer(mapped(library));
  const auto place = symbolizer.locate(std::vector{loaded_at + sell + 2})[0];
  EXPECT_EQ(symbolizer.text(place), "shop::sell(int)+0x2");
}

TEST_F(Scratch, FindsSeparateDebugFilesByBuildIdAndByLink) {
  const fs::path program = built("g++", "-g -O1");
  const auto addresses = addresses_in(program, "sell");
  const std::string id = ElfFile::open(program)->build_id();
  ASSERT_EQ(id.size(), 40u);
  const fs::path by_id = folder / "debug/.build-id" / id.substr(0, 2);
  fs::create_directories(by_id);
  const fs::path debug = by_id / (id.substr(2) + ".debug");
  (void)output_of(
      fmt::format("objcopy --only-keep-debug {} {} && strip {}", program.string(), debug.string(), program.string()));
  const auto known = [&] {
    Symbolizer symbolizer(mapped(program), folder / "debug");
    return symbolizer.locate(std::vector{loaded_at + addresses.front()})[0].known;
  };
  EXPECT_EQ(known(), Known::source);

  fs::rename(debug, folder / "x.debug");
  EXPECT_EQ(known(), Known::function);
  (void)output_of(fmt::format("cd {} && objcopy --add-gnu-debuglink=x.debug x", folder.string()));
  EXPECT_EQ(known(), Known::source);
  fs::create_directory(folder / ".debug");
  fs::rename(folder / "x.debug", folder / ".debug/x.debug");
  EXPECT_EQ(known(), Known::source);

  // The debug file of another build says nothing.
  (void)built("g++", "-g -O2", ".debug/x.debug");
  EXPECT_EQ(known(), Known::function);
}

TEST_F(Scratch, SaysThatAFileIsGoneOrOfAnotherBuild) {
  const fs::path program = built("g++", "-g -O1");
  const std::uint64_t sell = loaded_at + addresses_in(program, "sell").front();
  auto objects = mapped(program);
  objects[0].build_id = "0123456789abcdef";
  Symbolizer other(objects);
  EXPECT_EQ(other.locate(std::vector{sell, sell + 1})[0].known, Known::module);
  ASSERT_EQ(other.problems().size(), 1u);
  EXPECT_NE(other.problems()[0].what.find("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(other.problems()[0].where, program);

  objects[0].build_id = ElfFile::open(program)->build_id();
  Symbolizer same(objects);
  EXPECT_EQ(same.locate(std::vector{sell})[0].known, Known::source);

  fs::remove(program);
  Symbolizer gone(mapped(program));
  EXPECT_EQ(gone.locate(std::vector{sell})[0].known, Known::module);
  ASSERT_EQ(gone.problems().size(), 1u);
  EXPECT_EQ(gone.problems()[0].what, "cannot be read: No such file or directory");
}

TEST_F(Scratch, FindsTheBiasFromSegments) {
  const fs::path program = built("clang++-19", "-g -O1 -fuse-ld=lld");
  const std::uint64_t sell = addresses_in(program, "sell").front();
  std::istringstream lines(output_of("readelf -lW " + program.string()));
  std::vector<MappedObject> objects;
  for (std::string line; std::getline(lines, line);) {
    std::string type, offset, address, physical, size;
    std::istringstream(line) >> type >> offset >> address >> physical >> size;
    if (type != "LOAD") continue;
    const std::uint64_t page = ~std::uint64_t{4095};
    const std::uint64_t begin = std::stoull(address, nullptr, 16);
    objects.push_back({program.string(),
                       loaded_at + (begin & page),
                       loaded_at + begin + std::stoull(size, nullptr, 16),
                       std::stoull(offset, nullptr, 16) & page,
                       std::nullopt,
                       {}});
  }
  ASSERT_GE(objects.size(), 3u);
  Symbolizer symbolizer(objects);
  EXPECT_EQ(symbolizer.text(symbolizer.locate(std::vector{loaded_at + sell + 3})[0]), "shop::sell(int)+0x3");
  const auto variables = symbolizer.variables();
  EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [&](const Variable& v) {
    return v.name == "shop::stock" && v.bytes == 4000 && v.address > loaded_at;
  }));
}

TEST_F(Scratch, ListsVariablesWithTheirDeclarations) {
  for (const char* compiler : {"g++", "clang++-19"}) {
    const fs::path program = built(compiler, "-g -O1");
    Symbolizer symbolizer(mapped(program));
    std::map<std::string, std::pair<std::uint64_t, std::uint32_t>> found;
    for (const Variable& v : symbolizer.variables())
      found[v.name] = {v.bytes, v.location == nowhere ? 0 : symbolizer.locations()[v.location].line};
    const auto named = [](std::uint64_t bytes, std::uint32_t line) { return std::pair{bytes, line}; };
    EXPECT_EQ(found["shop::stock"], named(4000, 5)) << compiler;
    EXPECT_EQ(found["shop::prices"], named(80, 6)) << compiler;
    EXPECT_EQ(found["shop::counted(int)::calls"], named(4, 11)) << compiler;
  }
}

TEST_F(Scratch, DataWithoutVariablesBelongsToSections) {
  const fs::path program = built("g++", "-g -O1");
  const auto sizes = [&] {
    Symbolizer symbolizer(mapped(program));
    const auto variables = symbolizer.variables();
    std::map<std::string, std::uint64_t> bytes;
    for (const Variable& part : symbolizer.rest_of_data(variables)) {
      bytes[part.name] += part.bytes;
      for (const Variable& v : variables)
        EXPECT_TRUE(v.address + v.bytes <= part.address || part.address + part.bytes <= v.address) << v.name;
    }
    return bytes;
  };
  const auto with_symbols = sizes();
  EXPECT_LT(with_symbols.at(".bss of x"), 500u);
  EXPECT_GT(with_symbols.at(".rodata of x"), 0u);
  EXPECT_FALSE(with_symbols.contains(".text of x"));
  (void)output_of("strip " + program.string());
  EXPECT_GT(sizes().at(".bss of x"), 4000u);
}

TEST_F(Scratch, LaterObjectsTakeThePlaceOfEarlierOnes) {
  const fs::path first = built("g++", "-O1", "first"), second = built("g++", "-O1", "second");
  auto objects = mapped(first);
  objects.push_back({second.string(), loaded_at + 0x1000, loaded_at + 0x2000, 0x1000, loaded_at, {}});
  Symbolizer symbolizer(objects);
  const auto places =
      symbolizer.locate(std::vector{loaded_at + 0x10, loaded_at + 0x1000, loaded_at + 0x1fff, loaded_at + 0x2000});
  EXPECT_EQ(symbolizer.modules()[places[0].module], first);
  EXPECT_EQ(symbolizer.modules()[places[1].module], second);
  EXPECT_EQ(symbolizer.modules()[places[2].module], second);
  EXPECT_EQ(symbolizer.modules()[places[3].module], first);
}

TEST_F(Scratch, SurvivesDamagedFiles) {
  const fs::path program = built("clang++-19", "-g -O1");
  std::string bytes;
  {
    std::ifstream file(program, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto addresses = addresses_in(program, "sell|main$");
  unsigned random = 1;
  for (int round = 0; round < 200; ++round) {
    std::string damaged = bytes;
    if (round % 4 == 0) damaged.resize(bytes.size() * static_cast<std::size_t>(round) / 200);
    for (int i = 0; i < 20 && !damaged.empty(); ++i) {
      random = random * 1103515245 + 12345;
      damaged[random % damaged.size()] = static_cast<char>(random >> 16);
    }
    std::ofstream(program, std::ios::binary) << damaged;
    Symbolizer symbolizer(mapped(program));
    std::vector<std::uint64_t> asked = addresses;
    for (std::uint64_t& a : asked) a += loaded_at;
    for (const CodePlace& place : symbolizer.locate(asked)) (void)symbolizer.text(place);
    (void)symbolizer.rest_of_data(symbolizer.variables());
  }
}

}  // namespace
}  // namespace cachescape::symbols
