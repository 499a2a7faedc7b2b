#!/usr/bin/env python3
"""Fails when the documentation names a flag that no command has, or a command's page leaves one of its flags out.

  tests/docs_flags.py build/release/steelyard .
"""
import pathlib
import re
import subprocess
import sys

STEELYARD, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FLAG = r"--[a-z][a-z0-9-]*"
WITH_A_PAGE = ("bench", "evaluate", "emulate", "inspect")
# Of the scripts beside the program; each must still stand in its script.
ELSEWHERE = {"--deep": "test", "--no-engine": "demo", "--write-docs": "bench/compare.py", "--streams": "bench/compare.py",
             "--full": "bench/compare.py", "--clients": "bench/compare.py", "--no-instant": "bench/compare.py",
             "--limit": "bench/compare.py", "--size": "bench/cases.py", "--repeats": "bench/cases.py"}


def help_of(*command):
    return subprocess.run([STEELYARD, *command, "--help"], text=True, check=True, capture_output=True).stdout


def flags_in(help_text):
    """Those that an option's line begins with; a mention in another's words is none."""
    lines = re.findall(r"^  (-[^ ]*)", help_text, re.MULTILINE)
    return {flag for line in lines for flag in re.findall(FLAG, line)}


def named(text):
    """The flags in a page: a flag after a letter, as in `a--b`, is a dash of the prose."""
    return re.findall(rf"(?<![\w-]){FLAG}", text)


def main():
    subcommands = re.findall(r"^  ([a-z][a-z-]*) {2,}", help_of().split("Subcommands:")[1], re.MULTILINE)
    of = {command: flags_in(help_of(command)) for command in subcommands}
    known = flags_in(help_of()).union(*of.values())
    scripts = {flag for flag, script in ELSEWHERE.items() if flag in (ROOT / script).read_text()}
    faults = []
    if not set(WITH_A_PAGE) <= set(of) or min(len(of[command]) for command in WITH_A_PAGE) < 5:
        faults.append(f"steelyard --help: its form has changed; commands {sorted(of)} were read from it")
    for page in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("README*.md")]):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            faults += [f"{page.relative_to(ROOT)}:{number}: no command has {flag}"
                       for flag in named(line) if flag not in known | scripts]
    for command in WITH_A_PAGE:
        for page in (ROOT / f"docs/{command}.md", ROOT / f"docs/zh/{command}.md"):
            if page.exists() or "zh" not in page.parts:
                left_out = of.get(command, set()) - {"--help"} - set(named(page.read_text()))
                faults += [f"{page.relative_to(ROOT)}: {flag} is not in it" for flag in sorted(left_out)]
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
