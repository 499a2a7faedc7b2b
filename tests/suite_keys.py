#!/usr/bin/env python3
"""Fails when docs/suite.example.yaml leaves out a key that a reader asks for, or explains one that none does.

Each reader is held against the part of the example that it reads, keys behind a # counted.

  tests/suite_keys.py .
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
EXAMPLE = ROOT / "docs/suite.example.yaml"
# Reader -> the part of the example that it reads.
READERS = {
    "src/study/suite.cc": "the rest",
    "src/study/suite_workload.cc": "workload",
    "src/study/suite_platform.cc": "platforms",
    "src/emulate/profile.cc": "emulate",
}
# A key as YamlMap's methods take it, `map.maybe_text("key")`, or a helper beside its map, `count(map, "key", ...`.
ASKED = re.compile(r'(?:(?:\.|->)(?:maybe_)?(?:text|integer|number|bool|map|maps|texts|located)\(|'
                   r'\w+\((?:\*?\w+),)\s*"([a-z][a-z0-9_]*)"')
# `key:` at a line's beginning, behind its "# " or "- " too, or within {...}.
SHOWN = re.compile(r"(?:^\s*(?:# )?(?:- )?|[{,] ?)([a-z][a-z0-9_]*):(?=\s|$)")


def asked_by(reader):
    return set(ASKED.findall((ROOT / reader).read_text()))


def shown_in(lines):
    """Keys of each part; what stands deeper than `emulate:` is the emulator's."""
    parts = {part: set() for part in READERS.values()}
    top, emulate_at = "the rest", None
    for line in lines:
        bare = re.sub(r" # .*", "", line) if not line.lstrip().startswith("#") else line
        keys = SHOWN.findall(bare)
        indent = len(line) - len(line.lstrip())
        if not keys:
            continue
        if indent == 0:
            top = keys[0] if keys[0] in parts else "the rest"
        if emulate_at is not None and indent <= emulate_at:
            emulate_at = None
        parts["the rest" if indent == 0 else "emulate" if emulate_at is not None else top].update(keys[:1])
        if keys[0] == "emulate":
            emulate_at = indent
        inner = "emulate" if emulate_at is not None else top
        parts[inner].update(keys[1:])
    return parts


def unknown_readers():
    files = [path for folder in ("study", "emulate") for path in sorted((ROOT / "src" / folder).glob("*.cc"))]
    readers = {str(path.relative_to(ROOT)) for path in files if "YamlMap" in path.read_text()}
    return [f"{reader} asks for keys: say in tests/suite_keys.py which part of the example they stand in"
            for reader in sorted(readers - set(READERS)) if asked_by(reader)]


def main():
    shown = shown_in(EXAMPLE.read_text().splitlines())
    faults = unknown_readers()
    for reader, part in READERS.items():
        asked = asked_by(reader)
        faults += [f"{EXAMPLE.name}: {part}: {key} is not explained ({reader})" for key in sorted(asked - shown[part])]
        faults += [f"{EXAMPLE.name}: {part}: nothing reads {key} ({reader})" for key in sorted(shown[part] - asked)]
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
