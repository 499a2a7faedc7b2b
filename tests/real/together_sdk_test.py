"""Together AI's client against the emulator of the protocol that Together speaks.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/together_sdk_test.py build/release/steelyard
"""
import sys
import unittest

import emulated
from emulated import FAILS, MODEL, QUESTION, QUESTION_WORDS, Timed, words

import together

STEELYARD = sys.argv.pop(1)
MESSAGES = [{"role": "user", "content": QUESTION}]


class WithTogether(emulated.WithEmulator):
    steelyard = STEELYARD
    platform = "openai"

    @classmethod
    def connect(cls, api_key):
        return together.Together(api_key=api_key or "any", base_url=cls.served.url, max_retries=0, timeout=60)

    def chat(self, tokens, **more):
        return self.client.chat.completions.create(model=MODEL, messages=MESSAGES, max_tokens=tokens, **more)


class Answers(WithTogether):
    def test_chat(self):
        answer = self.chat(5)
        self.assertEqual(words(answer.choices[0].message.content), 5)
        self.assertEqual((answer.usage.prompt_tokens, answer.usage.completion_tokens), (QUESTION_WORDS, 5))

    def test_chat_stream(self):
        timed = Timed(self.chat(8, stream=True), lambda chunk: chunk.choices and chunk.choices[0].delta.content)
        self.assert_stream(timed, 8)

    def test_completion(self):
        answer = self.client.completions.create(model=MODEL, prompt=QUESTION, max_tokens=4)
        self.assertEqual(words(answer.choices[0].text), 4)

    def test_unknown_model(self):
        with self.assertRaises(together.NotFoundError):
            self.client.chat.completions.create(model="no/such-model", messages=MESSAGES)


class Keys(WithTogether):
    api_key = "the-right-key"

    def test_right_and_wrong(self):
        self.assertEqual(words(self.chat(2).choices[0].message.content), 2)
        with self.assertRaises(together.AuthenticationError):
            self.connect("another").chat.completions.create(model=MODEL, messages=MESSAGES)


class NoCapacity(WithTogether):
    extra = FAILS + "unavailable\n"

    def test_503(self):
        with self.assertRaises(together.InternalServerError) as raised:
            self.chat(3)
        self.assertEqual(raised.exception.status_code, 503)


class RateLimited(WithTogether):
    extra = FAILS + "rate_limited\n"

    def test_429(self):
        with self.assertRaises(together.RateLimitError):
            self.chat(3)


class ErrorInBand(WithTogether):
    extra = FAILS + "error_in_band\n"

    def test_it_is_raised_after_tokens(self):
        seen = []
        with self.assertRaises(together.APIError) as raised:
            for chunk in self.chat(20, stream=True):
                seen.append(chunk)
        self.assertNotIsInstance(raised.exception, together.APIStatusError)
        self.assertTrue(seen)


class Truncated(WithTogether):
    extra = FAILS + "truncated\n"

    def test_the_client_sees_that_the_stream_was_cut(self):
        with self.assertRaises(Exception) as raised:
            Timed(self.chat(20, stream=True), lambda chunk: None)
        self.assertRegex(repr(raised.exception), "RemoteProtocolError|APIConnectionError")


if __name__ == "__main__":
    print(f"together {together.__version__}")
    unittest.main(verbosity=2)
