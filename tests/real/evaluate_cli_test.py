"""`steelyard evaluate` as people run it: exit codes, files, the store, and what a kill leaves behind.

  python3 tests/real/evaluate_cli_test.py build/release/steelyard
"""
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

STEELYARD = os.path.abspath(sys.argv.pop(1))
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}
REPORTS = {"ranking.json", "report.md", "report.html"}

HEAD = """\
name: small
vantage: a test
workload: {{dataset: random, input_tokens: 16, output_tokens: 8, requests: {requests}, rounds: {rounds}, {load}}}
sla: {{terms: ["{term}"], target: 99%}}
platforms:
"""
PLATFORM = """\
  - name: {name}
    emulate: {{ttft: {{p50: {ttft}}}, itl: {{p50: 1ms}}}}
    offer: {{price: {price}, source: a test, date: "2026-12-01"}}
"""


def platform(name, ttft="5ms", price="1 USD/h"):
    return PLATFORM.format(name=name, ttft=ttft, price=price)


def suite(*platforms, requests=12, rounds=3, load="max_concurrency: 2", term="ttft<5s"):
    return HEAD.format(requests=requests, rounds=rounds, load=load, term=term) + "".join(platforms)


# Two platforms a thousandfold apart in price, so that no hiccup of the machine swaps them.
SMALL = suite(platform("dear", price="1000 USD/h"), platform("cheap"))
# About 25 s a platform: time enough to be stopped in.
LONG = suite(platform("first", "50ms"), platform("second", "50ms"), requests=800, rounds=40)


class Evaluate(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def start(self, yaml, *flags):
        (self.folder / "suite.yaml").write_text(yaml)
        return subprocess.Popen([STEELYARD, "evaluate", "suite.yaml", *flags], cwd=self.folder, env=ENVIRONMENT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_to_end(self, yaml, *flags):
        process = self.start(yaml, *flags)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def ranking(self, out="."):
        return json.loads((self.folder / out / "ranking.json").read_text())

    def files(self, out="."):
        return {path.name for path in (self.folder / out).iterdir()}

    def runs(self, path="steelyard.db"):
        database = sqlite3.connect(self.folder / path)
        try:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            return database.execute(
                "SELECT status, result IS NOT NULL, (SELECT count(*) FROM requests WHERE run_id = id) FROM runs").fetchall()
        finally:
            database.close()

    def wait_for_requests(self, least):
        for _ in range(600):
            path = self.folder / "steelyard.db"
            if path.exists():
                database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
                try:
                    if database.execute("SELECT count(*) FROM requests").fetchone()[0] >= least:
                        return
                except sqlite3.OperationalError:
                    pass  # not made yet
                finally:
                    database.close()
            time.sleep(0.05)
        self.fail("nothing reached the store")

    def assert_one_line(self, err, *pieces):
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith("error: "), err)
        for piece in pieces:
            self.assertIn(piece, err)


class Done(Evaluate):
    def test_files_store_and_shape(self):
        code, out, err = self.run_to_end(SMALL)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Cheapest within the SLA: cheap", out)
        self.assertEqual(self.files(), REPORTS | {"suite.yaml", "steelyard.db"})
        self.assertEqual(self.runs(), [("done", 1, 24)])

        ranking = self.ranking()
        self.assertEqual((ranking["schema_version"], ranking["suite"], ranking["interrupted"]), (1, "small", False))
        self.assertEqual([(p["rank"], p["name"]) for p in ranking["platforms"]], [(1, "cheap"), (2, "dear")])
        for each in ranking["platforms"]:
            self.assertEqual((each["origin"], each["emulated"], each["feasible"]), ("measured", True, True))
            self.assertEqual((each["n"], each["completed"], each["failed"]), (12, 12, 0))
            self.assertEqual((each["cptls"]["currency"], each["cptls"]["per"]), ("USD", "1M good output tokens"))
            self.assertGreater(each["cptls"]["amount"], 0)
            self.assertEqual((each["attainment_requests"], each["attainment_tokens"]), (1, 1))
            self.assertGreaterEqual(each["ttft_ms"]["p50"], 5)
            self.assertLessEqual(each["ttft_ms"]["p50"], each["ttft_ms"]["p99"])
            self.assertGreaterEqual(each["e2e_ms"]["p50"], each["ttft_ms"]["p50"])
            self.assertEqual(each["total_output_tokens"], 12 * 8)
            self.assertAlmostEqual(each["output_throughput"], 12 * 8 / each["window_s"])
            self.assertAlmostEqual(each["cptls"]["amount"], each["cost"]["total"]["amount"] / (12 * 8) * 1e6, delta=1e-3)

        page = (self.folder / "report.html").read_text()
        [data] = re.findall(r'<script type="application/json" id="steelyard-data">(.*?)</script>', page, re.S)
        self.assertEqual(json.loads(data), ranking)

    def test_json_markdown_language_and_no_store(self):
        code, out, _ = self.run_to_end(SMALL, "--json", "--store", "none", "--out", "a/b")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(out), self.ranking("a/b"))
        self.assertEqual(self.files("a/b"), REPORTS)
        self.assertEqual(self.files(), {"suite.yaml", "a"})

        code, out, _ = self.run_to_end(SMALL, "--md", "--lang", "zh", "--store", "none", "--out", "zh")
        self.assertEqual(code, 0)
        self.assertEqual(out, (self.folder / "zh/report.md").read_text())
        self.assertIn("满足 SLA 的最低成本：cheap", out)

        code, out, _ = self.run_to_end(SMALL, "--lang", "zh", "--store", "none")
        self.assertEqual(code, 0)
        self.assertIn("平台", out.splitlines()[2])

    def test_none_meets_the_sla(self):
        code, out, err = self.run_to_end(suite(platform("late", "50ms"), requests=4, rounds=2, term="ttft<20ms"))
        self.assertEqual((code, err), (1, ""))
        self.assertIn("No platform meets the SLA.", out)
        self.assertTrue(REPORTS <= self.files())
        [late] = self.ranking()["platforms"]
        self.assertEqual((late["feasible"], late["rank"], late["cptls"]), (False, None, None))
        self.assertIn("ttft<20ms: 0 of 4 due requests met it", late["reasons"][0]["text_en"])
        self.assertEqual(self.runs(), [("done", 1, 4)])

    def test_two_at_once_on_one_store(self):
        first = self.start(SMALL, "--out", "first")
        second = self.start(SMALL, "--out", "second")
        for process in (first, second):
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(self.runs(), [("done", 1, 24)] * 2)


class BadInput(Evaluate):
    def test_a_bad_suite_leaves_nothing(self):
        bad = {
            "no such key": (SMALL.replace("target:", "targte:"), ":4:", 'did you mean "target"'),
            "found by the dataset": (SMALL.replace("requests: 12", "requests: 12, range_ratio: 2"), ":3:", "2 is out of bounds"),
            "no such trace": (SMALL.replace("random, input_tokens: 16", "trace, path: none.csv"), "none.csv", "cannot read"),
            "no currency": (SMALL.replace("1 USD/h", "1 CNY/h"), ":11:", "exchange_rates"),
            "no YAML": ("name: [", ":1:", "not valid YAML"),
            "no platform": (suite(), "", "platforms"),
        }
        for name, (yaml, *pieces) in bad.items():
            with self.subTest(name):
                code, out, err = self.run_to_end(yaml, "--out", "out")
                self.assertEqual((code, out), (2, ""))
                self.assert_one_line(err, *pieces)
                self.assertEqual(self.files(), {"suite.yaml"})

    def test_flags(self):
        for flags in (["--lang", "fr"], ["--jsn"], ["--json", "--md"], ["--store", ""]):
            with self.subTest(flags):
                code, out, err = self.run_to_end(SMALL, *flags)
                self.assertEqual((code, out), (2, ""))
                self.assert_one_line(err)
                self.assertEqual(self.files(), {"suite.yaml"})

    def test_a_store_that_is_none_of_ours(self):
        (self.folder / "other.db").write_text("something else, and quite long enough to be told from nothing\n" * 20)
        code, _, err = self.run_to_end(SMALL, "--store", "other.db")
        self.assertEqual(code, 2)
        self.assert_one_line(err, "other.db")
        self.assertTrue((self.folder / "other.db").read_text().startswith("something else"))


class Environment(Evaluate):
    def test_nowhere_to_write(self):
        (self.folder / "file").write_text("")
        for flags in (["--out", "file/out"], ["--out", "file"], ["--store", "file/runs.db"], ["--store", "none/runs.db"]):
            with self.subTest(flags):
                began = time.monotonic()
                code, out, err = self.run_to_end(LONG, *flags)
                self.assertEqual((code, out), (3, ""))
                self.assert_one_line(err, "file" if "file" in flags[1] else "none/runs.db")
                self.assertLess(time.monotonic() - began, 8, "it is known before anything is measured")
                self.assertEqual(self.files(), {"suite.yaml", "file"})

    def test_nobody_answers(self):
        nobody = ("  - {name: gone, base_url: \"http://127.0.0.1:1\", model: m, "
                  "offer: {price: 1 USD/h, source: s, date: d}}\n")
        code, out, err = self.run_to_end(suite(nobody))
        self.assertEqual((code, out), (3, ""))
        self.assert_one_line(err, "http://127.0.0.1:1")
        self.assertEqual(self.runs(), [("interrupted", 0, 0)])
        self.assertFalse(REPORTS & self.files())

        code, _, _ = self.run_to_end(suite(nobody, platform("there")))
        self.assertEqual(code, 0)
        gone = self.ranking()["platforms"][1]
        self.assertEqual((gone["name"], gone["n"], gone["rank"], gone["window_s"]), ("gone", 0, None, None))
        self.assertIn("could not be measured", gone["reasons"][0]["text_en"])

    def test_a_store_that_another_holds(self):
        self.assertEqual(self.run_to_end(SMALL)[0], 0)
        holder = sqlite3.connect(self.folder / "steelyard.db", isolation_level=None)
        self.addCleanup(holder.close)
        holder.execute("BEGIN IMMEDIATE")
        code, _, err = self.run_to_end(SMALL, "--out", "held")
        self.assertEqual(code, 3)
        self.assert_one_line(err, "steelyard.db", "locked by another process")
        self.assertFalse(REPORTS & self.files("held"))

    def test_a_store_that_another_takes_meanwhile_costs_no_result(self):
        process = self.start(suite(platform("a", "50ms"), requests=40, rounds=2), "--quiet")
        self.wait_for_requests(1)
        holder = sqlite3.connect(self.folder / "steelyard.db", isolation_level=None, timeout=60)
        self.addCleanup(holder.close)
        holder.execute("BEGIN IMMEDIATE")
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3)
        self.assert_one_line(err, "steelyard.db", "locked by another process")
        self.assertIn("Cheapest within the SLA: a", out)
        self.assertEqual(self.ranking()["platforms"][0]["n"], 40)


class Stopped(Evaluate):
    def test_ctrl_c(self):
        process = self.start(LONG)
        self.wait_for_requests(20)
        for _ in range(3):  # an impatient hand
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        began = time.monotonic()
        out, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(process.returncode, 0)
        self.assertIn("interrupted", err)
        self.assertIn("interrupted", out)
        ranking = self.ranking()
        self.assertTrue(ranking["interrupted"])
        self.assertTrue(REPORTS <= self.files())
        self.assertFalse([name for name in self.files() if name.endswith(".part")])
        first = next(p for p in ranking["platforms"] if p["name"] == "first")
        self.assertTrue(20 <= first["n"] < 800)
        self.assertEqual(self.runs(), [("interrupted", 1, sum(p["n"] for p in ranking["platforms"]))])

    def test_kill(self):
        process = self.start(LONG)
        self.wait_for_requests(20)
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        [(status, has_result, kept)] = self.runs()
        self.assertEqual((status, has_result), ("running", 0))
        self.assertGreaterEqual(kept, 20)
        self.assertFalse([name for name in self.files() if "report" in name or "ranking" in name])

    def run_id(self):
        database = sqlite3.connect(self.folder / "steelyard.db")
        try:
            return database.execute("SELECT id FROM runs").fetchone()[0]
        finally:
            database.close()

    def test_resume_after_a_kill(self):
        yaml = suite(platform("first", "30ms"), platform("second", "30ms"), requests=200, rounds=20)
        process = self.start(yaml)
        self.wait_for_requests(50)
        process.kill()
        process.communicate(timeout=60)
        [(_, _, kept)] = self.runs()
        self.assertLess(kept, 400)
        run = self.run_id()
        code, out, err = self.run_to_end(yaml + "# another text\n", "--resume", run)
        self.assertEqual((code, err.count("\n")), (2, 1), err)
        self.assertIn("suite.yaml", err)
        code, out, err = self.run_to_end(yaml, "--resume", "nosuch")
        self.assertEqual(code, 2, err)
        code, out, err = self.run_to_end(yaml, "--resume", run, "--quiet")
        self.assertEqual(code, 0, err)
        ranking = self.ranking()
        self.assertEqual([p["n"] for p in ranking["platforms"]], [200, 200])
        self.assertTrue(all(p["emulated"] for p in ranking["platforms"]))
        self.assertFalse(ranking["interrupted"])
        # Some blocks came from before; every request is there once.
        self.assertRegex(out, r"resumed: [1-9]\d? of 40 blocks")
        self.assertEqual(self.runs(), [("done", 1, 400)])
        code, out, err = self.run_to_end(yaml, "--resume", run)
        self.assertEqual((code, "is over" in err), (2, True), err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
