"""bench over HTTP/2 against nghttpx, a real server of it, before the emulator: with prior knowledge, by ALPN,
on many connections and on one a request.

  python3 tests/real/http2_cli_test.py build/release/steelyard
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from served import Served

STEELYARD = str(pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/steelyard").resolve())
MARKS = ("proxy", "openai_api_key", "steelyard")
CLEAN = {name: value for name, value in os.environ.items() if not any(mark in name.lower() for mark in MARKS)}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


class Http2Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.certificate, key = (str(pathlib.Path(folder.name) / name) for name in ("certificate.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        key, "-out", cls.certificate], check=True, capture_output=True)
        emulator = Served([STEELYARD, "emulate", "openai", "--ttft", "20ms", "--itl", "2ms", "--port", "0"], CLEAN)
        cls.addClassCleanup(emulator.stop)
        cls.emulator = emulator.url
        cls.plain, cls.tls = free_port(), free_port()
        server = subprocess.Popen(
            ["nghttpx", f"-f127.0.0.1,{cls.plain};no-tls", f"-f127.0.0.1,{cls.tls}",
             f"-b127.0.0.1,{emulator.url.rsplit(':', 1)[1]}", "--no-ocsp", "--workers=1", "--conf=/dev/null", key,
             cls.certificate], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=CLEAN)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        wait_for(cls.plain)
        wait_for(cls.tls)

    def run_bench(self, url, *flags):
        return subprocess.run(
            [STEELYARD, "bench", "--base-url", url, "--num-prompts", "40", "--max-concurrency", "8", "--quiet",
             "--random-input-len", "8", "--random-output-len", "8", *flags],
            capture_output=True, text=True, timeout=60, env=CLEAN)

    def measured(self, url, *flags):
        ended = self.run_bench(url, "--json", *flags)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        result = json.loads(ended.stdout)
        self.assertEqual((result["completed"], result["failed"]), (40, 0))
        self.assertEqual(result["total_output_tokens"], 320)
        self.assertGreater(result["p50_ttft_ms"], 19)
        return result["steelyard"]["connections"]

    def test_prior_knowledge_on_one_connection(self):
        connections = self.measured(f"http://127.0.0.1:{self.plain}", "--http-version", "2")
        self.assertEqual((connections["http_version"], connections["opened"]), ("2", 1))
        self.assertIsNone(connections["tls_ms_p50"])

    def test_alpn_settles_on_it_and_the_text_says_so(self):
        url = f"https://localhost:{self.tls}"
        trust = ["--ca-file", self.certificate]
        connections = self.measured(url, *trust, "--http-version", "auto", "--http2-streams", "4")
        self.assertEqual((connections["http_version"], connections["opened"]), ("2", 2))
        self.assertGreater(connections["tls_ms_p50"], 0)
        self.assertIn(", HTTP/2\n", self.run_bench(url, *trust, "--http-version", "2").stdout)
        self.assertEqual(self.measured(url, *trust)["http_version"], "1.1")

    def test_one_connection_a_request(self):
        connections = self.measured(f"http://127.0.0.1:{self.plain}", "--http-version", "2", "--connection-reuse",
                                    "per-request")
        self.assertEqual((connections["http_version"], connections["opened"]), ("2", 40))

    def test_without_tls_auto_is_1_1_and_a_server_without_http2_is_named(self):
        self.assertEqual(self.measured(self.emulator, "--http-version", "auto")["http_version"], "1.1")
        ended = self.run_bench(self.emulator, "--http-version", "2")
        self.assertEqual(ended.returncode, 3)
        self.assertRegex(ended.stderr, r"error: [^\n]*HTTP/2")

    def test_bad_flags(self):
        for flags in (["--http-version", "3"], ["--http-version", "2", "--http2-streams", "0"]):
            ended = self.run_bench(self.emulator, *flags)
            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stderr, r"\Aerror: --http[^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
