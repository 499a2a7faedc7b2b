#!/usr/bin/env python3
"""docs/suite.example.yaml runs as it is, with nothing in the environment, and shows what it explains."""
import json
import os
import subprocess
import sys
import tempfile

SUITE = sys.argv[2]
LIMIT_S = 60  # it takes a few; the rest is for a machine that is building


def main():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EXAMPLE_")}
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([sys.argv[1], "evaluate", SUITE, "--out", out, "--store", "none", "--quiet"],
                             env=environment, text=True, capture_output=True, timeout=LIMIT_S)
        assert run.returncode == 0, f"exit {run.returncode}: {run.stderr}{run.stdout}"
        with open(f"{out}/ranking.json", encoding="utf-8") as file:
            ranking = json.load(file)
    platforms = {row["name"]: row for row in ranking["platforms"]}
    assert sorted(platforms) == ["rented-gpu", "token-api"], sorted(platforms)
    assert platforms["rented-gpu"]["feasible"], platforms["rented-gpu"]["reasons"]
    assert platforms["rented-gpu"]["cptls"]["currency"] == "USD"
    # Left out, and it says which variable it wanted.
    notes = [note["text_en"] for note in ranking["notes"]]
    assert any("my-server" in note and "EXAMPLE_BASE_URL" in note for note in notes), notes


main()
