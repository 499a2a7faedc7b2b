"""A stream recorded from a real engine, llama.cpp on the CPU, must read as `steelyard inspect` says.

  tools/venv.sh engine; build/venv/engine/bin/python tests/real/llamacpp_engine_test.py build/release/steelyard
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from served import DIRECT, Served

STEELYARD = sys.argv.pop(1)
ENGINE = [sys.executable, str(pathlib.Path(__file__).parents[2] / "tools/cpu_engine.py")]
MODEL = "smollm2-135m-instruct"
CHAT = {"messages": [{"role": "user", "content": "Say yes."}]}
PROMPT = {"prompt": "The tide turns because"}


def inspect(body):
    with tempfile.NamedTemporaryFile(suffix=".sse") as file:
        file.write(body)
        file.flush()
        run = subprocess.run([STEELYARD, "inspect", file.name], capture_output=True, text=True, timeout=60)
    facts = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in run.stdout.splitlines() if line)
    return run.returncode, facts


def usage_in(body):
    """The last usage of the stream, read without Steelyard."""
    events = [line[len("data: "):] for line in body.decode().splitlines() if line.startswith("data: ")]
    usages = [json.loads(event).get("usage") for event in events if event != "[DONE]"]
    return [usage for usage in usages if usage][-1]


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served([*ENGINE, "--slots", "2"])

    @classmethod
    def tearDownClass(cls):
        code = cls.served.stop()
        assert code == 0, f"the engine ended with {code} on SIGTERM"

    def record(self, path, question, **options):
        body = {"model": MODEL, "stream": True, "stream_options": {"include_usage": True}, "temperature": 0,
                **question, **options}
        request = urllib.request.Request(self.served.url + path, data=json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        with DIRECT.open(request, timeout=120) as answer:
            return answer.read()

    def assert_completed(self, body, output_tokens):
        code, facts = inspect(body)
        self.assertEqual((code, facts["verdict"]), (0, "completed"))
        self.assertEqual((facts["malformed events"], facts["end"]), ("0", 'finish_reason "length", [DONE] yes'))
        usage = usage_in(body)
        self.assertEqual(usage["completion_tokens"], output_tokens)
        self.assertTrue(facts["usage"].startswith(
            f"input {usage['prompt_tokens']}, output {usage['completion_tokens']}, "
            f"cached input {usage['prompt_tokens_details']['cached_tokens']}"), facts["usage"])
        return facts

    def test_model(self):
        self.assertEqual([model["id"] for model in json.loads(self.served.get("/v1/models"))["data"]], [MODEL])

    def test_chat(self):
        # Left alone, the model says "Yes." and stops long before 24 tokens.
        facts = self.assert_completed(
            self.record("/v1/chat/completions", CHAT, max_tokens=24, ignore_eos=True), 24)
        self.assertEqual(facts["first token"], "event 2 (TTFT ends here)")  # the first bears the role

    def test_completions(self):
        facts = self.assert_completed(
            self.record("/v1/completions", PROMPT, max_tokens=24, ignore_eos=True), 24)
        self.assertEqual(facts["first token"], "event 1 (TTFT ends here)")

    def test_a_probe(self):
        for kind, dialect in (("chat", "openai-chat"), ("completions", "openai")):
            done = subprocess.run([STEELYARD, "inspect", "--probe", self.served.url, "--endpoint-type", kind, "--json"],
                                  capture_output=True, text=True, timeout=120, env={**os.environ, "no_proxy": "*"})
            self.assertEqual(done.returncode, 0, done.stderr)
            facts = json.loads(done.stdout)
            self.assertEqual((facts["emulated"], facts["model"]), (False, MODEL))
            self.assertEqual((facts["answer"]["dialect"], facts["answer"]["verdict"]), (dialect, "completed"))
            refused = {field["name"] for field in facts["fields"] if field["refused"]}
            self.assertEqual((refused, facts["length_held"], facts["answer"]["output_tokens"]), (set(), True, 32))
            self.assertEqual(facts["answer"]["output_tokens_from"], "usage")

    def test_a_stream_cut_short_is_none_that_completed(self):
        whole = self.record("/v1/completions", PROMPT, max_tokens=24, ignore_eos=True)
        code, facts = inspect(b"\n\n".join(whole.split(b"\n\n")[:10]) + b"\n\n")
        self.assertEqual(code, 1)
        self.assertIn("truncated", facts["verdict"])


class Orphans(unittest.TestCase):
    def test_the_engine_ends_with_its_parent(self):
        # A shell starts it, passes on its `listening` line and its process id, and ends.
        script = 'mkfifo "$1/said"; "${@:2}" >"$1/said" & read -r line <"$1/said"; echo "$! $line"'
        with tempfile.TemporaryDirectory() as folder:
            shell = subprocess.run(["bash", "-c", script, "bash", folder, *ENGINE], stdout=subprocess.PIPE,
                                   text=True, timeout=60)
        process_id, word, _ = shell.stdout.split()
        self.assertEqual(word, "listening")
        deadline = time.monotonic() + 20
        while alive(int(process_id)) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(alive(int(process_id)))


def alive(process_id):
    try:
        state = pathlib.Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"  # ended, and only not yet reaped


if __name__ == "__main__":
    unittest.main(verbosity=2)
