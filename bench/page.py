"""docs/performance.md: a section a measurement, each replaced on its own."""
import datetime
import os
import pathlib
import platform
import re
import textwrap

PAGE = pathlib.Path("docs/performance.md")
HEAD = """# Performance

What was measured, with which command, when, on which machine. Written by [`bench/run`](../bench/README.md);
each section says which command makes it anew. Nothing here is a test.
"""


def machine():
    with open("/proc/cpuinfo") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} cores ({model}), Linux {os.uname().release}"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def write_section(name, text):
    """The section called `name` becomes `text`; the others stay."""
    old = PAGE.read_text() if PAGE.exists() else HEAD
    section = f"<!-- {name} -->\n{text.strip()}\n<!-- end of {name} -->\n"
    new, found = re.subn(rf"<!-- {name} -->\n.*?<!-- end of {name} -->\n", lambda _: section, old, flags=re.DOTALL)
    PAGE.write_text(new if found else f"{old}\n{section}")


def paragraph(text):
    return textwrap.fill(" ".join(text.split()), 120, break_on_hyphens=False, break_long_words=False)


def markdown(rows):
    return [f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])]
