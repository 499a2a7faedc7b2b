"""`steelyard bench` as people run it, against `steelyard emulate openai`: the figures, the files, the refusals.

  python3 tests/real/bench_cli_test.py build/release/steelyard
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from served import DIRECT, Served

STEELYARD = sys.argv.pop(1)
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MODEL = "emulated-model"
KEY = "sk-the-key-that-nobody-may-see"
METRICS = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms")
STATISTICS = ("mean", "median", "std", "p50", "p90", "p99")
QUICK = "ttft: {p50: 5ms}\nitl: {p50: 1ms}\n"
SHORT = ["--random-input-len", "8", "--random-output-len", "8"]

# A proxy or a key of the machine must not reach the program under test.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("OPENAI_API_KEY", "STEELYARD_EMULATE_API_KEY")}


def emulator(profile=QUICK, *flags, api_key=""):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(profile)
        file.flush()
        command = [STEELYARD, "emulate", "openai", "--profile", file.name, "--port", "0", *flags]
        return Served(command, {**ENVIRONMENT, "STEELYARD_EMULATE_API_KEY": api_key})


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Silent:
    """A server that takes a request and never answers."""
    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.taken = []

    def asked(self, timeout):
        self.socket.settimeout(timeout or 0.001)
        try:
            self.taken.append(self.socket.accept()[0])
        except TimeoutError:
            return False
        self.taken[-1].settimeout(timeout)
        return len(self.taken[-1].recv(1)) == 1

    def close(self):
        for connection in [self.socket, *self.taken]:
            connection.close()


def self_signed(folder):
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return str(certificate), str(key)


class BenchCase(unittest.TestCase):
    profile = QUICK

    @classmethod
    def setUpClass(cls):
        cls.served = emulator(cls.profile)

    @classmethod
    def tearDownClass(cls):
        code = cls.served.stop()
        assert code == 0, f"the emulator ended with {code} on SIGTERM"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.results = self.folder / "results"
        self.file = self.results / "result.json"

    def command(self, *flags, url=None):
        return [STEELYARD, "bench", "--base-url", url or self.served.url, "--save-result", "--result-dir",
                str(self.results), "--result-filename", self.file.name, *map(str, flags)]

    def bench(self, *flags, url=None):
        return subprocess.run(self.command(*flags, url=url), capture_output=True, text=True, timeout=60,
                              env=ENVIRONMENT)

    def result(self, *flags, url=None, code=0):
        """What the file says that a run leaves which ends with `code`."""
        ended = self.bench(*flags, url=url)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.output = ended.stdout
        return json.loads(self.file.read_text())

    def refused(self, code, *flags, url=None):
        """The one line of a run that is refused and leaves nothing behind."""
        ended = self.bench(*flags, url=url)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(ended.stdout, "")
        self.assertRegex(ended.stderr, r"\Aerror: [^\n]+\n\Z")
        left = list(self.results.iterdir()) if self.results.is_dir() else []
        self.assertEqual(left, [])
        return ended.stderr

    def written(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return path


class Figures(BenchCase):
    profile = "ttft: {p50: 100ms, p99: 180ms}\nitl: {p50: 20ms, p99: 40ms}\nslots: 256\n"

    def measured_in_peace(self):
        """The result and the truth of five rounds of 200 streams; again, where the certificate doubts them:
        what else ran on the machine at the time is not what is tested."""
        for _ in range(3):
            DIRECT.open(urllib.request.Request(self.served.url + "/truth", method="DELETE")).close()
            result = self.result("--num-prompts", 1000, "--max-concurrency", 200, "--random-input-len", 32,
                                 "--random-output-len", 40)
            truth = json.loads(self.served.get("/truth/summary"))
            if result["steelyard"]["certificate"]["verdict"] == "valid":
                break
        return result, truth

    def test_the_servers_truth_is_met_within_a_millisecond(self):
        result, truth = self.measured_in_peace()
        self.assertEqual((truth["completed"], truth["failed"]), (1000, 0))
        self.assertEqual((result["completed"], result["failed"]), (1000, 0))
        self.assertEqual(result["total_output_tokens"], truth["output_tokens"])
        self.assertEqual(result["steelyard"]["itl_ms"]["n"], truth["itl_ms"]["n"])
        for metric in ("ttft_ms", "itl_ms"):
            for percentile in ("p50", "p99"):
                with self.subTest(metric=metric, percentile=percentile):
                    self.assertAlmostEqual(result[f"{percentile}_{metric}"], truth[metric][percentile], delta=1)
        # And the emulator was as slow as it was told to be: the truth is no empty one.
        self.assertGreater(result["p50_ttft_ms"], 90)
        self.assertGreater(result["p99_ttft_ms"], 150)
        self.assertGreater(result["p50_itl_ms"], 18)
        self.assertGreater(result["p99_itl_ms"], 35)


class BadInput(BenchCase):
    def test_flags(self):
        for flag, said in [(["--max-concurency", "4"], "--max-concurrency"),
                           (["--duration", "5"], "unit"),
                           (["--request-rate", "-1"], "-1"),
                           (["--request-rate", "abc"], "abc"),
                           (["--request-rate", "0.0000000001"], "from 0.000001"),
                           (["--request-rate", "0.01/d"], "from 0.000001"),
                           (["--max-concurrency", "0"], "--max-concurrency"),
                           (["--max-concurrency", "1000001"], "from 1 to 1000000"),
                           (["--num-warmups", "-1"], "from 0 to 10000"),
                           (["--num-warmups", "10001"], "from 0 to 10000"),
                           (["--connect-timeout", "0s"], "--connect-timeout"),
                           (["--request-timeout", "0s"], "--request-timeout"),
                           (["--duration", "0s"], "--duration"),
                           (["--extra-body", "{nope"], "--extra-body"),
                           (["--extra-body", "[1]"], "--extra-body"),
                           (["--stop-when-p99-within", "5"], "--stop-when-p99-within"),
                           (["--stop-when-p99-within", "100%"], "less than 100%"),
                           (["--definitions", "vllm,wrk"], "no tool 'wrk' is known"),
                           (["--header", "no header field"], "--header")]:
            with self.subTest(flag=flag):
                self.assertIn(said, self.refused(2, "--num-prompts", 2, *SHORT, *flag))

    def test_what_does_not_fit_in_memory(self):
        for flags, said in [(["--num-prompts", "10000001"], "from 1 to 10000000"),
                            (["--random-input-len", "10000001"], "from 1 to 10000000"),
                            (["--random-output-len", "10000001"], "--random-output-len")]:
            with self.subTest(flags=flags):
                self.assertIn(said, self.refused(2, *flags))

    def test_base_url(self):
        for url in ("no url at all", "ftp://127.0.0.1:8000", "http://", "http://127.0.0.1:99999"):
            with self.subTest(url=url):
                self.assertIn("--base-url", self.refused(2, url=url))

    def test_dataset_files(self):
        missing = self.folder / "missing.json"
        for name in ("sharegpt", "trace"):
            with self.subTest(missing=name):
                said = self.refused(2, "--dataset-name", name, "--dataset-path", missing)
                self.assertIn(str(missing), said)
        broken = self.written("broken.json", '[{"conversations": [{"from": "human", "value": "cut')
        self.assertIn(str(broken), self.refused(2, "--dataset-name", "sharegpt", "--dataset-path", broken))
        trace = self.written("trace.csv", "# a comment\narrival_s,input_tokens,output_tokens\n0,10,5\n1,ten,5\n")
        self.assertIn(f"{trace}:4:", self.refused(2, "--dataset-name", "trace", "--dataset-path", trace))

    def test_nothing_listens(self):
        port = free_port()
        self.assertIn(str(port), self.refused(3, "--model", MODEL, url=f"http://127.0.0.1:{port}"))
        self.assertIn(str(port), self.refused(3, url=f"http://127.0.0.1:{port}"))
        self.assertIn("no-such-host.invalid",
                      self.refused(3, "--model", MODEL, url="http://no-such-host.invalid:8000"))

    def test_https_to_a_plain_port(self):
        for model in ([], ["--model", MODEL]):
            self.refused(3, *model, url=self.served.url.replace("http://", "https://"))

    def test_unknown_model(self):
        said = self.refused(2, "--model", "no-such-model", "--num-prompts", 2, *SHORT)
        self.assertIn("404", said)
        self.assertIn("no-such-model", said)

    def test_wrong_key_is_401_and_never_shown(self):
        served = emulator(QUICK, api_key="another")
        self.addCleanup(served.stop)
        for model in ([], ["--model", MODEL]):
            with self.subTest(model=model):
                said = self.refused(2, *model, "--api-key", KEY, "--num-prompts", 2, *SHORT, url=served.url)
                self.assertIn("401", said)
                self.assertNotIn(KEY, said)

    def test_right_key_is_never_shown(self):
        served = emulator(QUICK, api_key=KEY)
        self.addCleanup(served.stop)
        flags = ["--api-key", KEY, "--num-prompts", 2, "--save-detailed", "--header", f"X-Key: {KEY}", *SHORT]
        ended = self.bench(*flags, url=served.url)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn(KEY, ended.stdout + ended.stderr + self.file.read_text())

    def test_a_result_that_cannot_be_written(self):
        file = self.written("file", "")
        self.results = file / "results"
        for more in ([], ["--append-result"]):
            with self.subTest(more=more):
                said = self.refused(3, "--num-prompts", 2, *SHORT, *more)
                self.assertIn(str(file), said)
        self.assertEqual(file.read_text(), "")

    def test_a_result_that_cannot_be_written_is_told_before_anything_is_sent(self):
        self.file.mkdir(parents=True)
        listener = Silent()
        self.addCleanup(listener.close)
        ended = self.bench("--model", MODEL, url=listener.url)
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn(f"{self.file}: cannot write: it is a folder", ended.stderr)
        self.assertFalse(listener.asked(0))

    def test_a_place_without_save_result_is_told(self):
        command = [STEELYARD, "bench", "--base-url", self.served.url, "--num-prompts", "2", *SHORT]
        for place in (["--result-dir", str(self.results)], ["--result-filename", str(self.file)]):
            ended = subprocess.run([*command, *place], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual(ended.stderr, f"warning: {place[0]}: no file is written without --save-result\n")
            self.assertFalse(self.file.exists())
        ended = subprocess.run([*command, "--append-result", "--result-filename", str(self.file)],
                               capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(json.loads(self.file.read_text())["completed"], 2)


class Https(BenchCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.certificate, key = self_signed(pathlib.Path(cls.made.name))
        cls.served = emulator(QUICK, "--tls-cert", cls.certificate, "--tls-key", key)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.made.cleanup()

    def test_untrusted_certificate(self):
        for model in ([], ["--model", MODEL]):
            self.assertIn("certificate", self.refused(3, *model, "--num-prompts", 2, *SHORT))

    def test_trusted_and_unverified(self):
        for flags in (["--ca-file", self.certificate], ["--insecure"]):
            with self.subTest(flags=flags):
                result = self.result(*flags, "--num-prompts", 4, "--max-concurrency", 2, *SHORT)
                self.assertEqual((result["completed"], result["failed"]), (4, 0))
                self.assertGreaterEqual(result["p50_ttft_ms"], 5)

    def test_missing_ca_file(self):
        missing = str(self.folder / "missing.pem")
        self.assertIn(missing, self.refused(2, "--ca-file", missing, "--num-prompts", 2, *SHORT))

    def test_trust_for_an_address_without_a_certificate(self):
        plain = self.served.url.replace("https:", "http:")
        for flags in (["--ca-file", self.certificate], ["--insecure"]):
            said = self.refused(2, *flags, "--num-prompts", 2, *SHORT, url=plain)
            self.assertIn(f"{flags[0]}: this address has no certificate (an https --base-url)", said)


class Failures(BenchCase):
    def test_all_fail(self):
        served = emulator(QUICK + "failure_rate: 1\n")
        self.addCleanup(served.stop)
        result = self.result("--num-prompts", 5, "--max-concurrency", 2, *SHORT, url=served.url, code=1)
        self.assertEqual(self.output, "")
        self.assertEqual((result["completed"], result["failed"]), (0, 5))
        self.assertEqual(result["steelyard"]["failures"], {"refused": 5})
        for metric in METRICS:
            for statistic in STATISTICS:
                self.assertIsNone(result[f"{statistic}_{metric}"], f"{statistic}_{metric}")
        for total in ("total_output_tokens", "output_throughput"):
            self.assertIn(result[total], (None, 0))
        self.assertTrue(result["steelyard"]["ttft_with_failures_ms"]["p50"]["never"])

    def test_each_kind_has_its_name(self):
        for kind in ("error_in_band", "truncated", "no_token", "rate_limited"):
            with self.subTest(kind=kind):
                served = emulator(QUICK + f"failure_rate: 0.5\nfailure_kind: {kind}\nseed: 3\n")
                self.addCleanup(served.stop)
                result = self.result("--num-prompts", 40, "--max-concurrency", 8, *SHORT, url=served.url)
                truth = json.loads(served.get("/truth/summary"))
                self.assertEqual(result["steelyard"]["failures"], {kind: truth["failed"]})
                self.assertEqual((result["failed"], result["completed"]), (truth["failed"], truth["completed"]))
                self.assertEqual(result["failed"] + result["completed"], 40)
                self.assertGreater(truth["failed"], 0)


class Interruption(BenchCase):
    def test_ctrl_c_keeps_what_was_measured(self):
        running = subprocess.Popen(self.command("--num-prompts", 5000, "--max-concurrency", 4, *SHORT),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        try:
            until = time.monotonic() + 30
            while json.loads(self.served.get("/truth/summary"))["completed"] < 50:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            output, said = running.communicate(timeout=30)
        finally:
            running.kill()
        self.assertEqual(running.returncode, 0, said)
        self.assertIn("interrupted", said)
        self.assertIn("TTFT", output)
        result = json.loads(self.file.read_text())
        self.assertTrue(result["steelyard"]["interrupted"])
        self.assertGreaterEqual(result["completed"], 50)
        self.assertEqual(result["failed"], 0)
        self.assertGreater(result["steelyard"]["not_sent"], 0)
        self.assertEqual(result["completed"] + result["steelyard"]["abandoned"] + result["steelyard"]["not_sent"],
                         5000)
        self.assertIsNotNone(result["p50_ttft_ms"])


    def test_ctrl_c_is_heard_before_the_measurement(self):
        for flags in (["--ready-check-timeout-sec", "300"], [], ["--model", MODEL, "--num-warmups", "1"],
                      ["--model", MODEL]):
            with self.subTest(flags=flags):
                server = Silent()
                self.addCleanup(server.close)
                running = subprocess.Popen(self.command("--num-prompts", 2, *SHORT, *flags, url=server.url),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           env=ENVIRONMENT)
                try:
                    self.assertTrue(server.asked(30))
                    running.send_signal(signal.SIGINT)
                    output, said = running.communicate(timeout=30)  # the server is waited for up to ten minutes
                finally:
                    running.kill()
                self.assertEqual((running.returncode, output), (3, ""))
                self.assertEqual(said, "error: interrupted before anything was measured\n")
                self.assertFalse(self.file.exists())


class Output(BenchCase):
    def ended(self, stdout=subprocess.PIPE, stderr=subprocess.PIPE, *flags):
        return subprocess.run([STEELYARD, "bench", "--base-url", self.served.url, "--num-prompts", "300",
                               "--max-concurrency", "50", *SHORT, *flags], stdout=stdout, stderr=stderr, text=True,
                              timeout=60, env=ENVIRONMENT)

    def test_a_full_disk_is_no_success(self):
        for flags in ([], ["--json", "--save-detailed"]):  # what fits the buffer, and what does not
            with open("/dev/full", "w") as full, self.subTest(flags=flags):
                ended = self.ended(full, subprocess.PIPE, *flags)
                self.assertEqual(ended.returncode, 3)
                self.assertRegex(ended.stderr, r"\Aerror: stdout: cannot write[^\n]*\n\Z")
        for command in ("--help", "--version"):
            with open("/dev/full", "w") as full, self.subTest(command=command):
                self.assertEqual(subprocess.run([STEELYARD, command], stdout=full, stderr=subprocess.PIPE).returncode, 3)

    def test_a_reader_that_has_left_is_no_failure(self):
        for flags in ([], ["--json", "--save-detailed"]):
            with self.subTest(flags=flags):
                reading, writing = os.pipe()
                os.close(reading)
                ended = self.ended(writing, subprocess.PIPE, *flags)
                os.close(writing)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_stderr_that_takes_nothing_costs_no_measurement(self):
        with open("/dev/full", "w") as full:
            ended = self.ended(subprocess.PIPE, full, "--result-dir", "nowhere")
        self.assertEqual(ended.returncode, 0)
        self.assertIn("300 completed", ended.stdout)


class Runs(BenchCase):
    def truth(self):
        return json.loads(self.served.get("/truth/summary"))

    def test_every_key(self):
        result = self.result("--num-prompts", 20, "--max-concurrency", 4, *SHORT)
        keys = ["completed", "failed", "duration", "total_input_tokens", "total_output_tokens",
                "request_throughput", "output_throughput"]
        keys += [f"{statistic}_{metric}" for statistic in STATISTICS for metric in METRICS]
        for key in keys:
            self.assertIsInstance(result[key], (int, float), key)
        self.assertEqual(result["total_output_tokens"], 20 * 8)
        certificate = result["steelyard"]["certificate"]
        self.assertIn(certificate["verdict"], ("valid", "degraded", "invalid"))
        self.assertIsInstance(certificate["reasons"], list)
        for key in ("client_cpu", "loop_lag_us", "late_sends", "coalesced_reads"):
            self.assertIsInstance(certificate[key], (int, float), key)

    def test_json_on_stdout_is_the_file(self):
        result = self.result("--num-prompts", 3, "--json", *SHORT)
        self.assertEqual(json.loads(self.output), result)

    def test_connecting_is_timed_apart(self):
        result = self.result("--num-prompts", 20, "--max-concurrency", 4, "--save-detailed", *SHORT)
        connections = result["steelyard"]["connections"]
        self.assertEqual(connections["opened"], 4)
        self.assertGreater(connections["connect_ms_p50"], 0)
        self.assertGreaterEqual(connections["connect_ms_p99"], connections["connect_ms_p50"])
        self.assertEqual(connections["request_connect_ms"], [None] * 20)  # all were open at the start
        result = self.result("--num-prompts", 20, "--max-concurrency", 4, "--save-detailed",
                             "--connection-reuse", "per-request", *SHORT)
        connections = result["steelyard"]["connections"]
        self.assertEqual(connections["opened"], 20)
        self.assertEqual([time for time in connections["request_connect_ms"] if not time], [])
        result = self.result("--num-prompts", 20, "--save-detailed", *SHORT)
        connections = result["steelyard"]["connections"]
        self.assertEqual(connections["opened"], 20)
        waited = [time for time in connections["request_connect_ms"] if time is not None]
        self.assertEqual(len(waited), 19)  # one was open at the start

    def test_trace(self):
        before = self.truth()
        trace = REPOSITORY / "docs/examples/azure-conv-2023.csv"
        rows = [line.split(",") for line in trace.read_text().splitlines() if line[:1].isdigit()][:12]
        result = self.result("--dataset-name", "trace", "--dataset-path", trace, "--time-scale", 0.001,
                             "--num-prompts", 12)
        self.assertEqual(result["completed"], 12)
        self.assertEqual(result["total_output_tokens"], sum(int(row[2]) for row in rows))
        self.assertEqual(self.truth()["completed"] - before["completed"], 12)

    def test_sharegpt(self):
        turns = [{"conversations": [{"from": "human", "value": f"Question number {i}: why?"},
                                    {"from": "gpt", "value": "Because it has always been so, they say."}]}
                 for i in range(6)]
        path = self.written("sharegpt.json", json.dumps(turns))
        flags = ["--dataset-name", "sharegpt", "--dataset-path", path]
        result = self.result(*flags, "--num-prompts", 6, "--output-len", 7)
        self.assertEqual((result["completed"], result["total_output_tokens"]), (6, 42))
        result = self.result(*flags)
        self.assertEqual((result["completed"], result["num_prompts"]), (6, 6))

    def test_no_stream_has_no_ttft(self):
        result = self.result("--no-stream", "--num-prompts", 6, *SHORT)
        self.assertEqual((result["completed"], result["failed"]), (6, 0))
        for metric in ("ttft_ms", "tpot_ms", "itl_ms"):
            for statistic in STATISTICS:
                self.assertIsNone(result[f"{statistic}_{metric}"], f"{statistic}_{metric}")
        self.assertGreaterEqual(result["p50_e2el_ms"], 12)  # 5 ms, and seven times 1 ms
        self.assertEqual(result["total_output_tokens"], 48)

    def test_warmups_are_in_no_figure(self):
        before = self.truth()
        result = self.result("--num-warmups", 7, "--num-prompts", 5, *SHORT)
        self.assertEqual((result["completed"], result["num_prompts"], result["steelyard"]["due"]), (5, 5, 5))
        self.assertEqual(result["total_output_tokens"], 40)
        self.assertEqual(self.truth()["completed"] - before["completed"], 12)

    def test_duration_is_kept_whatever_the_rate(self):
        began = time.monotonic()
        result = self.result("--duration", "1s", "--request-rate", "0.01", "--burstiness", "inf", "--num-prompts",
                             3, *SHORT)
        self.assertLess(time.monotonic() - began, 30)  # the second request would be due after 100 s
        self.assertEqual((result["completed"], result["steelyard"]["not_sent"]), (1, 2))

    def test_append_adds_a_line(self):
        for _ in range(3):
            ended = self.bench("--append-result", "--num-prompts", 2, *SHORT)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        lines = self.file.read_text().splitlines()
        self.assertEqual([json.loads(line)["completed"] for line in lines], [2, 2, 2])

    def test_sla(self):
        met = self.result("--sla", "ttft<10s", "--num-prompts", 4, *SHORT)
        self.assertTrue(met["steelyard"]["sla"]["met"])
        missed = self.result("--sla", "ttft<1ms", "--num-prompts", 4, *SHORT, code=1)
        self.assertFalse(missed["steelyard"]["sla"]["met"])
        self.assertEqual(missed["completed"], 4)
        self.assertTrue(missed["steelyard"]["sla"]["reasons"])

    def test_stops_when_the_p99_is_sure_enough(self):
        flags = ["--max-concurrency", 1, "--random-input-len", 8, "--random-output-len", 2]
        narrow = self.result("--num-prompts", 20000, "--stop-when-p99-within", "99%", *flags)
        ours = narrow["steelyard"]
        self.assertEqual(ours["ended"], "p99_within")
        self.assertTrue(ours["stop_rule"]["reached"])
        self.assertLessEqual(ours["stop_rule"]["p99_half_width"], 0.99)
        self.assertGreaterEqual(narrow["completed"], 200)
        self.assertEqual(ours["not_sent"], 20000 - ours["due"])
        self.assertFalse(ours["interrupted"])
        bounded = self.result("--num-prompts", 20, "--stop-when-p99-within", "0.001%", *flags)["steelyard"]
        self.assertEqual((bounded["ended"], bounded["due"]), ("all_sent", 20))
        self.assertFalse(bounded["stop_rule"]["reached"])
        self.assertIsNone(bounded["stop_rule"]["p99_half_width"])

    def test_definitions_of_other_tools(self):
        result = self.result("--num-prompts", 10, "--definitions", "vllm,guidellm", "--goodput", "ttft:10000", *SHORT)
        vllm, guidellm = result["steelyard"]["by_definition"]
        self.assertEqual((vllm["tool"], guidellm["tool"]), ("vllm", "guidellm"))
        self.assertGreater(vllm["itl_ms"]["n"], result["steelyard"]["icl_ms"]["n"])  # the finish chunk too
        self.assertEqual(guidellm["itl_ms"]["n"], result["total_output_tokens"] - 10)  # it weighs by tokens
        self.assertGreater(guidellm["tpot_ms"]["p50"], vllm["tpot_ms"]["p50"])  # it counts the wait for the first
        self.assertGreater(vllm["goodput"], 0)
        self.assertIsNone(guidellm["goodput"])
        every = self.result("--num-prompts", 2, "--definitions", "all", *SHORT)["steelyard"]["by_definition"]
        self.assertEqual(len(every), 10)

    def test_lengths_are_checked_against_usage(self):
        lengths = self.result("--num-prompts", 4, *SHORT)["steelyard"]["lengths"]
        self.assertEqual((lengths["asked_output"]["total"], lengths["output"]["total"]), (32, 32))
        self.assertEqual((lengths["osl_mismatch"], lengths["unknown"]), (0, 0))

    def test_several_tokens_a_chunk(self):
        served = emulator("ttft: {p50: 5ms}\nitl: {p50: 20ms}\ntokens_per_chunk: 4\n")
        self.addCleanup(served.stop)
        result = self.result("--num-prompts", 5, "--random-input-len", 8, "--random-output-len", 40,
                             url=served.url)
        # The first chunk's four tokens have no chunk before them; the other nine have 20 ms for four.
        self.assertEqual(result["steelyard"]["itl_ms"]["n"], 5 * 36)
        self.assertEqual(result["steelyard"]["icl_ms"]["n"], 5 * 9)
        self.assertAlmostEqual(result["mean_itl_ms"], 5, delta=0.5)
        self.assertAlmostEqual(result["mean_tpot_ms"], 180 / 39, delta=0.5)
        self.assertEqual(result["steelyard"]["itl_ms"]["n"],
                         json.loads(served.get("/truth/summary"))["itl_ms"]["n"])


if __name__ == "__main__":
    unittest.main()
