"""What the tests of other people's clients share: an emulator with a short profile, and its truth."""
import json
import os
import tempfile
import time
import unittest

from served import Served

MODEL = "emulated-model"
TTFT_S, ITL_S = 0.030, 0.005
PROFILE = "ttft: {p50: 30ms}\nitl: {p50: 5ms}\n"
QUESTION = "Why does the tide turn?"
QUESTION_WORDS = 5  # the emulators' tokens are words
FAILS = "failure_rate: 1\nfailure_kind: "
# Keys and proxies of the machine must not reach a client under test.
NEUTRAL = ("_PROXY", "_proxy", "_API_KEY", "_TOKEN", "OLLAMA_HOST", "STEELYARD_", "AWS_", "HF_", "GOOGLE_")
for name in [name for name in os.environ if any(part in name for part in NEUTRAL)]:
    del os.environ[name]
os.environ["NO_PROXY"] = "*"


def emulator(steelyard, platform, extra="", api_key="", flags=()):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as profile:
        profile.write(PROFILE + extra)
        profile.flush()
        command = [steelyard, "emulate", platform, "--profile", profile.name, "--port", "0", *flags]
        return Served(command, {**os.environ, "STEELYARD_EMULATE_API_KEY": api_key})


def words(text):
    return len(text.split())


class Timed:
    """Reads a stream: what came, when the first piece with text did, when the last."""

    def __init__(self, stream, text_of):
        started = time.monotonic()
        self.chunks, self.pieces, self.first = [], [], None
        for chunk in stream:
            self.chunks.append(chunk)
            if piece := text_of(chunk):
                self.first = self.first or time.monotonic() - started
                self.pieces.append(piece)
        self.took = time.monotonic() - started

    @property
    def text(self):
        return "".join(self.pieces)


class WithEmulator(unittest.TestCase):
    """One emulator a class, which must end well; `connect` makes the client."""
    steelyard = ""
    platform = ""
    extra = ""
    api_key = ""

    @classmethod
    def setUpClass(cls):
        cls.served = emulator(cls.steelyard, cls.platform, cls.extra, cls.api_key)
        cls.addClassCleanup(cls.stop)
        cls.client = cls.connect(cls.api_key)

    @classmethod
    def stop(cls):
        code = cls.served.stop()
        assert code == 0, f"the emulator ended with {code} on SIGTERM"

    def truth(self):
        return json.loads(self.served.get("/truth/summary"))

    def assert_stream(self, timed, tokens):
        """A token a piece; a busy machine makes the times longer, never shorter."""
        self.assertEqual([words(piece) for piece in timed.pieces], [1] * tokens)
        self.assertGreaterEqual(timed.first, TTFT_S)
        self.assertGreaterEqual(timed.took, TTFT_S + (tokens - 1) * ITL_S)
