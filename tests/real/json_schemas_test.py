#!/usr/bin/env python3
"""What evaluate and bench write keeps to docs/schema/, on good runs and on bad ones, and the schemas say all."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from served import Served

STEELYARD, SCHEMAS = sys.argv[1:3]
SUITE = """\
name: schemas
workload: {dataset: random, requests: 20, rounds: 2, input_tokens: 40, output_tokens: 8, max_concurrency: 4}
sla: {terms: ["ttft<1s", "e2e.mean<20s", "tpot.p50<2s"], target: 50%}
exchange_rates: {base: USD, date: "2026-12-01", source: made up, rates: {CNY: 7.08}}
platforms:
  - name: by time
    emulate: {ttft: {p50: 10ms}, itl: {p50: 2ms}}
    offer: {price: 1 USD/GPU-h, source: made up, date: "2026-12-01", note: made up}
  - name: by token, with failures
    emulate: {ttft: {p50: 10ms}, itl: {p50: 2ms}, failure_rate: 0.2, failure_kind: truncated}
    offer: {input: 1 CNY/Mtok, output: 2 CNY/Mtok, source: made up, date: "2026-12-01"}
  - name: infeasible
    emulate: {ttft: {p50: 1200ms}, itl: {p50: 2ms}}
    offer: {price: 0.01 USD/s, source: made up, date: "2026-12-01"}
  - name: unreachable
    base_url: http://127.0.0.1:9
    model: none
    offer: {price: 1 USD/h, source: made up, date: "2026-12-01"}
notes: [{en: made up, zh: 虚构}]
"""


def schema(name):
    with open(f"{SCHEMAS}/{name}.schema.json", encoding="utf-8") as file:
        return json.load(file)


def faults(document, name):
    validator = jsonschema.Draft202012Validator(schema(name))
    return [f"{'/'.join(map(str, fault.path))}: {fault.message[:200]}" for fault in validator.iter_errors(document)]


def run(*arguments):
    return subprocess.run([STEELYARD, *arguments], text=True, capture_output=True, timeout=100,
                          env={**os.environ, "no_proxy": "*"})


def undescribed(node, path=""):
    """Properties without a description."""
    if isinstance(node, list):
        return [found for i, item in enumerate(node) for found in undescribed(item, f"{path}/{i}")]
    if not isinstance(node, dict):
        return []
    properties = node.get("properties", {})
    missing = [f"{path}/{key}" for key, value in properties.items() if not value.get("description")]
    return missing + [found for key, value in node.items() for found in undescribed(value, f"{path}/{key}")]


class Schemas(unittest.TestCase):
    def test_they_are_schemas_and_describe_every_property(self):
        for name in ("ranking", "bench", "loads", "runs", "inspect", "probe"):
            jsonschema.Draft202012Validator.check_schema(schema(name))
            self.assertEqual(undescribed(schema(name)), [], name)

    def test_inspect(self):
        for recorded in ("", "data: {}\n\n", '{"choices": [{"message": {"content": "four"}}]}'):
            with tempfile.NamedTemporaryFile("w", suffix=".sse") as file:
                file.write(recorded)
                file.flush()
                done = run("inspect", file.name if recorded else f"{SCHEMAS}/../examples/chat.sse", "--json")
            self.assertEqual(faults(json.loads(done.stdout), "inspect"), [])

    def test_they_refuse_an_unknown_key_and_a_zero_version(self):
        self.assertNotEqual(faults({"schema_version": 0, "odd": 1}, "ranking"), [])
        self.assertNotEqual(faults({"steelyard": {"odd": 1}}, "bench"), [])


class Evaluate(unittest.TestCase):
    def test_ranking(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/suite.yaml", "w", encoding="utf-8") as file:
                file.write(SUITE)
            done = run("evaluate", f"{folder}/suite.yaml", "--out", folder, "--store", "none", "--quiet",
                       "--self-test")
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            self.assertIn("Client self-test: 16 streams", done.stdout)
            with open(f"{folder}/ranking.json", encoding="utf-8") as file:
                ranking = json.load(file)
        self.assertEqual(faults(ranking, "ranking"), [])
        rows = {row["name"]: row for row in ranking["platforms"]}
        self.assertTrue(rows["by time"]["feasible"], rows["by time"]["reasons"])
        self.assertEqual(rows["by time"]["certificate"]["self_test"]["streams"], 16)
        self.assertLessEqual(rows["by time"]["ttft_ms"]["n_effective"], 20)
        self.assertFalse(rows["infeasible"]["feasible"])
        self.assertFalse(rows["unreachable"]["feasible"])
        self.assertGreater(rows["by token, with failures"]["failed"], 0)
        del rows["by time"]["window_s"]
        rows["infeasible"]["odd"] = 1
        self.assertEqual(len(faults(ranking, "ranking")), 2)


class Loads(unittest.TestCase):
    def measured(self, *arguments, code=0):
        served = Served([STEELYARD, "emulate", "openai", "--port", "0", "--ttft", "10ms", "--itl", "2ms", "--slots", "4"])
        self.addCleanup(served.stop)
        done = run("bench", "--base-url", served.url, "--random-input-len", "40", "--osl", "8", "--json", "--quiet",
                   "--step-least", "500ms", "--step-most", "2s", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(faults(result, "loads"), [])
        for step in result["steps"]:
            self.assertEqual(faults(step["result"], "bench"), [])
        return result

    def test_a_sweep_without_an_sla(self):
        result = self.measured("--sweep-request-rate", "40,inf", "--num-prompts", "30")
        self.assertEqual([step["verdict"] for step in result["steps"]], ["not_asked"] * 2)
        self.assertIsNone(result["found"])

    def test_a_search_with_a_price(self):
        result = self.measured("--find-max", "concurrency", "--sla", "ttft<2s", "--sla-target", "80%", "--search-to", "4",
                               "--price-input", "1 USD/Mtok", "--price-output", "2 USD/Mtok", "--max-spend", "1 USD")
        self.assertEqual((result["found"]["largest"], result["end"]), (4, "done"))
        self.assertGreater(result["spent"]["amount"], 0)

    def test_a_search_that_finds_none(self):
        result = self.measured("--find-max", "rate", "--sla", "ttft<1us", "--search-from", "20", "--search-time", "5s",
                               code=1)
        self.assertIsNone(result["found"]["largest"])


class Bench(unittest.TestCase):
    def setUp(self):
        self.served = Served([STEELYARD, "emulate", "openai", "--port", "0", "--ttft", "10ms", "--itl", "2ms"])

    def tearDown(self):
        self.served.stop()

    def measured(self, *arguments, code=0):
        done = run("bench", "--base-url", self.served.url, "--random-input-len", "40", "--osl", "8", "--json", "--quiet",
                   *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(faults(result, "bench"), [])
        return result

    def test_closed_loop_with_an_sla_metadata_and_details(self):
        result = self.measured("--num-prompts", "12", "--concurrency", "4", "--sla", "ttft<5s", "--metadata", "gpu=none",
                               "--save-detailed", "--metric-percentiles", "95,99.9", "--self-test")
        self.assertEqual(result["steelyard"]["certificate"]["self_test"]["streams"], 16)
        self.assertEqual((result["completed"], result["gpu"], len(result["ttfts"])), (12, "none", 12))
        self.assertGreater(result["p99.9_ttft_ms"], 0)

    def test_open_loop_that_misses_its_sla(self):
        result = self.measured("--num-prompts", "6", "--request-rate", "50", "--sla", "ttft<1us", code=1)
        self.assertFalse(result["steelyard"]["sla"]["met"])

    def test_its_run_in_a_store(self):
        with tempfile.TemporaryDirectory() as folder:
            self.measured("--num-prompts", "4", "--store", f"{folder}/runs.db")
            listed = run("runs", "list", "--json", "--store", f"{folder}/runs.db")
        runs = json.loads(listed.stdout)
        self.assertEqual(faults(runs, "runs"), [])
        self.assertEqual(runs["runs"][0]["platforms"][0]["requests"], 4)

    def test_not_one_token_to_tell_a_gap_by(self):
        self.assertIsNone(self.measured("--num-prompts", "4", "--no-stream")["p50_ttft_ms"])


unittest.main(argv=sys.argv[:1])
