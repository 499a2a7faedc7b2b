"""NVIDIA's tritonclient against `steelyard emulate triton`. It has no call for the generate extension: its own
connection sends that, and a stream is read by requests.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/triton_sdk_test.py build/release/steelyard
"""
import json
import sys
import unittest

import emulated
from emulated import FAILS, MODEL, QUESTION, Timed, words

import requests
import tritonclient.http
from tritonclient.utils import InferenceServerException

STEELYARD = sys.argv.pop(1)


class WithTriton(emulated.WithEmulator):
    steelyard = STEELYARD
    platform = "triton"

    @classmethod
    def connect(cls, api_key):
        client = tritonclient.http.InferenceServerClient(cls.served.url.removeprefix("http://"))
        cls.addClassCleanup(client.close)
        return client

    def body(self, tokens):
        return {"text_input": QUESTION, "parameters": {"max_tokens": tokens, "stream": True, "temperature": 0}}

    def events(self, tokens):
        session = requests.Session()
        session.trust_env = False
        with session.post(f"{self.served.url}/v2/models/{MODEL}/generate_stream", json=self.body(tokens),
                          stream=True, timeout=60) as answer:
            answer.raise_for_status()
            self.assertTrue(answer.headers["content-type"].startswith("text/event-stream"))
            for line in answer.iter_lines(chunk_size=1):
                if line:
                    yield json.loads(line.removeprefix(b"data: "))


class Answers(WithTriton):
    def test_it_lives_and_knows_its_model(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready(MODEL))
        self.assertTrue(self.client.is_model_ready(MODEL, "1"))
        self.assertFalse(self.client.is_model_ready("no-such-model"))
        self.assertIn("generate", self.client.get_server_metadata()["extensions"])
        metadata = self.client.get_model_metadata(MODEL)
        self.assertEqual((metadata["name"], metadata["versions"]), (MODEL, ["1"]))

    def test_generate(self):
        answer = self.client._post(f"v2/models/{MODEL}/generate", json.dumps(self.body(5)), None, None)
        self.assertEqual(answer.status_code, 200)
        said = json.loads(answer.read())
        self.assertEqual((said["model_name"], words(said["text_output"])), (MODEL, 5))

    def test_generate_stream(self):
        timed = Timed(self.events(8), lambda event: event["text_output"])
        self.assert_stream(timed, 8)
        self.assertEqual({event["model_name"] for event in timed.chunks}, {MODEL})

    def test_unknown_model(self):
        with self.assertRaises(InferenceServerException):
            self.client.get_model_metadata("no-such-model")
        answer = self.client._post("v2/models/no-such-model/generate", json.dumps(self.body(5)), None, None)
        self.assertEqual(answer.status_code, 404)
        self.assertIn("no-such-model", json.loads(answer.read())["error"])


class ErrorInBand(WithTriton):
    extra = FAILS + "error_in_band\n"

    def test_it_comes_after_tokens_on_a_200(self):
        *body, last = self.events(20)
        self.assertTrue(body and all("text_output" in event for event in body))
        self.assertIn("error", last)


class Truncated(WithTriton):
    extra = FAILS + "truncated\n"

    def test_the_stream_is_cut(self):
        with self.assertRaises(requests.exceptions.ChunkedEncodingError):
            list(self.events(20))


if __name__ == "__main__":
    unittest.main(verbosity=2)
