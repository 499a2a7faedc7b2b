"""The official OpenAI client against `steelyard emulate openai`: what it must understand and refuse.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/openai_sdk_test.py build/release/steelyard
"""
import asyncio
import json
import os
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import openai

from served import DIRECT, Served

STEELYARD = sys.argv.pop(1)
MODEL = "emulated/small-chat"
TTFT_S, ITL_S, SLOTS = 0.060, 0.005, 8
PROFILE = f"""\
name: emulated-small
model: {MODEL}
ttft: {{p50: 60ms, p99: 60ms}}
itl: {{p50: 5ms, p99: 5ms}}
slots: {SLOTS}
seed: 1
"""
QUESTION = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why does the tide turn?"}]
QUESTION_WORDS = 7  # the emulator's tokens are words


def emulator(extra="", api_key=""):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as profile:
        profile.write(PROFILE + extra)
        profile.flush()
        environment = {**os.environ, "STEELYARD_EMULATE_API_KEY": api_key}
        return Served([STEELYARD, "emulate", "openai", "--profile", profile.name, "--port", "0"], environment)


def client_of(served, kind=openai.OpenAI, api_key="any", path="/v1", **options):
    return kind(base_url=served.url + path, api_key=api_key, max_retries=0, timeout=60, **options)


def words(text):
    return len(text.split())


class WithEmulator(unittest.TestCase):
    extra = ""
    api_key = ""

    @classmethod
    def setUpClass(cls):
        cls.served = emulator(cls.extra, cls.api_key)
        cls.client = client_of(cls.served)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        code = cls.served.stop()
        assert code == 0, f"the emulator ended with {code} on SIGTERM"

    def ask(self, **options):
        return self.client.chat.completions.create(model=MODEL, messages=QUESTION, **options)


class Answers(WithEmulator):
    def test_models(self):
        models = self.client.models.list().data
        self.assertEqual([(model.id, model.object) for model in models], [(MODEL, "model")])

    def test_chat(self):
        answer = self.ask(max_completion_tokens=12, temperature=0, extra_body={"ignore_eos": True})
        self.assertEqual(answer.object, "chat.completion")
        self.assertEqual(answer.model, MODEL)
        [choice] = answer.choices
        self.assertEqual((choice.index, choice.finish_reason), (0, "length"))
        self.assertEqual((choice.message.role, words(choice.message.content)), ("assistant", 12))
        self.assert_usage(answer.usage, QUESTION_WORDS, 12)

    def test_completion(self):
        answer = self.client.completions.create(model=MODEL, prompt="the tide turns", max_tokens=9)
        self.assertEqual(answer.object, "text_completion")
        [choice] = answer.choices
        self.assertEqual((choice.finish_reason, words(choice.text)), ("length", 9))
        self.assert_usage(answer.usage, 3, 9)

    def test_chat_stream(self):
        sent = time.monotonic()
        first = None
        chunks = []
        for chunk in self.ask(max_tokens=10, stream=True, stream_options={"include_usage": True}):
            if first is None and chunk.choices and chunk.choices[0].delta.content:
                first = time.monotonic() - sent
            chunks.append(chunk)
        took = time.monotonic() - sent

        *body, last = chunks
        self.assertEqual(body[0].choices[0].delta.role, "assistant")
        pieces = [chunk.choices[0].delta.content for chunk in body if chunk.choices[0].delta.content]
        self.assertEqual([words(piece) for piece in pieces], [1] * 10)
        self.assertEqual([chunk.choices[0].finish_reason for chunk in body if chunk.choices[0].finish_reason],
                         ["length"])
        self.assertEqual({chunk.id for chunk in chunks}, {chunks[0].id})
        self.assertEqual([chunk.usage for chunk in body], [None] * len(body))
        self.assertEqual(last.choices, [])
        self.assert_usage(last.usage, QUESTION_WORDS, 10)
        # A busy machine makes these longer, never shorter.
        self.assertGreaterEqual(first, TTFT_S)
        self.assertGreaterEqual(took, TTFT_S + 9 * ITL_S)

    def test_completion_stream(self):
        chunks = list(self.client.completions.create(
            model=MODEL, prompt="the tide turns", max_tokens=7, stream=True,
            stream_options={"include_usage": True}))
        *body, last = chunks
        self.assertEqual(words("".join(chunk.choices[0].text for chunk in body)), 7)
        self.assertEqual(body[-1].choices[0].finish_reason, "length")
        self.assertEqual(last.choices, [])
        self.assert_usage(last.usage, 3, 7)

    def test_no_usage_where_none_is_asked_for(self):
        chunks = list(self.ask(max_tokens=3, stream=True))
        self.assertTrue(all(chunk.choices and chunk.usage is None for chunk in chunks))

    def test_twenty_streams_through_eight_slots(self):
        before = json.loads(self.served.get("/truth/summary"))["completed"]
        lengths = [10 + number for number in range(20)]
        first_tokens, got = asyncio.run(self.stream_all(lengths))
        self.assertEqual(got, [(length, length) for length in lengths])
        # The shortest takes ttft + 9 itl; the ninth and seventeenth wait for one and two of them.
        shortest = TTFT_S + 9 * ITL_S
        for waited, place in enumerate((0, SLOTS, 2 * SLOTS)):
            self.assertGreaterEqual(sorted(first_tokens)[place], waited * shortest + TTFT_S)
        after = json.loads(self.served.get("/truth/summary"))["completed"]
        self.assertEqual(after - before, 20)

    async def stream_all(self, lengths):
        async with client_of(self.served, openai.AsyncOpenAI) as client:
            started = time.monotonic()

            async def stream(length):
                first, text, usage = None, "", None
                async for chunk in await client.chat.completions.create(
                        model=MODEL, messages=QUESTION, max_tokens=length, stream=True,
                        stream_options={"include_usage": True}):
                    if chunk.choices and chunk.choices[0].delta.content:
                        first = first or time.monotonic() - started
                        text += chunk.choices[0].delta.content
                    usage = chunk.usage or usage
                return first, (words(text), usage.completion_tokens)

            results = await asyncio.gather(*(stream(length) for length in lengths))
        return [first for first, _ in results], [counts for _, counts in results]

    def test_metrics_and_health(self):
        self.ask(max_tokens=1)
        metrics = self.served.get("/metrics")
        for name in ("vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:generation_tokens_total",
                     "vllm:time_to_first_token_seconds_count"):
            self.assertIn(name, metrics)
        self.served.get("/health")

    def assert_usage(self, usage, prompt, completion):
        self.assertEqual((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens),
                         (prompt, completion, prompt + completion))


class Refusals(WithEmulator):
    def test_unknown_model(self):
        with self.assertRaises(openai.NotFoundError) as raised:
            self.client.chat.completions.create(model="no/such-model", messages=QUESTION)
        self.assertIn("no/such-model", raised.exception.body["message"])

    def test_unknown_path(self):
        with self.assertRaises(openai.NotFoundError):
            client_of(self.served, path="/v2").models.list()

    def test_no_messages(self):
        with self.assertRaises(openai.BadRequestError) as raised:
            self.client.chat.completions.create(model=MODEL, messages=[])
        self.assertIn("messages", raised.exception.body["message"])

    def test_no_room_for_a_token(self):
        with self.assertRaises(openai.BadRequestError):
            self.ask(max_tokens=0)

    def test_malformed_json_gets_an_error_of_openais_shape(self):
        for path in ("/v1/chat/completions", "/v1/completions"):
            request = urllib.request.Request(self.served.url + path, data=b'{"model": "', method="POST")
            with self.assertRaises(urllib.error.HTTPError) as raised:
                DIRECT.open(request, timeout=30)
            with raised.exception as answer:
                self.assertEqual(answer.code, 400)
                self.assertEqual(set(json.load(answer)["error"]), {"message", "type", "param", "code"})


class Keys(WithEmulator):
    api_key = "the-right-key"

    def test_wrong_key(self):
        with self.assertRaises(openai.AuthenticationError):
            self.ask(max_tokens=1)
        with self.assertRaises(openai.AuthenticationError):
            self.client.models.list()

    def test_right_key(self):
        with client_of(self.served, api_key=self.api_key) as client:
            answer = client.chat.completions.create(model=MODEL, messages=QUESTION, max_tokens=2)
            self.assertEqual(answer.usage.completion_tokens, 2)


class Unavailable(WithEmulator):
    extra = "failure_rate: 1\n"

    def test_503(self):
        for stream in (False, True):
            with self.assertRaises(openai.InternalServerError) as raised:
                self.ask(max_tokens=1, stream=stream)
            self.assertEqual(raised.exception.status_code, 503)


class RateLimited(WithEmulator):
    extra = "failure_rate: 1\nfailure_kind: rate_limited\n"

    def test_429(self):
        with self.assertRaises(openai.RateLimitError) as raised:
            self.ask(max_tokens=1)
        self.assertGreaterEqual(int(raised.exception.response.headers["retry-after"]), 1)


class ErrorInBand(WithEmulator):
    extra = "failure_rate: 1\nfailure_kind: error_in_band\n"

    def test_it_is_raised_within_the_stream(self):
        seen = []
        with self.assertRaises(openai.APIError) as raised:
            for chunk in self.ask(max_tokens=20, stream=True):
                seen.append(chunk)
        self.assertNotIsInstance(raised.exception, openai.APIStatusError)  # the status was 200
        self.assertTrue(seen)


class Truncated(WithEmulator):
    extra = "failure_rate: 1\nfailure_kind: truncated\n"

    def test_the_client_sees_that_the_stream_was_cut(self):
        seen = []
        with self.assertRaises(Exception) as raised:
            for chunk in self.ask(max_tokens=20, stream=True):
                seen.append(chunk)
        self.assertRegex(repr(raised.exception), "RemoteProtocolError|APIConnectionError")
        self.assertTrue(seen)


class NoToken(WithEmulator):
    extra = "failure_rate: 1\nfailure_kind: no_token\n"

    def test_the_stream_ends_well_and_holds_nothing(self):
        chunks = list(self.ask(max_tokens=20, stream=True))
        self.assertFalse(any(chunk.choices[0].delta.content for chunk in chunks if chunk.choices))


if __name__ == "__main__":
    print(f"openai {openai.__version__}")
    unittest.main(verbosity=2)
