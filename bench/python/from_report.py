"""Pins from pip's report: `pip install --dry-run --ignore-installed --report report.json NAME`, then
`python3 bench/python/from_report.py report.json > bench/python/NAME.txt` (and put the head comment back).

torch and the CUDA libraries are left out: they are gigabytes, and no load generator needs them for text."""
import json
import re
import sys

HEAVY = re.compile(r"(nvidia-(cu|nccl|nvsh|nvj|nvtx)|cuda|torch$|triton)")
packages = json.load(open(sys.argv[1]))["install"]
source = sorted(p["metadata"]["name"] for p in packages if not p["download_info"]["url"].endswith(".whl"))
if source:
    print("--no-binary " + ",".join(source))
for package in sorted(packages, key=lambda p: p["metadata"]["name"].lower()):
    meta, digest = package["metadata"], package["download_info"]["archive_info"]["hashes"]["sha256"]
    if not HEAVY.match(meta["name"].lower()):
        print(f"{meta['name']}=={meta['version']} --hash=sha256:{digest}")
