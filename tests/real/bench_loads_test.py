"""Sweeps and searches of `steelyard bench` as people run them, against `steelyard emulate openai`.

  python3 tests/real/bench_loads_test.py build/release/steelyard
"""
import http.server
import json
import signal
import subprocess
import threading
import time
import unittest
import xml.etree.ElementTree

from bench_cli_test import ENVIRONMENT, SHORT, BenchCase

QUICK_STEPS = [*SHORT, "--step-least", "300ms", "--step-most", "1s"]


class Listener(http.server.BaseHTTPRequestHandler):
    """Takes down every prompt and answers none."""
    prompts = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.prompts.append(body["messages"][0]["content"])
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Sweeps(BenchCase):
    def steps(self, *flags, code=0):
        return self.result(*QUICK_STEPS, *flags, code=code)["steps"]

    def test_concurrency(self):
        steps = self.steps("--sweep-max-concurrency", "1,4")
        self.assertEqual([step["load"]["concurrency"] for step in steps], [1, 4])
        self.assertIn("concurrency 4", self.output)
        for step in steps:
            self.assertTrue(step["settled"])
            self.assertAlmostEqual(step["mean_out"], step["load"]["concurrency"], delta=0.5)
            self.assertEqual(step["result"]["max_concurrency"], step["load"]["concurrency"])
            self.assertEqual(step["result"]["failed"], 0)
        # 5 ms and seven gaps of 1 ms: at most 83 answers a second for each that is out.
        self.assertLess(steps[1]["output_tokens_per_s"], 4 * 83.4 * 8 * 1.1)

    def test_rates_with_each_input_length(self):
        steps = self.steps("--sweep-request-rate", "20,40", "--sweep-input-len", "16,64")
        self.assertEqual([(step["load"]["request_rate"], step["load"]["input_len"]) for step in steps],
                         [(20, 16), (40, 16), (20, 64), (40, 64)])
        mean = [step["result"]["total_input_tokens"] / step["result"]["completed"] for step in steps]
        self.assertEqual([round(value) for value in mean], [16, 16, 64, 64])

    def test_input_lengths_at_one_load(self):
        steps = self.steps("--sweep-input-len", "16,32", "--max-concurrency", "2")
        self.assertEqual([step["load"]["concurrency"] for step in steps], [2, 2])

    def test_an_sla_that_no_step_meets_is_1(self):
        steps = self.steps("--sweep-max-concurrency", "1,2", "--sla", "ttft<1ms", code=1)
        self.assertEqual([step["verdict"] for step in steps], ["misses", "misses"])

    def test_no_prompt_is_sent_in_two_steps(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Listener.prompts.clear()
        self.result("--sweep-max-concurrency", "1,2,1", "--num-prompts", "5", "--random-input-len", "40", "--model", "m",
                    url=f"http://127.0.0.1:{server.server_address[1]}", code=1)
        self.assertEqual(len(Listener.prompts), 15)
        beginnings = {tuple(prompt.split()[:6]) for prompt in Listener.prompts}
        self.assertEqual(len(beginnings), 15)

    def test_ctrl_c_keeps_the_steps_that_ended(self):
        running = subprocess.Popen(self.command(*SHORT, "--step-least", "500ms", "--sweep-max-concurrency",
                                                ",".join(["2"] * 100)),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        try:
            time.sleep(4)
            running.send_signal(signal.SIGINT)
            output, said = running.communicate(timeout=30)
        finally:
            running.kill()
        self.assertEqual(running.returncode, 0, said)
        self.assertIn("interrupted", output)
        result = json.loads(self.file.read_text())
        self.assertEqual(result["end"], "interrupted")
        self.assertGreaterEqual(len(result["steps"]), 1)
        self.assertLess(len(result["steps"]), 100)


class Curves(BenchCase):
    # Four at a time, 115 ms each.
    profile = "ttft: {p50: 20ms}\nitl: {p50: 5ms}\nslots: 4\n"
    FLAGS = ["--random-input-len", "8", "--random-output-len", "20", "--step-least", "1500ms", "--step-most", "3s"]

    def test_the_knee_of_slots_is_their_number(self):
        drawn = self.file.parent / "curve.svg"
        result = self.result(*self.FLAGS, "--sweep-max-concurrency", "16,1,2,4,8", "--self-test", "--curve", drawn)
        root = xml.etree.ElementTree.parse(drawn).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        rings = [found for found in root.iter("{http://www.w3.org/2000/svg}circle") if found.get("class") == "knee"]
        self.assertEqual(len(rings), 5)
        [curve] = result["curves"]
        self.assertEqual(curve["steps"], [1, 2, 3, 4, 0])
        knee = curve["knee"]
        self.assertEqual((knee["answer"], knee["load"], knee["step"]), ("found", 4, 3), knee)
        self.assertIn("knee          concurrency 4", self.output)
        self.assertIn(3, curve["frontier"])
        self.assertNotIn(1, curve["frontier"])
        for step in result["steps"]:
            power = step["power"]
            self.assertLessEqual(power["low"], power["value"])
            tokens = step["output_tokens_per_s_interval"]
            self.assertTrue(tokens["low"] <= step["output_tokens_per_s"] <= tokens["high"])
            self.assertEqual(step["result"]["steelyard"]["certificate"]["self_test"]["streams"], 16)
        self.assertIn("self-test     16 streams", self.output)

    def test_without_saturation_none_is_named(self):
        knee = self.result(*self.FLAGS, "--sweep-max-concurrency", "1,2,4")["curves"][0]["knee"]
        self.assertEqual((knee["answer"], knee["load"], knee["below"]), ("still_rising", None, None))
        self.assertIn("not reached: concurrency 4", self.output)


class Searches(BenchCase):
    # A fifth request waits for a slot by about 150 ms; the limit leaves a busy machine 90.
    profile = "ttft: {p50: 20ms}\nitl: {p50: 30ms}\nslots: 4\n"
    FLAGS = ["--random-input-len", "8", "--random-output-len", "20", "--step-least", "1s", "--step-most", "4s",
             "--sla-target", "90%"]

    def test_the_largest_concurrency(self):
        result = self.result(*self.FLAGS, "--find-max", "concurrency", "--goodput", "ttft:110", "--search-from", 3)
        self.assertEqual((result["found"]["largest"], result["found"]["smallest_above"]), (4, 5))
        self.assertIn("largest load  concurrency 4 meets the SLA", self.output)

    def test_nothing_meets_it(self):
        result = self.result(*self.FLAGS, "--find-max", "concurrency", "--sla", "ttft<1ms", "--search-from", 2, code=1)
        self.assertIsNone(result["found"]["largest"])
        self.assertIn("none that was tried", self.output)

    def test_money_ends_it(self):
        result = self.result(*self.FLAGS, "--find-max", "rate", "--sla", "ttft<110ms", "--price", "3600 USD/h",
                             "--max-spend", "10 USD", "--search-from", 3)
        self.assertEqual(result["end"], "money_over")
        self.assertLessEqual(result["took_s"], 10.5)


class Refusals(BenchCase):
    def test_flags(self):
        sla = ["--sla", "ttft<1s"]
        for flags, said in [
                (["--sweep-max-concurrency", "1,x"], "'x' is no whole number"),
                (["--sweep-max-concurrency", "0"], "from 1 to 1000000"),
                (["--sweep-request-rate", "1,,2"], "--sweep-request-rate"),
                (["--sweep-request-rate", "1,inf"], "--num-prompts"),
                (["--sweep-input-len", "8"], "no load is given"),
                (["--sweep-input-len", "8", "--max-concurrency", "2", "--dataset-name", "sonnet"], "--dataset-name random"),
                (["--sweep-max-concurrency", "1", "--sweep-request-rate", "1"], "one at a time"),
                (["--sweep-max-concurrency", "1", "--max-concurrency", "1"], "leave it out"),
                (["--sweep-max-concurrency", "1", "--duration", "5s"], "--step-most"),
                (["--sweep-max-concurrency", "1", "--store", "x.db"], "--store"),
                (["--sweep-max-concurrency", "1", "--step-least", "70s"], "longer than --step-most"),
                (["--find-max", "rate"], "no SLA"),
                (["--find-max", "speed", *sla], "concurrency or rate"),
                (["--find-max", "rate", *sla, "--sla-target", "100%"], "shown by no number"),
                (["--find-max", "concurrency", *sla, "--search-from", "9", "--search-to", "3"], "from 9 to 3"),
                (["--find-max", "concurrency", *sla, "--search-from", "1.5"], "whole numbers"),
                (["--find-max", "rate", *sla, "--search-time", "0s"], "leaves no time"),
                (["--find-max", "rate", *sla, "--max-spend", "5 USD"], "no price"),
                (["--find-max", "rate", *sla, "--max-spend", "5 USD", "--price", "1 CNY/h"], "an amount in CNY"),
                (["--find-max", "rate", *sla, "--price", "1 USD/Mtok"], "a price by time"),
                (["--find-max", "rate", *sla, "--price-input", "1 USD/Mtok"], "--price-output"),
                (["--find-max", "rate", *sla, "--dataset-name", "sessions", "--dataset-path", "x"], ""),
                (["--sweep-max-concurrency", "1", "--curve", "x.svg", "--lang", "fr"], "en or zh"),
                (["--curve", "x.svg"], "no sweep and no search"),
                (["--max-spend", "5 USD"], "no sweep and no search")]:
            with self.subTest(flags=flags):
                self.assertIn(said, self.refused(2, *SHORT, *flags))


if __name__ == "__main__":
    unittest.main()
