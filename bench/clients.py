"""The load generators: how each is told the same work, and where it leaves its figures (in ms)."""
import json
import pathlib
import subprocess

import tokenizer

MODEL = "emulated-model"


class Client:
    """`command(url, work, folder)`; `figures(folder, log)` gives {"ttft_p50", "ttft_p99", "itl_p50", "itl_p99"},
    each absent where the tool does not report it."""
    paced = True
    instant = True
    slow = False

    def __init__(self, name):
        self.name = name

    def missing(self):
        return None

    def figures(self, folder, log):
        return {}


def newest(folder, pattern):
    """Of the files that the runs of a client left, that of the last."""
    return max(pathlib.Path(folder).rglob(pattern), key=lambda file: file.stat().st_mtime)


def pick(ttft, itl, p50="p50", p99="p99"):
    return {"ttft_p50": ttft.get(p50), "ttft_p99": ttft.get(p99), "itl_p50": itl.get(p50), "itl_p99": itl.get(p99)}


class Steelyard(Client):
    def command(self, url, work, folder):
        return ["build/bench/steelyard", "bench", "--base-url", url, "--model", MODEL, "--endpoint-type", "chat",
                "--max-concurrency", str(work.streams), "--num-prompts", str(work.requests),
                "--random-input-len", "32", "--random-output-len", str(work.tokens), "--json", "--quiet"]

    def figures(self, folder, log):
        text = log.read_text()
        result = json.loads(text[text.index("{"):])
        of = lambda name: {q: (result["steelyard"][name][q] or {}).get("value") for q in ("p50", "p99")}
        return {**pick(of("ttft_ms"), of("itl_ms")), "verdict": result["steelyard"].get("certificate", {}).get("verdict")}


class EpollFloor(Client):
    instant = False

    def command(self, url, work, folder):
        return ["build/bench/epoll_floor", url.rsplit(":", 1)[1], str(work.streams), str(work.requests), str(work.tokens)]

    def figures(self, folder, log):
        result = json.loads(log.read_text())
        return pick(result["ttft_ms"], result["itl_ms"])


class Wrk(Client):
    """Reads answers and looks at none: the transport's limit."""
    paced = False

    def command(self, url, work, folder):
        body = json.dumps({"model": MODEL, "stream": True, "max_tokens": work.tokens,
                           "stream_options": {"include_usage": True}, "messages": [{"role": "user", "content": "hi"}]})
        script = folder / "post.lua"
        script.write_text(f"wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\nwrk.body = [==[{body}]==]\n")
        return ["wrk", "-t1", f"-c{work.streams}", "-d4s", "-s", str(script), url + "/v1/chat/completions"]


class Peer(Client):
    """One from the Python package index, in an environment of its own."""
    slow = True

    def missing(self):
        made = subprocess.run(["tools/venv.sh", self.name], capture_output=True, text=True)
        return None if made.returncode == 0 else made.stderr.strip().splitlines()[-1]

    def program(self, name=None):
        return f"build/venv/{self.name}/bin/{name or self.name}"


class AiPerf(Peer):
    def command(self, url, work, folder):
        return [self.program(), "profile", "--model", MODEL, "--url", url, "--endpoint-type", "chat", "--streaming",
                "--concurrency", str(work.streams), "--request-count", str(work.requests), "--tokenizer", tokenizer.make("build/bench/tokenizer"),
                "--use-server-token-count", "--synthetic-input-tokens-mean", "32", "--output-tokens-mean", str(work.tokens),
                "--ui-type", "none", "--artifact-dir", str(folder)]

    def figures(self, folder, log):
        result = json.loads(newest(folder, "profile_export_aiperf.json").read_text())
        # Its "inter token latency" is a mean a request; the gaps are "inter chunk latency".
        itl = result.get("inter_chunk_latency") or result["inter_token_latency"]
        return pick(result["time_to_first_token"], itl)


class EvalScope(Peer):
    def command(self, url, work, folder):
        return [self.program(), "perf", "--url", url + "/v1/chat/completions", "--model", MODEL, "--api", "openai",
                "--parallel", str(work.streams), "--number", str(work.requests), "--dataset", "line_by_line",
                "--dataset-path", prompts(folder, work), "--max-tokens", str(work.tokens), "--stream",
                "--outputs-dir", str(folder)]

    def figures(self, folder, log):
        rows = json.loads(newest(folder, "benchmark_percentile.json").read_text())
        by = {row["Percentiles"]: row for row in rows}
        of = lambda name: {q: by[p][name] for q, p in (("p50", "50%"), ("p99", "99%"))}
        return pick(of("TTFT (ms)"), of("ITL (ms)"))


class GenAiBench(Peer):
    """It ends a run at a number of requests by dropping those in flight."""

    def command(self, url, work, folder):
        return [self.program(), "benchmark", "--api-backend", "openai", "--api-base", url, "--api-key", "none",
                "--api-model-name", MODEL, "--model-tokenizer", tokenizer.make("build/bench/tokenizer"), "--task",
                "text-to-text", "--max-time-per-run", "1", "--max-requests-per-run", str(work.requests),
                "--num-concurrency", str(work.streams), "--traffic-scenario", f"D(32,{work.tokens})",
                "--experiment-base-dir", str(folder)]

    def figures(self, folder, log):
        stats = json.loads(newest(folder, "D*.json").read_text())["aggregated_metrics"]["stats"]
        ttft = {q: 1000 * stats["ttft"][q] for q in ("p50", "p99")}  # it gives seconds, and no gaps
        return pick(ttft, {})


class LeftOut(Client):
    def __init__(self, name, why):
        super().__init__(name)
        self.why = why

    def missing(self):
        return self.why


def prompts(folder, work):
    path = folder / "prompts.txt"
    path.write_text("".join(f"prompt {i}: why does the tide turn?\n" for i in range(work.requests)))
    return str(path)


def all_clients():
    return [Steelyard("steelyard"), EpollFloor("epoll floor"), Wrk("wrk"), AiPerf("aiperf"), EvalScope("evalscope"),
            GenAiBench("genai-bench"),
            LeftOut("guidellm", "it imports torch, whose packages are several GB of CUDA"),
            LeftOut("inference-perf", "it needs Python 3.12, and Debian 12 has 3.11"),
            LeftOut("vllm bench", "vllm brings several GB of CUDA; evalscope's aiohttp client is of its kind")]
