"""Ollama's own Python client against `steelyard emulate ollama`.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/ollama_sdk_test.py build/release/steelyard
"""
import asyncio
import sys
import unittest

import emulated
from emulated import FAILS, MODEL, QUESTION, QUESTION_WORDS, Timed, words

import ollama

STEELYARD = sys.argv.pop(1)
MESSAGES = [{"role": "user", "content": QUESTION}]


class WithOllama(emulated.WithEmulator):
    steelyard = STEELYARD
    platform = "ollama"

    @classmethod
    def connect(cls, api_key):
        return ollama.Client(host=cls.served.url)

    def chat(self, tokens, **more):
        return self.client.chat(model=MODEL, messages=MESSAGES, options={"num_predict": tokens}, **more)


class Answers(WithOllama):
    def check_counts(self, last, tokens):
        self.assertTrue(last.done)
        self.assertEqual((last.done_reason, last.prompt_eval_count, last.eval_count),
                         ("length", QUESTION_WORDS, tokens))
        self.assertGreater(last.total_duration, 0)

    def test_chat(self):
        answer = self.chat(7)
        self.assertEqual((answer.message.role, words(answer.message.content)), ("assistant", 7))
        self.check_counts(answer, 7)

    def test_chat_stream(self):
        timed = Timed(self.chat(9, stream=True), lambda chunk: chunk.message.content)
        self.assert_stream(timed, 9)
        self.assertEqual([chunk.done for chunk in timed.chunks], [False] * 9 + [True])
        self.check_counts(timed.chunks[-1], 9)

    def test_generate(self):
        answer = self.client.generate(model=MODEL, prompt=QUESTION, options={"num_predict": 4})
        self.assertEqual(words(answer.response), 4)
        self.check_counts(answer, 4)

    def test_generate_stream(self):
        timed = Timed(self.client.generate(model=MODEL, prompt=QUESTION, options={"num_predict": 6}, stream=True),
                      lambda chunk: chunk.response)
        self.assert_stream(timed, 6)
        self.check_counts(timed.chunks[-1], 6)

    def test_streams_side_by_side(self):
        async def one(client, tokens):
            last, text = None, ""
            async for last in await client.chat(model=MODEL, messages=MESSAGES, stream=True,
                                                options={"num_predict": tokens}):
                text += last.message.content
            return words(text), last.eval_count

        async def all_of(lengths):
            client = ollama.AsyncClient(host=self.served.url)
            return await asyncio.gather(*(one(client, tokens) for tokens in lengths))

        lengths = [5 + number for number in range(12)]
        before = self.truth()["completed"]
        self.assertEqual(asyncio.run(all_of(lengths)), [(length, length) for length in lengths])
        self.assertEqual(self.truth()["completed"] - before, len(lengths))

    def test_models(self):
        self.assertEqual([model.model for model in self.client.list().models], [MODEL])
        self.assertEqual([model.model for model in self.client.ps().models], [MODEL])


class Refusals(WithOllama):
    def test_unknown_model(self):
        with self.assertRaises(ollama.ResponseError) as raised:
            self.client.chat(model="no/such-model", messages=MESSAGES)
        self.assertEqual(raised.exception.status_code, 404)
        self.assertIn("no/such-model", raised.exception.error)

    def test_a_limit_that_is_none(self):
        with self.assertRaises(ollama.ResponseError) as raised:
            self.chat(-7)
        self.assertEqual(raised.exception.status_code, 400)


class Overloaded(WithOllama):
    extra = FAILS + "unavailable\n"

    def test_503(self):
        for stream in (False, True):
            with self.assertRaises(ollama.ResponseError) as raised:
                Timed(self.chat(3, stream=stream), lambda chunk: None)
            self.assertEqual(raised.exception.status_code, 503)


class ErrorInBand(WithOllama):
    extra = FAILS + "error_in_band\n"

    def test_it_is_raised_after_tokens(self):
        seen = []
        with self.assertRaises(ollama.ResponseError):
            for chunk in self.chat(20, stream=True):
                seen.append(chunk)
        self.assertTrue(seen)


class Truncated(WithOllama):
    extra = FAILS + "truncated\n"

    def test_the_client_sees_that_the_stream_was_cut(self):
        with self.assertRaises(Exception) as raised:
            Timed(self.chat(20, stream=True), lambda chunk: None)
        self.assertRegex(repr(raised.exception), "RemoteProtocolError|ConnectionError|incomplete")


if __name__ == "__main__":
    unittest.main(verbosity=2)
