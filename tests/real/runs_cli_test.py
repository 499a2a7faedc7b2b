"""`steelyard runs` on a store that `steelyard bench --store` wrote."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from served import Served

STEELYARD = sys.argv.pop(1)


class RunsCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.store = pathlib.Path(cls.folder.name) / "runs.db"
        server = Served([STEELYARD, "emulate", "openai", "--port", "0", "--ttft", "5ms", "--itl", "1ms"])
        try:
            for count in (3, 5):
                subprocess.run([STEELYARD, "bench", "--base-url", server.url, "--quiet", "--store", cls.store,
                                "--num-prompts", str(count), "--random-input-len", "8", "--random-output-len", "4",
                                "--max-concurrency", "2"], check=True, capture_output=True)
        finally:
            server.stop()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def runs(self, *flags, code=0, store=None):
        ended = subprocess.run([STEELYARD, "runs", *flags, "--store", store or self.store],
                               capture_output=True, text=True)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stdout if code == 0 else ended.stderr

    def ids(self):
        return [run["id"] for run in json.loads(self.runs("list", "--json"))["runs"]]

    def test_list(self):
        runs = json.loads(self.runs("list", "--json"))["runs"]
        self.assertEqual([run["platforms"][0]["requests"] for run in runs[:1]], [3])
        self.assertEqual(runs[0]["platforms"][0]["completed"], 3)
        self.assertEqual((runs[0]["kind"], runs[0]["status"]), ("bench", "done"))
        text = self.runs("list")
        for run in runs:
            self.assertIn(run["id"], text)

    def test_show_gives_the_result_and_computes_it_again(self):
        first = self.ids()[0]
        result = json.loads(self.runs("show", first, "--json"))
        self.assertEqual(result["completed"], 3)
        text = self.runs("show", first)
        self.assertIn("done", text)
        # The event log says what the result said, in the table's four digits.
        self.assertIn(f"{result['p50_ttft_ms']:.4g}"[:4], text)

    def test_what_is_deleted_is_gone(self):
        last = self.ids()[-1]
        self.assertEqual(len(self.ids()), 2)
        self.assertIn(last, self.runs("delete", last))
        self.assertNotIn(last, self.ids())
        self.assertIn("has no run", self.runs("show", last, code=2))
        self.assertEqual(len(self.ids()), 1)

    def test_bad_input(self):
        missing = pathlib.Path(self.folder.name) / "missing.db"
        self.assertIn("missing.db", self.runs("list", store=missing, code=2))
        self.assertFalse(missing.exists())
        self.assertIn("runs list", self.runs("delete", "nosuch", code=2))
        self.assertIn("--json", self.runs("list", "--jsn", code=2))
        for flags in ([], ["lst"]):
            ended = subprocess.run([STEELYARD, "runs", *flags], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)


if __name__ == "__main__":
    unittest.main()
