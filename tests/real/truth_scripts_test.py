"""Every fault script of `steelyard emulate truth`, as `steelyard bench` judges it: what the server knows it did is
what the client must say it got.

  python3 tests/real/truth_scripts_test.py build/release/steelyard
"""
import json
import subprocess
import sys
import unittest

from served import Served

STEELYARD = sys.argv.pop(1)


def scripts():
    listed = subprocess.run([STEELYARD, "emulate", "truth", "--script", "list"], text=True, check=True,
                            capture_output=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def bench(server, *flags):
    done = subprocess.run([STEELYARD, "bench", "--base-url", server.url, "--model", "emulated-model", "--json", "--quiet",
                           "--random-input-len", "8", "--random-output-len", "40",
                           "--endpoint-type", "chat", *flags], text=True, capture_output=True, timeout=60)
    return json.loads(done.stdout) if done.stdout.strip() else {"refused": done.stderr}


class Scripts(unittest.TestCase):
    def test_the_client_judges_each_as_the_server_knows(self):
        names = scripts()
        self.assertGreater(len(names), 40)
        for name in names:
            with self.subTest(name):
                server = Served([STEELYARD, "emulate", "truth", "--port", "0", "--ttft", "5ms", "--itl", "2ms",
                                 "--script", name])
                try:
                    result = bench(server, "--num-prompts", "1")
                    truth = json.loads(server.get("/truth"))
                    said = truth["requests"][-1]["outcome"]
                    if name == "no-key":  # bench stops at once: no request could do better
                        self.assertIn("HTTP 401 Unauthorized: Incorrect API key", result["refused"])
                    elif said == "completed":
                        self.assertEqual(result.get("completed"), 1, result)
                    else:
                        self.assertEqual(result.get("failed"), 1, result)
                        self.assertEqual(result["steelyard"]["failures"], {said: 1})
                finally:
                    self.assertEqual(server.stop(), 0)


class Paced(unittest.TestCase):
    def test_counts_agree_with_the_truth(self):
        server = Served([STEELYARD, "emulate", "truth", "--port", "0", "--ttft", "20ms", "--itl", "2ms"])
        try:
            result = bench(server, "--num-prompts", "30", "--max-concurrency", "10")
            truth = json.loads(server.get("/truth/summary"))
            self.assertEqual((truth["completed"], truth["output_tokens"]), (30, 1200))
            self.assertEqual((result["completed"], result["total_output_tokens"]), (30, 1200))
            self.assertGreaterEqual(result["p50_ttft_ms"], 20.0)
        finally:
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
