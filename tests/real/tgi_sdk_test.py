"""Hugging Face's InferenceClient against `steelyard emulate tgi`: TGI's own protocol and its chat route.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/tgi_sdk_test.py build/release/steelyard
"""
import sys
import unittest

import emulated
from emulated import FAILS, MODEL, QUESTION, QUESTION_WORDS, Timed, words

import huggingface_hub
from huggingface_hub.errors import GenerationError, HfHubHTTPError, OverloadedError, ValidationError

STEELYARD = sys.argv.pop(1)
MESSAGES = [{"role": "user", "content": QUESTION}]


class WithTgi(emulated.WithEmulator):
    steelyard = STEELYARD
    platform = "tgi"

    @classmethod
    def connect(cls, api_key):
        return huggingface_hub.InferenceClient(base_url=cls.served.url, token=api_key or None, timeout=60)

    def generate(self, tokens, **more):
        return self.client.text_generation(QUESTION, max_new_tokens=tokens, **more)


class Answers(WithTgi):
    def test_whole(self):
        self.assertEqual(words(self.generate(5)), 5)

    def test_whole_with_details(self):
        answer = self.generate(6, details=True)
        self.assertEqual(words(answer.generated_text), 6)
        self.assertEqual((answer.details.finish_reason, answer.details.generated_tokens), ("length", 6))

    def test_stream(self):
        timed = Timed(self.generate(8, stream=True, details=True), lambda event: event.token.text)
        self.assert_stream(timed, 8)
        *body, last = timed.chunks
        self.assertEqual([event.generated_text for event in body], [None] * 7)
        self.assertEqual(last.generated_text, timed.text)
        self.assertEqual((last.details.finish_reason, last.details.generated_tokens, last.details.input_length),
                         ("length", 8, QUESTION_WORDS))

    def test_chat(self):
        answer = self.client.chat_completion(MESSAGES, model=MODEL, max_tokens=4)
        self.assertEqual(words(answer.choices[0].message.content), 4)
        self.assertEqual((answer.usage.prompt_tokens, answer.usage.completion_tokens), (QUESTION_WORDS, 4))

    def test_chat_stream(self):
        timed = Timed(self.client.chat_completion(MESSAGES, model=MODEL, max_tokens=7, stream=True,
                                                  stream_options={"include_usage": True}),
                      lambda chunk: chunk.choices and chunk.choices[0].delta.content)
        self.assert_stream(timed, 7)
        self.assertEqual(timed.chunks[-1].usage.completion_tokens, 7)

    def test_info_and_health(self):
        client = huggingface_hub.InferenceClient(base_url=self.served.url, provider="hf-inference")
        self.assertEqual(client.get_endpoint_info()["model_id"], MODEL)
        self.assertTrue(client.health_check())

    def test_what_cannot_be_is_a_validation_error(self):
        with self.assertRaises(ValidationError):
            self.generate(5, temperature=0.0)


class Keys(WithTgi):
    api_key = "hf_the_right_key"

    def test_right_and_wrong(self):
        self.assertEqual(words(self.generate(2)), 2)
        with self.assertRaises(HfHubHTTPError) as raised:
            self.connect("hf_another").text_generation(QUESTION)
        self.assertEqual(raised.exception.response.status_code, 401)


class Overloaded(WithTgi):
    extra = FAILS + "rate_limited\n"

    def test_429(self):
        for stream in (False, True):
            with self.assertRaises(OverloadedError):
                Timed(self.generate(3, stream=stream), lambda text: None)


class ErrorInBand(WithTgi):
    extra = FAILS + "error_in_band\n"

    def test_it_is_raised_after_tokens(self):
        seen = []
        with self.assertRaises(GenerationError):
            for text in self.generate(20, stream=True):
                seen.append(text)
        self.assertTrue(seen)


class Truncated(WithTgi):
    extra = FAILS + "truncated\n"

    def test_the_client_sees_that_the_stream_was_cut(self):
        with self.assertRaises(Exception) as raised:
            Timed(self.generate(20, stream=True), lambda text: None)
        self.assertRegex(repr(raised.exception), "RemoteProtocolError|ChunkedEncodingError|incomplete")


if __name__ == "__main__":
    print(f"huggingface_hub {huggingface_hub.__version__}")
    unittest.main(verbosity=2)
