#!/usr/bin/env python3
"""Fails when a folder of src/ includes one that does not come earlier in the flow.

The order is the list STEELYARD_FLOW in src/CMakeLists.txt; docs/architecture.md must draw the same.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
flow = re.search(r"set\(STEELYARD_FLOW ([^)]*)\)", (root / "src/CMakeLists.txt").read_text()).group(1).split()
faults = []

for folder in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
    if folder not in flow:
        faults.append(f"src/{folder}: not in the flow (src/CMakeLists.txt)")
        continue
    files = [f for f in (root / "src" / folder).rglob("*") if f.suffix in (".h", ".cc")]
    if files and not (root / "src" / folder / "README.md").exists():
        faults.append(f"src/{folder}: no README.md")
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+"([^"/]+)/', line)
            if not include:
                continue
            used = include.group(1)
            place = f"{file.relative_to(root)}:{number}"
            if used not in flow:
                faults.append(f"{place}: \"{used}/\" is not a folder of the flow")
            elif flow.index(used) > flow.index(folder):
                faults.append(f"{place}: {folder} may not use {used}, which comes later in the flow")

picture = root / "docs/architecture.md"
drawn = re.findall(r"^\s*\d+\s+src/([a-z]+)", picture.read_text(), re.M)
if drawn != flow:
    faults.append(f"docs/architecture.md draws {drawn}, src/CMakeLists.txt says {flow}")

print("\n".join(faults) if faults else f"{len(flow)} folders, every include goes down the flow")
sys.exit(1 if faults else 0)
