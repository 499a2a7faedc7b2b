"""The truth server on a CPU of its own, and a client run beside it with what it used."""
import json
import os
import select
import subprocess
import time
import urllib.request

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
STEELYARD = "build/bench/steelyard"


class TruthServer:
    def __init__(self, cpu, flags):
        self.process = subprocess.Popen([STEELYARD, "emulate", "truth", "--port", "0", "--cpu", str(cpu), *flags],
                                        stdout=subprocess.PIPE, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else ""
        if not line.startswith("listening "):
            raise RuntimeError(f"the truth server said {line!r}")
        self.url = line.split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def clear(self):
        DIRECT.open(urllib.request.Request(self.url + "/truth", method="DELETE"), timeout=30).read()

    def summary(self):
        with DIRECT.open(self.url + "/truth/summary", timeout=30) as answer:
            return json.loads(answer.read())


def peak_mib(file):
    try:
        with open(file) as lines:
            return int(lines.read().split()[-1]) / 1024
    except (OSError, ValueError, IndexError):  # it was killed
        return None


def stolen_s():
    """CPU seconds that the machine's host has kept from it, over all cores, since it began."""
    with open("/proc/stat") as lines:
        return int(next(lines).split()[8]) / os.sysconf("SC_CLK_TCK")


def pinned(command, cpu):
    """Becomes `command`: its process id is that of the client itself."""
    return ["taskset", "-c", str(cpu), *command]


def timed(command, cpu, log, limit_s):
    """Runs the client on one CPU. CPU time is of it and every child it waited for; memory of the largest of them."""
    environment = {**os.environ, "OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    begin, stolen = time.monotonic(), stolen_s()
    with open(log, "wb") as out:
        # `time` tells the client's memory: rusage of a process counts this Python too, from which it was forked.
        process = subprocess.Popen(pinned(["timeout", "-k", "5", str(limit_s), "/usr/bin/time", "-f", "%M", "-o",
                                           f"{log}.kib", *command], cpu), stdout=out, stderr=subprocess.STDOUT,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    return {"exit": process.returncode, "wall_s": wall, "stolen": (stolen_s() - stolen) / wall / os.cpu_count(),
            "user_s": usage.ru_utime, "system_s": usage.ru_stime, "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_mib": peak_mib(f"{log}.kib")}
