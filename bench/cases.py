"""The client at its limits, one case each: what was measured beside what is aimed at. For information, no test."""
import argparse
import contextlib
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import page
from poisson import counts_of, dispersion
from truth import STEELYARD, TruthServer, pinned, timed


@dataclasses.dataclass
class Figure:
    """`target`: (words, whether a value meets it), or none. Of the repeats the median counts, or the worst."""
    name: str
    unit: str
    target: tuple = None
    values: list = dataclasses.field(default_factory=list)
    worst_counts: bool = False


def at_most(limit):
    return f"<= {limit:g}", lambda value: value <= limit


def at_most_mb(megabytes):
    mib = megabytes * 1e6 / 2**20
    return f"<= {mib:.4g} ({megabytes} MB)", lambda value: value <= mib


def at_least(limit):
    return f">= {limit:g}", lambda value: value >= limit


def folder_of(case):
    folder = pathlib.Path("bench-out") / case
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def bench(server, options, flags, case, detailed=False):
    """One run of ours: its result, and what it used."""
    folder = folder_of(case)
    file, log = folder / "result.json", folder / "out.log"
    command = [STEELYARD, "bench", "--base-url", server.url, "--model", "emulated-model", "--endpoint-type", "chat",
               "--quiet", "--save-result", "--result-filename", str(file), *(["--save-detailed"] if detailed else []),
               *flags]
    file.unlink(missing_ok=True)
    server.clear()
    used = timed(command, options.client_cpu, log, options.limit)
    if used["exit"] != 0:
        raise RuntimeError(f"exit {used['exit']}: {log.read_text(errors='replace').strip()[-300:]}")
    options.stolen.append(100 * used["stolen"])
    return json.loads(file.read_text()), used


def error_of(result, truth, metric, q):
    return result["steelyard"][f"{metric}_ms"][q]["value"] - truth[f"{metric}_ms"][q]


def verdict_of(result):
    return result["steelyard"]["certificate"]["verdict"]


@contextlib.contextmanager
def busy_loop(cpu):
    process = subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def busy_core(options):
    """Another program computes on the client's core all the time: kernel stamps must keep the figures right, or the
    certificate must not say `valid`."""
    streams = options.size or 256
    figures = [Figure(f"{metric} {q} error", "ms", None if q == "P50" else at_most(0.5))
               for metric in ("TTFT", "ITL") for q in ("P50", "P99")]
    valid = Figure("runs that say `valid` with an error above 0.5 ms", "", at_most(0), worst_counts=True)
    late, lag = Figure("server late P99", "ms"), Figure("client read late P99", "ms")
    verdicts = []
    with TruthServer(options.server_cpu, ["--ttft", "100ms", "--itl", "20ms"]) as server, busy_loop(options.client_cpu):
        for _ in range(options.repeats):
            result, _ = bench(server, options, ["--max-concurrency", str(streams), "--num-prompts", str(4 * streams),
                                                "--random-input-len", "32", "--random-output-len", "100"], "busy-core")
            truth = server.summary()
            for figure in figures:
                metric, q, _ = figure.name.lower().split()
                figure.values.append(abs(error_of(result, truth, metric, q)))
            worst = max(figure.values[-1] for figure in figures if figure.target)
            verdicts.append(verdict_of(result))
            valid.values.append(int(verdicts[-1] == "valid" and worst > 0.5))
            late.values.append(truth["lateness_ms"]["p99"])
            lag.values.append(result["steelyard"]["certificate"]["loop_lag_us"] / 1000)
    return f"{streams} streams of 50 tokens/s, 100 tokens each, {4 * streams} requests", \
        [*figures, valid, lag, late], f"verdicts: {', '.join(verdicts)}"


def open_loop(options):
    """Short requests at a Poisson rate: they leave when they are due, as many as were asked for, and they are Poisson."""
    rate, seconds = options.size or 2000, 10
    lag = Figure("send lag P99", "ms", at_most(1))
    achieved = Figure("achieved / asked, off 1", "%", at_most(0.5))
    count = Figure("sent, off the expected number, in its standard deviations", "", at_most(3))
    tests = {(which, width): (Figure(f"{which}: variance / mean of counts in {width * 1000:g} ms", ""),
                              Figure(f"{which}: p of that", "", at_least(0.001)))
             for which in ("due", "sent") for width in (0.01, 0.1)}
    late = Figure("server late P99", "ms")
    verdicts = []
    with TruthServer(options.server_cpu, ["--ttft", "5ms", "--itl", "1ms"]) as server:
        for turn in range(options.repeats):
            result, _ = bench(server, options, ["--stages", f"{seconds}s@{rate}/s", "--random-input-len", "8",
                                                "--random-output-len", "2", "--seed", str(turn + 1)], "open-loop",
                               detailed=True)
            times = result["start_times"]
            lag.values.append(result["steelyard"]["send_lag_ms"]["p99"]["value"])
            achieved.values.append(abs(result["steelyard"]["certificate"]["achieved_rate"] - 1) * 100)
            count.values.append(abs(len(times) - rate * seconds) / math.sqrt(rate * seconds))
            due = [sent - waited for sent, waited in zip(times, result["queue_times"])]
            for (which, width), (index, p) in tests.items():
                # The first is due at once; the process of the others begins with it.
                begin, *others = due if which == "due" else times
                value = dispersion(counts_of(others, width, begin, begin + seconds))
                index.values.append(value[0])
                p.values.append(value[1])
            late.values.append(server.summary()["lateness_ms"]["p99"])
            verdicts.append(verdict_of(result))
    dispersed = [figure for pair in tests.values() for figure in pair]
    return f"{rate} requests/s for {seconds} s, 2 tokens each, another seed each run", \
        [lag, achieved, count, *dispersed, late], f"verdicts: {', '.join(verdicts)}"


def many_streams(options):
    """Very many slow streams at once on the client's one thread."""
    streams = options.size or 10_000
    peak = Figure("peak memory of the client", "MiB", at_most_mb(300))
    done, most = Figure("completed", "", at_least(streams)), Figure("at once", "", at_least(streams))
    cpu = Figure("client CPU", "s")
    late = Figure("server late P99", "ms")
    errors = [Figure(f"TTFT {q} error", "ms") for q in ("P50", "P99")]
    verdicts = []
    with TruthServer(options.server_cpu, ["--ttft", "6s", "--itl", "500ms"]) as server:
        for _ in range(options.repeats):
            result, used = bench(server, options, ["--max-concurrency", str(streams), "--num-prompts", str(streams),
                                                   "--random-input-len", "32", "--random-output-len", "20"], "many-streams",
                                 detailed=True)
            truth = server.summary()
            peak.values.append(used["peak_mib"])
            done.values.append(result["completed"])
            starts, ends = result["start_times"], [s + l for s, l in zip(result["start_times"], result["latencies"])]
            most.values.append(most_at_once(starts, ends))
            cpu.values.append(used["cpu_s"])
            late.values.append(truth["lateness_ms"]["p99"])
            for figure in errors:
                figure.values.append(abs(error_of(result, truth, "ttft", figure.name.lower().split()[1])))
            verdicts.append(verdict_of(result))
    return f"{streams} streams of 2 tokens/s, 20 tokens each, all begun at once", \
        [peak, done, most, cpu, *errors, late], f"verdicts: {', '.join(verdicts)}"


def most_at_once(starts, ends):
    out = most = 0
    for _, step in sorted([(s, 1) for s in starts] + [(e, -1) for e in ends]):
        out += step
        most = max(most, out)
    return most


def memory(options):
    """Memory while very many requests go through: it must not grow with them."""
    requests = options.size or 1_000_000
    growth = Figure("growth after the first 10 %", "MiB", at_most_mb(50))
    early, peak = Figure("at 10 %", "MiB"), Figure("peak", "MiB")
    rate, wall = Figure("tokens/s", "M"), Figure("took", "s")
    with TruthServer(options.server_cpu, ["--instant"]) as server:
        for _ in range(options.repeats):
            samples, seconds = watched_run(server, options, requests)
            after = [mib for done, mib in samples if done >= requests / 10]
            early.values.append(after[0])
            peak.values.append(max(after))
            growth.values.append(max(after) - after[0])
            wall.values.append(seconds)
            rate.values.append(server.summary()["output_tokens"] / seconds / 1e6)
    return f"{requests} requests of 100 tokens, whole answers at once, 64 at a time", [growth, early, peak, rate, wall], ""


def watched_run(server, options, requests):
    """[(requests done, MiB of the client)], a few a second, and how long it took."""
    log = folder_of("memory") / "out.log"
    server.clear()
    begin = time.monotonic()
    with open(log, "wb") as out:
        client = subprocess.Popen(pinned([STEELYARD, "bench", "--base-url", server.url, "--model", "emulated-model",
                                          "--endpoint-type", "chat", "--quiet", "--max-concurrency", "64", "--num-prompts",
                                          str(requests), "--random-input-len", "32", "--random-output-len", "100"],
                                         options.client_cpu), stdout=out, stderr=subprocess.STDOUT)
        samples = []
        while client.poll() is None:
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
                samples.append((server.summary()["completed"], resident_mib(client.pid)))
            time.sleep(0.25)
    if client.returncode != 0:
        raise RuntimeError(f"exit {client.returncode}: {log.read_text(errors='replace').strip()[-300:]}")
    return samples, time.monotonic() - begin


def resident_mib(pid):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def spread_starts(options):
    """Slow streams whose starts are spread over a second: TTFT against the truth server's own arrival times."""
    streams = options.size or 4096
    error = {q: Figure(f"TTFT {q} error", "ms", at_most(2) if q == "P99" else None) for q in ("P50", "P99")}
    itl = {q: Figure(f"ITL {q} error", "ms") for q in ("P50", "P99")}
    unmarked = Figure("runs that say `valid` with a TTFT P99 error above 2 ms", "", at_most(0), worst_counts=True)
    late = Figure("server late P99", "ms")
    verdicts = []
    with TruthServer(options.server_cpu, ["--ttft", "100ms", "--itl", "83.3ms"]) as server:
        for _ in range(options.repeats):
            result, _ = bench(server, options, ["--request-rate", str(streams), "--burstiness", "inf", "--num-prompts",
                                                str(streams), "--random-input-len", "32", "--random-output-len", "50"],
                              "spread-starts")
            truth = server.summary()
            for metric, of in (("ttft", error), ("itl", itl)):
                for q, figure in of.items():
                    figure.values.append(abs(error_of(result, truth, metric, q.lower())))
            verdicts.append(verdict_of(result))
            unmarked.values.append(int(verdicts[-1] == "valid" and error["P99"].values[-1] > 2))
            late.values.append(truth["lateness_ms"]["p99"])
    return f"{streams} streams of 12 tokens/s, 50 tokens each, begun evenly over one second", \
        [*error.values(), unmarked, *itl.values(), late], f"verdicts: {', '.join(verdicts)}"


CASES = {"busy-core": busy_core, "open-loop": open_loop, "many-streams": many_streams, "memory": memory,
         "spread-starts": spread_starts}


def shown(value):
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def rows_of(figures):
    yield ["figure", "unit", "median", "target", "met", "every run"]
    for figure in figures:
        median = max(figure.values) if figure.worst_counts else statistics.median(figure.values)
        words, meets = figure.target or ("-", None)
        yield [figure.name, figure.unit, shown(median), words, "-" if meets is None else "yes" if meets(median) else "NO",
               " ".join(shown(value) for value in figure.values)]


def section(name, options, case, measured):
    what, figures, remark = measured
    if options.stolen:
        figures.append(Figure("the machine's time that its host took", "%", values=options.stolen))
    text = [f"## {name}", "", page.paragraph(case.__doc__), "", page.paragraph(
                f"{what}; {options.repeats} runs, server and client on a core each. "
                f"Measured {page.now()} with `./bench/run {' '.join(sys.argv[1:])}` on {page.machine()}, load average before "
                f"{options.load:.2f}."), "", *page.markdown(list(rows_of(figures)))]
    return "\n".join([*text, *(["", remark] if remark else [])])


def parse():
    parser = argparse.ArgumentParser(prog="./bench/run", description=__doc__ + "\n\n" + "\n".join(
        f"{name:14} {' '.join(case.__doc__.split())}" for name, case in CASES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--size", type=int, help="streams, requests/s or requests: smaller for a try")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the median counts (3)")
    parser.add_argument("--limit", type=int, default=300, help="seconds that one run may take (300)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--client-cpu", type=int, default=1)
    parser.add_argument("--write-docs", action="store_true", help="write the table into docs/performance.md")
    return parser.parse_args()


def main():
    options = parse()
    with open("/proc/loadavg") as line:
        options.load = float(line.read().split()[0])
    options.stolen = []  # of every run, in percent
    text = section(options.case, options, CASES[options.case], CASES[options.case](options))
    print(text)
    if options.write_docs:
        page.write_section(options.case, text)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as fault:
        sys.exit(f"error: {fault}")
