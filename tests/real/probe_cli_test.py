"""`steelyard inspect --probe` against every emulated platform, and against a server that refuses."""
import base64
import http.server
import json
import os
import subprocess
import sys
import threading
import unittest
import zlib

import jsonschema

from served import Served

STEELYARD, SCHEMA = sys.argv[1:3]
DIRECT = {**os.environ, "no_proxy": "*"}


def probe(url, *arguments, code=0, environment=None):
    done = subprocess.run([STEELYARD, "inspect", "--probe", url, "--json", *arguments], capture_output=True, text=True,
                          timeout=100, env={**DIRECT, **(environment or {})})
    assert done.returncode == code, (done.returncode, done.stderr)
    facts = json.loads(done.stdout)
    with open(SCHEMA, encoding="utf-8") as file:
        jsonschema.Draft202012Validator(json.load(file)).validate(facts)
    return facts


def taken(facts):
    return {field["name"] for field in facts["fields"] if not field["refused"]}


def refused(facts):
    return {field["name"]: field["words"] for field in facts["fields"] if field["refused"]}


class Emulated(unittest.TestCase):
    """Each answers as its platform does: framing, dialect, where the counts stand."""

    def probed(self, platform, *arguments):
        served = Served([STEELYARD, "emulate", platform, "--port", "0", "--ttft", "5ms", "--itl", "2ms"])
        self.addCleanup(served.stop)
        facts = probe(served.url, "--platform", platform, "--model", "emulated-model", *arguments)
        self.assertTrue(facts["emulated"])
        self.assertEqual((facts["requests"], refused(facts)), (1, {}))
        self.assertEqual((facts["answer"]["verdict"], facts["answer"]["output_tokens"]), ("completed", 32))
        return facts

    def assert_found(self, facts, dialect, framing, usage, held):
        found = (facts["answer"]["dialect"], facts["answer"]["framing"], facts["usage_stands"], facts["length_held"])
        self.assertEqual(found, (dialect, framing, usage, held))

    def test_openai_and_vllm(self):
        for platform in ("openai", "vllm"):
            for kind, dialect in (("chat", "openai-chat"), ("completions", "openai")):
                facts = self.probed(platform, "--endpoint-type", kind)
                self.assert_found(facts, dialect, "sse", "in an event of its own, after the last token", True)
                self.assertEqual(facts["tokens_a_chunk"], 1)
                self.assertIn("stream_options.include_usage", taken(facts))

    def test_sglang(self):
        self.assert_found(self.probed("sglang"), "sglang", "sse", "in every event with tokens", True)

    def test_tgi(self):
        self.assert_found(self.probed("tgi"), "tgi", "sse", "in the event with the finish reason", False)

    def test_llama_cpp(self):
        self.assert_found(self.probed("llama.cpp"), "llama.cpp", "sse", "in the event with the finish reason", True)

    def test_ollama(self):
        self.assert_found(self.probed("ollama"), "ollama", "ndjson", "in the event with the finish reason", False)

    def test_triton(self):
        for platform in ("triton", "triton-trtllm"):
            facts = self.probed(platform)
            self.assertEqual((facts["answer"]["framing"], facts["usage_stands"]), ("sse", "none given"))


class Refusing(http.server.BaseHTTPRequestHandler):
    """Refuses what `refuses` says, in words that name it or do not; counts what it was asked."""
    refuses, names, asked = (), True, []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append(body)
        found = [name for name in self.refuses if name in body or name in body.get("stream_options", {})]
        if self.headers.get("Authorization") != "Bearer sesame":
            return self.answer(401, {"error": {"message": "no key"}})
        if found:
            words = f"Unrecognized request argument supplied: {found[0]}" if self.names else "bad request"
            return self.answer(400, {"error": {"message": words}})
        count = 3 if "ignore_eos" not in body else 32
        events = [{"choices": [{"delta": {"content": "yes "}}]}] * count
        events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}]
        if "stream_options" in body:
            events += [{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": count}}]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        return self.answer(200, text, "text/event-stream")

    def answer(self, status, body, kind="application/json"):
        text = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Refused(unittest.TestCase):
    def probed(self, refuses, names=True, key="sesame", code=0):
        handler = type("Handler", (Refusing,), {"refuses": refuses, "names": names, "asked": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        facts = probe(f"http://127.0.0.1:{server.server_port}", "--model", "m", code=code,
                      environment={"OPENAI_API_KEY": key})
        self.assertEqual(facts["requests"], len(handler.asked))
        self.assertNotIn("sesame", json.dumps(facts))
        return facts

    def test_fields_that_are_named(self):
        facts = self.probed(("ignore_eos", "min_tokens"))
        self.assertEqual(set(refused(facts)), {"ignore_eos", "min_tokens"})
        self.assertIn("Unrecognized", refused(facts)["ignore_eos"])
        self.assertEqual(facts["requests"], 3)
        self.assertEqual((facts["length_held"], facts["answer"]["output_tokens"]), (False, 3))
        self.assertIn("seed", taken(facts))

    def test_a_field_that_is_not_named_is_found_by_halves(self):
        facts = self.probed(("return_token_ids",), names=False)
        self.assertEqual(set(refused(facts)), {"return_token_ids"})
        self.assertLessEqual(facts["requests"], 6)
        self.assertTrue(facts["length_held"])

    def test_without_usage_the_chunks_are_counted(self):
        facts = self.probed(("stream_options",))
        self.assertEqual(set(refused(facts)), {"stream_options.include_usage"})
        self.assertEqual(facts["usage_stands"], "none given")
        self.assertEqual(facts["answer"]["output_tokens_from"], "chunks")
        self.assertIsNone(facts["tokens_a_chunk"])

    def test_the_newer_name_of_the_limit(self):
        class Newer(Refusing):
            refuses, asked = ("max_tokens",), []

            def answer(self, status, body, kind="application/json"):
                if status == 400:
                    body = {"error": {"message": "'max_tokens' is not supported. Use 'max_completion_tokens'."}}
                super().answer(status, body, kind)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Newer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        facts = probe(f"http://127.0.0.1:{server.server_port}", "--model", "m", "--api-key", "sesame")
        self.assertEqual((list(refused(facts)), facts["requests"]), (["max_tokens"], 2))
        self.assertIn("max_completion_tokens", Newer.asked[-1])

    def test_a_refusal_that_no_field_helps(self):
        facts = self.probed((), key="wrong", code=1)
        self.assertEqual((facts["answer"]["verdict"], facts["requests"]), ("failed: refused with HTTP 401", 1))
        facts = self.probed(("messages",), names=False, code=1)
        self.assertEqual((facts["answer"]["outcome"], facts["requests"], taken(facts)), ("refused", 2, set()))


def aws_message(kind, payload):
    headers = b"".join(bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2, "big") + value.encode()
                       for name, value in ((":message-type", "event"), (":event-type", kind)))
    body = json.dumps(payload).encode()
    prelude = (16 + len(headers) + len(body)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    message = prelude + zlib.crc32(prelude).to_bytes(4, "big") + headers + body
    return message + zlib.crc32(message).to_bytes(4, "big")


class Bedrock(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body))
        if "converse" in self.path:
            events = [("messageStart", {"role": "assistant"}), ("contentBlockDelta", {"delta": {"text": "Yes."}}),
                      ("messageStop", {"stopReason": "end_turn"}),
                      ("metadata", {"usage": {"inputTokens": 9, "outputTokens": 2}, "metrics": {"latencyMs": 70}})]
        else:
            inner = ({"generation": "Yes.", "stop_reason": None},
                     {"generation": "", "stop_reason": "stop", "amazon-bedrock-invocationMetrics":
                      {"inputTokenCount": 9, "outputTokenCount": 2, "invocationLatency": 70}})
            events = [("chunk", {"bytes": base64.b64encode(json.dumps(event).encode()).decode()}) for event in inner]
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.amazon.eventstream")
        self.end_headers()
        self.wfile.write(b"".join(aws_message(*event) for event in events))

    def log_message(self, *_):
        pass


class OfBedrock(unittest.TestCase):
    def test_both_of_its_protocols(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bedrock)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        keys = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "very-secret", "AWS_REGION": "us-east-1",
                "AWS_SESSION_TOKEN": ""}
        for platform, call in (("bedrock", "converse-stream"), ("bedrock-invoke", "invoke-with-response-stream")):
            facts = probe(f"http://127.0.0.1:{server.server_port}", "--platform", platform, "--model", "meta.llama-v1:0",
                          environment=keys)
            answer = facts["answer"]
            self.assertEqual((answer["verdict"], answer["content"], answer["finish_reason"] is None),
                             ("completed", "Yes.", False))
            self.assertEqual((answer["usage"]["input_tokens"], answer["output_tokens"], answer["server"]["execute_ms"]),
                             (9, 2, 70))
            self.assertFalse(facts["length_held"])
            path, signature, _ = Bedrock.asked[-1]
            self.assertEqual(path, f"/model/meta.llama-v1%3A0/{call}")
            self.assertIn("/us-east-1/bedrock/aws4_request", signature)
            self.assertNotIn("very-secret", json.dumps(facts))


class Wrong(unittest.TestCase):
    def run_it(self, *arguments):
        done = subprocess.run([STEELYARD, "inspect", *arguments], capture_output=True, text=True, timeout=100, env=DIRECT)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        return done.returncode, done.stderr

    def test_one_line_each(self):
        self.assertEqual(self.run_it()[0], 2)
        self.assertEqual(self.run_it("x.sse", "--probe", "http://127.0.0.1:9")[0], 2)
        code, words = self.run_it("--probe", "no url")
        self.assertEqual(code, 2)
        self.assertIn("--probe", words)
        self.assertEqual(self.run_it("--probe", "http://127.0.0.1:9", "--model", "m")[0], 3)
        self.assertEqual(self.run_it("--probe", "http://127.0.0.1:9", "--platform", "triton")[0], 2)
        code, words = self.run_it("--probe", "http://127.0.0.1:9", "--platform", "replicate", "--model", "a/b",
                                  "--api-key", "k")
        self.assertEqual(code, 2)
        self.assertIn("more than one exchange", words)


unittest.main(argv=sys.argv[:1])
