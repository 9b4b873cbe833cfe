#!/usr/bin/env python3
"""Runs command-line tests: run.py PROGRAM FILE…

A test file holds tests separated by blank lines. Lines that begin with # are comments. Each test:

  NAME   what is being tested
  DO     a shell command that prepares (any number; must succeed)
  RUN    the shell command under test
  EXIT   its exit code (default 0)
  OUT    a line of standard output; all OUT lines together are all of it
  SOME   a line that standard output has somewhere
  ERR    a line of standard error; all ERR lines together are all of it
  ESOME  a line that standard error has somewhere

Each test runs in an empty scratch folder, with `cachescape` on the path and $TESTS naming this folder. NONE after OUT or ERR says
that there must be nothing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

KEYS = {"NAME", "DO", "RUN", "EXIT", "OUT", "SOME", "ERR", "ESOME"}


def parse(path):
    tests, current = [], {}
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if current:
                if "NAME" not in current or "RUN" not in current:
                    sys.exit(f"{path}:{number}: a test needs NAME and RUN")
                tests.append(current)
            current = {}
            continue
        key, _, value = line.partition(" ")
        if key not in KEYS:
            sys.exit(f"{path}:{number}: unknown key {key}")
        # Keys are padded to a column of seven so that expected lines keep their own leading blanks.
        current.setdefault(key, []).append(line[7:] if len(key) < 7 else value)
    return tests


def expect_all(problems, what, expected, actual):
    if expected is None:
        return
    expected = [] if expected == ["NONE"] else expected
    if actual.splitlines() != expected:
        problems.append(f"{what} is not as expected\n--- expected\n" + "\n".join(expected) + f"\n--- {what}\n{actual}")


def expect_some(problems, what, expected, actual):
    for line in expected or []:
        if line not in actual.splitlines():
            problems.append(f"{what} lacks the line\n{line}\n--- {what}\n{actual}")


def run(test, environment):
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        def shell(command):
            return subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=scratch, env=environment, capture_output=True,
                                  text=True, errors="replace", timeout=300)

        for command in test.get("DO", []):
            done = shell(command)
            if done.returncode != 0:
                return [f"preparation failed: {command}\n{done.stderr}"]
        done = shell(test["RUN"][0])
        wanted = int(test.get("EXIT", ["0"])[0])
        if done.returncode != wanted:
            problems.append(f"exit code {done.returncode} instead of {wanted}\n{done.stdout}{done.stderr}")
        expect_all(problems, "standard output", test.get("OUT"), done.stdout)
        expect_some(problems, "standard output", test.get("SOME"), done.stdout)
        expect_all(problems, "standard error", test.get("ERR"), done.stderr)
        expect_some(problems, "standard error", test.get("ESOME"), done.stderr)
    return problems


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    here = pathlib.Path(__file__).resolve().parent
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", TESTS=str(here), LC_ALL="C.UTF-8")
    failed = passed = 0
    for name in sys.argv[2:]:
        for test in parse(pathlib.Path(name)):
            problems = run(test, environment)
            if problems:
                failed += 1
                print(f"FAILED {test['NAME'][0]}\n$ {test['RUN'][0]}\n" + "\n".join(problems))
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
