#!/usr/bin/env python3
"""Checks that includes point along the data flow only: observe → analyze → profile → model → product → cli.

Each component may include its own headers, the public ones (cachescape/…), and those of the components
listed for it here. Everything else is an error. Third-party headers stand in <…> and are not looked at.
"""
import pathlib
import re
import sys

ALLOWED = {
    "session": [],
    "bytes": [],
    "trace": ["bytes"],
    "machine": ["bytes"],
    "observe/imported": ["bytes"],
    "observe/symbols": [],
    "observe/collect": ["session", "observe/symbols"],
    "observe/compiled": ["session", "observe/symbols"],
    "observe/emulated": ["session"],
    "analyze": [],
    "profile": [],
    "api": ["analyze", "profile"],
    "model": ["machine"],
    "simulate": ["machine"],
    "product": ["bytes", "trace", "machine", "analyze", "profile", "model", "simulate"],
    "cli": ["session", "bytes", "trace", "machine", "observe/imported", "observe/symbols", "observe/collect", "analyze", "profile", "model", "simulate", "product"],
}
# What the tests of a component may use besides: the judges of its results.
ALLOWED_IN_TESTS = {"analyze": ["simulate", "machine"], "model": ["simulate"]}
PUBLIC = "cachescape"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def component_of(path):
    """The component that a path relative to the root belongs to, or None."""
    matches = [c for c in ALLOWED if path == c or path.startswith(c + "/")]
    return max(matches, key=len) if matches else None


def check(root):
    problems = []
    checked = 0
    for file in sorted(root.rglob("*")):
        if file.suffix not in {".cpp", ".hpp", ".c", ".h"}:
            continue
        relative = file.relative_to(root).as_posix()
        component = component_of(relative)
        public = relative.startswith("include/")
        if component is None and not public:
            continue
        checked += 1
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match or match.group(1).startswith(PUBLIC + "/"):
                continue
            target = component_of(match.group(1))
            where = f"{relative}:{number}"
            if target is None:
                problems.append(f'{where}: "{match.group(1)}" is in no component: write it from the root of the tree')
            elif public:
                problems.append(f"{where}: a public header must not include {target}/")
            elif relative.endswith("_test.cpp") and target in ALLOWED_IN_TESTS.get(component, []):
                continue
            elif target != component and target not in ALLOWED[component]:
                problems.append(f"{where}: {component} must not include {target}/")
    return checked, problems


def self_test():
    """The check must be able to fail."""
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        (root / "bytes").mkdir()
        (root / "bytes" / "bad.cpp").write_text('#include "cli/main.hpp"\n#include "nowhere.hpp"\n#include "cachescape/line.hpp"\n')
        checked, problems = check(root)
        assert checked == 1 and len(problems) == 2, problems
        assert problems[0] == "bytes/bad.cpp:1: bytes must not include cli/", problems


if __name__ == "__main__":
    self_test()
    checked, problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    print(f"{checked} files checked, {len(problems)} wrong includes")
    sys.exit(1 if problems or checked == 0 else 0)
