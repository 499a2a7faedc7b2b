"""bench through a proxy that the environment names: a small one, before the emulator. The endpoint's name exists
nowhere, so that only a client which leaves finding it to the proxy gets there.

  python3 tests/real/proxy_cli_test.py build/release/steelyard
"""
import json
import os
import pathlib
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest

from served import Served

STEELYARD = str(pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/steelyard").resolve())
NAME = "model.invalid"
PASSWORD = "c2VjcmV0LXdvcmQ6aGVyZQ"
MARKS = ("proxy", "openai_api_key", "steelyard")
CLEAN = {name: value for name, value in os.environ.items() if not any(mark in name.lower() for mark in MARKS)}


def pump(source, sink):
    try:
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        lines = []
        while (line := self.rfile.readline().decode().rstrip("\r\n")) != "":
            lines.append(line)
        if not lines:
            return
        self.server.heads.append(lines)
        if self.server.authorization and f"Proxy-Authorization: {self.server.authorization}" not in lines:
            self.wfile.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        method, target, version = lines[0].split(" ")
        with socket.create_connection(("127.0.0.1", self.server.to_port)) as onward:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                kept = [line for line in lines[1:] if not line.startswith("Proxy-")]
                # One request a connection: what follows on it would go on as it is.
                head = [f"{method} {path} {version}", *kept, "Connection: close"]
                onward.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
            back = threading.Thread(target=pump, args=(onward, self.connection))
            back.start()
            while piece := self.rfile.read1():
                onward.sendall(piece)
            back.join()


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, to_url, authorization=""):
        super().__init__(("127.0.0.1", 0), Handler)
        self.to_port = int(to_url.rsplit(":", 1)[1])
        self.authorization = authorization
        self.heads = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"


class ProxyCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def emulator(self, *flags):
        served = Served([STEELYARD, "emulate", "openai", "--ttft", "5ms", "--itl", "1ms", "--port", "0", *flags], CLEAN)
        self.addCleanup(served.stop)
        return served.url

    def proxy(self, to_url, authorization=""):
        proxy = Proxy(to_url, authorization)
        self.addCleanup(proxy.server_close)
        self.addCleanup(proxy.shutdown)
        return proxy

    def bench(self, url, environment, *flags):
        command = [STEELYARD, "bench", "--base-url", url, "--num-prompts", "4", "--max-concurrency", "2",
                   "--random-input-len", "8", "--random-output-len", "8", *flags]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**CLEAN, **environment})
        self.assertNotIn(PASSWORD, ended.stdout + ended.stderr)
        return ended

    def test_http_by_the_whole_url(self):
        proxy = self.proxy(self.emulator())
        ended = self.bench(f"http://{NAME}:8000", {"HTTP_PROXY": f"http://{proxy.address}"}, "--json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        result = json.loads(ended.stdout)
        self.assertEqual(result["completed"], 4)
        self.assertEqual(result["steelyard"]["connections"]["proxy"], f"http://{proxy.address}")
        first = {lines[0] for lines in proxy.heads}
        self.assertEqual(first, {f"GET http://{NAME}:8000/v1/models HTTP/1.1",
                                 f"POST http://{NAME}:8000/v1/chat/completions HTTP/1.1"})

    def evaluated(self, environment, *flags):
        suite = self.folder / "suite.yaml"
        suite.write_text("name: s\nworkload: {dataset: random, requests: 4, rounds: 1, input_tokens: 8, output_tokens: 8,"
                         " max_concurrency: 2}\nsla: {terms: [\"ttft<10s\"], target: 50%}\nplatforms:\n"
                         f"  - {{name: far, base_url: 'http://{NAME}:8000', model: emulated-model,"
                         " offer: {price: 1 USD/h, source: made up, date: '2026-12-01'}}\n")
        return subprocess.run([STEELYARD, "evaluate", suite, "--out", self.folder, "--store", "none", "--quiet", *flags],
                              capture_output=True, text=True, timeout=60, env={**CLEAN, **environment})

    def test_evaluate_takes_it_too(self):
        proxy = self.proxy(self.emulator())
        named = {"http_proxy": f"http://{proxy.address}"}
        ended = self.evaluated(named)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        self.assertEqual({lines[0] for lines in proxy.heads}, {f"POST http://{NAME}:8000/v1/chat/completions HTTP/1.1"})
        self.assertEqual(self.evaluated(named, "--no-proxy").returncode, 3)
        self.assertEqual(self.evaluated({"http_proxy": "socks5://127.0.0.1:9"}).returncode, 2)

    def test_https_through_a_tunnel_with_a_password(self):
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key,
                        "-out", certificate], check=True, capture_output=True)
        url = self.emulator("--tls-cert", str(certificate), "--tls-key", str(key))
        proxy = self.proxy(url, "Basic bWU6YzJWamNtVjBMWGR2Y21RNmFHVnlaUQ==")
        named = {"https_proxy": f"http://me:{PASSWORD}@{proxy.address}"}
        ended = self.bench(f"https://{NAME}", named, "--ca-file", str(certificate))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"through the proxy http://{proxy.address}", ended.stdout)
        self.assertIn("4 completed, 0 failed", ended.stdout)
        self.assertEqual({lines[0] for lines in proxy.heads}, {f"CONNECT {NAME}:443 HTTP/1.1"})
        ended = self.bench(f"https://{NAME}", {"https_proxy": f"http://me:wrong@{proxy.address}"}, "--model", "m",
                           "--ca-file", str(certificate))
        self.assertEqual(ended.returncode, 3)
        self.assertIn("the proxy refused: HTTP 407", ended.stderr)

    def test_the_loopback_and_no_proxy_and_the_flag_go_directly(self):
        url = self.emulator()
        nowhere = {"http_proxy": "http://127.0.0.1:9"}
        self.assertEqual(self.bench(url, nowhere).returncode, 0)
        for environment, flags in (({**nowhere, "no_proxy": NAME}, []), (nowhere, ["--no-proxy"])):
            ended = self.bench(f"http://{NAME}:8000", environment, *flags)
            self.assertEqual(ended.returncode, 3)
            self.assertIn("has no address", ended.stderr)

    def test_a_proxy_of_another_kind_is_bad_input(self):
        ended = self.bench(f"http://{NAME}:8000", {"http_proxy": f"socks5://me:{PASSWORD}@127.0.0.1:9"})
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"\Aerror: http_proxy: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
