"""`steelyard inspect` on files that are right, wrong, cut and huge, and on a pipe."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEELYARD = sys.argv.pop(1)
EXAMPLE = pathlib.Path(__file__).parents[2] / "docs/examples/chat.sse"


def inspect(*arguments, given=None):
    return subprocess.run([STEELYARD, "inspect", *map(str, arguments)], input=given, capture_output=True, timeout=100)


class Inspect(unittest.TestCase):
    def test_a_pipe_says_what_the_file_says(self):
        of_file = inspect(EXAMPLE)
        of_pipe = inspect("-", given=EXAMPLE.read_bytes())
        self.assertEqual((of_file.returncode, of_pipe.returncode), (0, 0))
        self.assertEqual(of_file.stdout, of_pipe.stdout)

    def test_a_failed_stream_is_shown_and_exits_1(self):
        done = inspect("-", "--json", given=EXAMPLE.read_bytes()[:1000])
        self.assertEqual(done.returncode, 1)
        facts = json.loads(done.stdout)
        self.assertEqual((facts["outcome"], facts["cut_short"], facts["content"]), ("truncated", True, "The"))

    def test_bad_input_is_one_line_and_exits_2(self):
        with tempfile.TemporaryDirectory() as folder:
            for given, words in ((b"", "empty"), (b"\x7fELF\x02\x01\x01\x00", "no AWS event stream"),
                                 (b"\x00" * 5000, "message 1"), (b"\x1f\x8b\x08\x00", "gzip"),
                                 (b"a,b\n1,2\n", "neither"), (b"[1, 2]", "neither"), (b"\xff\xfe" * 400, "neither"),
                                 (b"null", "neither"), (b'{"a": 1}', "dialect"), (b": ping\n\n" * 10, "no event")):
                path = pathlib.Path(folder) / "given"
                path.write_bytes(given)
                for done in (inspect(path), inspect("-", given=given)):
                    self.assertEqual((done.returncode, done.stdout), (2, b""), given[:20])
                    self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
                    self.assertIn(words, done.stderr.decode())
            for path in (folder, pathlib.Path(folder) / "missing"):
                done = inspect(path)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)

    def test_a_platform_that_is_not_known_is_named(self):
        done = inspect(EXAMPLE, "--platform", "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("anthropic", done.stderr.decode())
        told = inspect(EXAMPLE, "--platform", "vllm", "--json")
        self.assertFalse(json.loads(told.stdout)["recognised"])

    def test_a_line_of_megabytes(self):
        text = "x" * (20 << 20)
        event = json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]})
        done = inspect("-", "--json", given=f"data: {event}\n\ndata: [DONE]\n\n".encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["content"]), len(text))
        shown = inspect("-", "--events", given=f"data: {event}\n\n".encode())
        self.assertLess(max(map(len, shown.stdout.decode().splitlines())), 200)
        done = inspect("-", given=b"data: " + b"x" * (65 << 20))
        self.assertEqual(done.returncode, 2)
        self.assertIn("64 MiB", done.stderr.decode())

    def test_deep_brackets_and_control_characters_do_no_harm(self):
        deep = b'data: {"choices":' + b"[" * 100000 + b"\n\n"
        self.assertEqual(inspect("-", given=deep).returncode, 1)
        rude = json.dumps({"error": {"message": "\x1b[2Jgone\r\n"}})
        done = inspect("-", "--events", given=f"data: {rude}\n\n".encode())
        self.assertNotIn(b"\x1b", done.stdout)


unittest.main()
