"""A C++ program of templates and exceptions, on Debian's nlohmann-json3-dev."""
from project import CXX, Project, main

PARTS = {
    "read.hpp": """#pragma once
#include <string>
struct Tally { long numbers = 0, texts = 0, broken = 0; double sum = 0; };
void read(const std::string& text, Tally& tally);
""",
    "read.cpp": """#include "read.hpp"
#include <nlohmann/json.hpp>
#include <stdexcept>
using nlohmann::json;
template <class Visit> static void visit(const json& j, Visit&& f) {
  f(j);
  if (j.is_structured()) for (const auto& item : j) visit(item, f);
}
struct Odd : std::runtime_error { using std::runtime_error::runtime_error; };
void read(const std::string& text, Tally& tally) {
  try {
    const json j = json::parse(text);
    visit(j, [&](const json& item) {
      if (item.is_number()) { tally.numbers++; tally.sum += item.get<double>(); }
      if (item.is_string()) tally.texts++;
    });
    if (j.at("id").get<int>() % 2 == 1) throw Odd("odd");
  } catch (const json::exception&) {
    tally.broken++;
  } catch (const Odd&) {
    tally.texts += 1000;
  }
}
""",
    "main.cpp": """#include "read.hpp"
#include <cstdio>
long histogram[8];
int main() {
  Tally tally;
  for (int i = 0; i < 200; i++) {
    std::string text = "{\\"id\\": " + std::to_string(i) + ", \\"list\\": [1, 2.5, \\"three\\", {\\"four\\": [4]}], \\"name\\": \\"n\\"";
    if (i % 10 != 3) text += "}";
    read(text, tally);
    histogram[i % 8] += (long)text.size();
  }
  std::printf("%ld %ld %ld %.1f %ld\\n", tally.numbers, tally.texts, tally.broken, tally.sum, histogram[3]);
}
""",
}


class Json(Project):
    def test_exceptions_and_templates(self):
        self.build_both(PARTS, "clang++-19", CXX, ["-O1", "-g", "-std=c++17"])
        output = self.same_output()
        self.assertEqual(output.split()[2], "20", "every tenth text is broken")
        functions = self.rows("function")
        self.assertTrue(any(name.startswith("nlohmann::") or " nlohmann::" in name for name in functions), sorted(functions)[:20])
        objects = self.rows("object")
        histogram = objects["histogram"]
        # One read and one write, or one that is both, in each of 200 rounds, and the read for printf.
        self.assertEqual(histogram["reads"] + histogram["writes"], 401)
        # What the parser allocates is told apart by the calls that led to it, out of the headers.
        heap = [row for row in self.places("object", "out.cscape", "--top", "0")["places"]["rows"] if row.get("kind") == "heap"]
        self.assertGreater(len(heap), 3)
        self.assertTrue(all(call["function"] for row in heap for call in row["stack"]))
        self.assertTrue(any(call["function"].startswith("read(") for row in heap for call in row["stack"]))


if __name__ == "__main__":
    main()
