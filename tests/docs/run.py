#!/usr/bin/env python3
"""Runs the examples in the documentation: run.py PROGRAM ROOT PAGE

In a page, every ```console block is a transcript: lines that begin with "$ " are commands, what follows is their output
(standard output and error). A line "…" stands for any number of lines. <!-- run: COMMAND --> prepares
without being shown. All blocks of a page run in order in one scratch folder that has a copy of the tree's examples/.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STEP = re.compile(r"<!-- run: (.*?) -->|```console\n(.*?)```", re.S)


def steps_of(text):
    """(command, expected lines or None) in order."""
    for match in STEP.finditer(text):
        if match.group(1):
            yield match.group(1), None
            continue
        command, output = None, []
        for line in match.group(2).splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, output
                command, output = line[2:], []
            elif command is not None and command.endswith("\\"):
                command = command[:-1] + line.strip()
            else:
                output.append(line)
        if command is not None:
            yield command, output


def matches(expected, actual):
    """Whether the lines agree, with … for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and actual[0].rstrip() == expected[0].rstrip() and matches(expected[1:], actual[1:])


def main():
    sys.setrecursionlimit(100_000)
    program, root, page = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100")
    count = 0
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(root / "examples", pathlib.Path(scratch) / "examples")
        for command, expected in steps_of(page.read_text()):
            done = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=300)
            if expected is None:
                if done.returncode != 0:
                    sys.exit(f"{page}: preparation failed: {command}\n{done.stdout}")
                continue
            count += 1
            if not matches(expected, done.stdout.splitlines()):
                sys.exit(f"{page}: output differs\n$ {command}\n--- expected\n" + "\n".join(expected) + f"\n--- actual\n{done.stdout}")
    print(f"{count} examples ran as documented")
    if count == 0:
        sys.exit(f"{page}: has no example")


if __name__ == "__main__":
    main()
