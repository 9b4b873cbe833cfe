// The examples of docs/formats/machine.md are machines.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "machine/inline_text.hpp"
#include "machine/presets.hpp"
#include "machine/toml_file.hpp"

namespace cachescape::machine {
namespace {

std::vector<std::string> toml_examples() {
  std::ifstream in(std::string{CACHESCAPE_SOURCE_DIR} + "/docs/formats/machine.md");
  std::ostringstream page;
  page << in.rdbuf();
  const std::string text = page.str();
  const std::string begin = "```toml\n";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    examples.push_back(text.substr(first, text.find("```", first) - first));
  }
  return examples;
}

TEST(DocumentedExample, IsAMachine) {
  const auto examples = toml_examples();
  ASSERT_EQ(examples.size(), 2);
  const auto complete = read_machine(examples[0], "complete.toml");
  ASSERT_TRUE(complete) << complete.error().where << ": " << complete.error().what;
  EXPECT_EQ(to_inline(*complete), "L1:48K,12,64 L2:768K,8,64,shared=2,plru L3:16M,16,64,shared=all,inclusive");
  EXPECT_EQ(complete->name, "example");
  EXPECT_EQ(complete->sources.size(), 5);

  const auto child = read_machine(examples[1], "child.toml", load_preset);
  ASSERT_TRUE(child) << child.error().where << ": " << child.error().what;
  EXPECT_EQ(to_inline(*child), "L1:32K,8,64 L2:1M,8,64 L3:96M,16,64,shared=8,exclusive");
  EXPECT_EQ(child->sources.back().second, "what if");
}

}  // namespace
}  // namespace cachescape::machine
