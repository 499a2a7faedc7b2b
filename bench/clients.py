"""The load generators: how each is told the same work, and where it leaves its figures (in ms)."""
import json
import pathlib
import subprocess

import tokenizer

MODEL = "emulated-model"
PEERS = ("aiperf", "guidellm", "evalscope", "inference-perf", "genai-bench")


class Client:
    """`command(url, work, folder)`; `figures(folder, log)` gives {"ttft_p50", "ttft_p99", "itl_p50", "itl_p99"},
    each absent where the tool does not report it."""
    paced = True
    instant = True

    def __init__(self, name):
        self.name = name

    def missing(self):
        return None

    def figures(self, folder, log):
        return {}


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
        result = json.loads(next(pathlib.Path(folder).rglob("profile_export_aiperf.json")).read_text())
        # Its "inter token latency" is a mean a request; the gaps are "inter chunk latency".
        itl = result.get("inter_chunk_latency") or result["inter_token_latency"]
        return pick(result["time_to_first_token"], itl)


class GuideLlm(Peer):
    def command(self, url, work, folder):
        return [self.program(), "benchmark", "run", "--target", url, "--model", MODEL, "--profile",
                "concurrent", "--rate", str(work.streams), "--max-requests", str(work.requests), "--data",
                f"prompt_tokens=32,output_tokens={work.tokens}", "--output-dir", str(folder)]


class EvalScope(Peer):
    def command(self, url, work, folder):
        return [self.program(), "perf", "--url", url + "/v1/chat/completions", "--model", MODEL, "--api", "openai",
                "--parallel", str(work.streams), "--number", str(work.requests), "--dataset", "line_by_line",
                "--dataset-path", prompts(folder, work), "--max-tokens", str(work.tokens), "--stream",
                "--outputs-dir", str(folder)]

    def figures(self, folder, log):
        rows = json.loads(next(pathlib.Path(folder).rglob("benchmark_percentile.json")).read_text())
        by = {str(row.get("Percentiles") or row.get("Percentile")): row for row in rows}
        return {f"{metric}_{q}": next((1000 * v if "(s)" in k else v for k, v in by[p].items() if k.startswith(name)), None)
                for metric, name in (("ttft", "TTFT"), ("itl", "ITL")) for q, p in (("p50", "50%"), ("p99", "99%"))}


def prompts(folder, work):
    path = folder / "prompts.txt"
    path.write_text("".join(f"prompt {i}: why does the tide turn?\n" for i in range(work.requests)))
    return str(path)


def all_clients():
    return [Steelyard("steelyard"), EpollFloor("epoll floor"), Wrk("wrk"), AiPerf("aiperf"), GuideLlm("guidellm"),
            EvalScope("evalscope")]
