"""Each client in turn on the same truth server; medians of the repeats; one table.

Server and client are pinned to a CPU each. A client's error is its own figure less the server's truth of the same run.
"""
import argparse
import dataclasses
import json
import pathlib
import statistics
import sys

import page
from clients import all_clients
from table import docs_section, lines_of, verdicts
from truth import TruthServer, timed

FIGURES = ("ttft_p50", "ttft_p99", "itl_p50", "itl_p99")


@dataclasses.dataclass
class Work:
    streams: int
    instant: bool = False
    slow_client: bool = False  # fewer answers at once: all of them would take minutes

    @property
    def tokens(self):
        return 256 if self.instant else 50 if self.streams > 2000 else 100

    @property
    def requests(self):
        return (2_000 if self.slow_client else 40_000) if self.instant else 2 * self.streams

    @property
    def server(self):
        itl = "83.3ms" if self.streams > 2000 else "20ms"
        return ["--instant"] if self.instant else ["--ttft", "100ms", "--itl", itl]

    @property
    def name(self):
        return "instant" if self.instant else f"{self.streams} x {12 if self.streams > 2000 else 50}/s"


def once(client, work, server, options):
    folder = pathlib.Path("bench-out") / client.name.replace(" ", "_") / work.name.replace("/", "_").replace(" ", "")
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "out.log"
    work = dataclasses.replace(work, slow_client=client.slow)
    server.clear()
    used = timed(client.command(server.url, work, folder.resolve()), options.client_cpu, log, options.limit)
    truth = server.summary()
    tokens = truth["output_tokens"]
    if not tokens:
        last = log.read_text(errors="replace").strip().splitlines()
        return {"failed": f"no token was asked for (exit {used['exit']}): {last[-1] if last else ''}"[:200]}
    row = {**used, "tokens": tokens, "truth": truth, "events_per_s": tokens / used["wall_s"],
           "cpu_s_per_million": used["cpu_s"] / tokens * 1e6, "user_s_per_million": used["user_s"] / tokens * 1e6,
           "late_p99": truth["lateness_ms"]["p99"]}
    if not work.instant:
        try:
            said = client.figures(folder, log)
        except Exception as fault:  # another tool's file: whatever is wrong with it, its row says so
            said = {}
            row["unread"] = f"{type(fault).__name__}: {fault}"[:200]
        row["verdict"] = said.get("verdict")
        for figure in FIGURES:
            metric, q = figure.split("_")
            true = truth[f"{metric}_ms"][q]
            if said.get(figure) is not None and true is not None:
                row[figure] = said[figure] - true
    return row


def median_of(rows):
    good = [row for row in rows if "failed" not in row]
    if not good:
        return rows[0]
    keys = {key for row in good for key, value in row.items() if isinstance(value, (int, float))}
    median = {key: statistics.median(row[key] for row in good if key in row) for key in keys}
    return {**median, "n": len(good), "verdict": good[-1].get("verdict"), "unread": good[-1].get("unread")}


def measure(work, clients, options):
    runs = {client.name: [] for client in clients}
    with TruthServer(options.server_cpu, work.server) as server:
        for turn in range(options.repeats):
            for client in clients:  # in turn, so that a noisy minute hits all
                print(f"{work.name}: {client.name} {turn + 1}/{options.repeats}", file=sys.stderr)
                runs[client.name].append(once(client, work, server, options))
    return {name: {"median": median_of(rows), "runs": rows} for name, rows in runs.items()}


def parse():
    parser = argparse.ArgumentParser(prog="./bench/run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", help="paced loads, for example 16,256 (default: 16,256,1024)")
    parser.add_argument("--full", action="store_true", help="16, 64, 256, 1,024 and 4,096 streams")
    parser.add_argument("--clients", help="only these, by name with commas (default: all that install)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the median counts (3)")
    parser.add_argument("--limit", type=int, default=90, help="seconds that one run may take (90)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--client-cpu", type=int, default=1)
    parser.add_argument("--no-instant", action="store_true", help="leave out whole answers at once")
    parser.add_argument("--write-docs", action="store_true", help="write the table into docs/performance.md")
    return parser.parse_args()


def main():
    options = parse()
    wanted = options.clients.split(",") if options.clients else None
    skipped, clients = {}, []
    for client in all_clients():
        if wanted and client.name not in wanted:
            continue
        why = client.missing()
        if why:
            skipped[client.name] = why
            print(f"skipped {client.name}: {why}", file=sys.stderr)
        else:
            clients.append(client)
    streams = [int(n) for n in options.streams.split(",")] if options.streams else \
        [16, 64, 256, 1024, 4096] if options.full else [16, 256, 1024]
    works = ([] if options.no_instant else [Work(16, instant=True)]) + [Work(n) for n in streams]
    table = {}
    for work in works:
        fit = [c for c in clients if (c.instant if work.instant else c.paced)]
        table[work.name] = measure(work, fit, options)
    result = {"date": page.now(),
              "command": "./bench/run " + " ".join(sys.argv[1:]), "machine": page.machine(),
              "repeats": options.repeats, "skipped": skipped, "table": table}
    pathlib.Path("bench-out/results.json").write_text(json.dumps(result, indent=1))
    print("\n".join(lines_of(table) + verdicts(table)))
    if options.write_docs:
        page.write_section("peers", docs_section(result))


if __name__ == "__main__":
    main()
