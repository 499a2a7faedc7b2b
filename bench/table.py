"""The table, the targets, the section of docs/performance.md."""
from page import markdown, paragraph

COLUMNS = (("events_per_s", "events/s", "{:,.0f}"), ("cpu_s_per_million", "CPU s/M", "{:.2f}"),
           ("user_s_per_million", "user s/M", "{:.2f}"), ("peak_mib", "peak MiB", "{:.0f}"),
           ("ttft_p50", "TTFT P50 err", "{:+.2f}"), ("ttft_p99", "TTFT P99 err", "{:+.2f}"),
           ("itl_p50", "ITL P50 err", "{:+.3f}"), ("itl_p99", "ITL P99 err", "{:+.2f}"),
           ("late_p99", "server late P99", "{:.2f}"), ("stolen", "host took", "{:.0%}"))
OURS, FLOOR, WRK = "steelyard", "epoll floor", "wrk"


def cells(row):
    return [form.format(row[key]) if row.get(key) is not None else "-" for key, _, form in COLUMNS]


def rows_of(table):
    for load, clients in table.items():
        for name, result in clients.items():
            median = result["median"]
            note = median.get("failed") or median.get("unread") or median.get("verdict") or ""
            yield [load, name, *cells(median), note]


def header():
    return ["load", "client", *(title for _, title, _ in COLUMNS), "note"]


def lines_of(table):
    rows = [header(), *rows_of(table)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[-1]]).rstrip() for row in rows]


def verdicts(table):
    """The project's targets, for information: a noisy machine fails them too."""
    lines = []

    def say(load, what, value, limit, at_least=False):
        met = value >= limit if at_least else value <= limit
        lines.append(f"{'pass' if met else 'FAIL'}  {load}: {what} {value:.2f} ({'at least' if at_least else 'at most'} {limit})")

    for load, clients in table.items():
        good = {name: r["median"] for name, r in clients.items() if "failed" not in r["median"]}
        ours = good.get(OURS)
        if not ours:
            continue
        peers = [r for name, r in good.items() if name not in (OURS, FLOOR, WRK)]
        if load == "instant":
            if WRK in good:
                say(load, "events/s against wrk's", ours["events_per_s"] / good[WRK]["events_per_s"], 0.8, True)
                say(load, "CPU per token against wrk's", ours["cpu_s_per_million"] / good[WRK]["cpu_s_per_million"], 2.25)
            if peers:
                say(load, "events/s against the best peer's",
                    ours["events_per_s"] / max(r["events_per_s"] for r in peers), 15, True)
            continue
        if FLOOR in good:
            say(load, "CPU per token against the epoll floor's",
                ours["cpu_s_per_million"] / good[FLOOR]["cpu_s_per_million"], 1.2)
        if peers:
            say(load, "CPU per token against the best peer's",
                ours["cpu_s_per_million"] / min(r["cpu_s_per_million"] for r in peers), 0.33)
        for key, limit in (("ttft_p50", 0.3), ("ttft_p99", 0.6), ("itl_p50", 0.05), ("itl_p99", 0.2)):
            if key in ours:
                say(load, f"|{key} error| ms", abs(ours[key]), limit)
    return lines


def docs_section(result):
    rows = [header(), *rows_of(result["table"])]
    return "\n".join([
        "## Steelyard and other load generators on one truth server", "",
        paragraph(f"Measured {result['date']} with `{result['command'].strip()}` on {result['machine']};"
        f" medians of {result['repeats']} runs, the truth server on one core, each client alone on another."), "",
        paragraph("CPU is that of the whole client, its start included, for each million tokens. An error is the client's figure"
        " less the truth of the same run, in ms. \"server late\" is how far the server itself was behind its schedule,"
        " \"host took\" the share of the machine's CPU time that its host kept for others: where it is large, look away."
        " `epoll floor` reads and looks at nothing; `wrk` is the transport's limit. [How it is done](../bench/README.md)."), "",
        *markdown(rows), "",
        *(f"Left out: {name}: {why}." for name, why in result["skipped"].items()), "",
        "```", *verdicts(result["table"]), "```"])
