// A report that `steelyard evaluate` has just written, opened as it lies there: what the program writes and what
// the page reads are checked against each other, and not each against a fixture.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openFile, overflowOf, rankingOf, run } from './browser.mjs';

const steelyard = process.argv[3];
const folder = mkdtempSync(`${tmpdir()}/steelyard-page-`);
const platform = (name, profile, offer) =>
  `  - {name: ${JSON.stringify(name)}, emulate: {${profile}}, offer: {${offer}, source: "https://example.org/prices", date: "2026-11-28"}}\n`;
const quick = 'ttft: {p50: 10ms, p99: 20ms}, itl: {p50: 2ms, p99: 4ms}';
writeFileSync(`${folder}/suite.yaml`, `name: five platforms
vantage: a test, over loopback
workload: {dataset: random, input_tokens: 60, output_tokens: 20, range_ratio: 0.5, requests: 30, rounds: 3, max_concurrency: 4}
sla: {terms: ["ttft.p90<1s", "e2e<5s"], target: 95%}
exchange_rates: {base: USD, date: "2026-11-30", source: ECB, rates: {CNY: 7.08}}
notes: [{en: A made-up suite., zh: 虚构的测试套件。}]
platforms:
${platform('rented', quick, 'price: 1.39 USD/GPU-h, count: 2')}${platform('阿里云 PAI-EAS 上海 A10', quick, 'price: 0.085 元/小时')}${
  platform('</script><b>by-token</b>', `${quick}, tokens_per_chunk: 4`, 'input: 5 USD/Mtok, output: 90 USD/Mtok')}${
  platform('late', 'ttft: {p50: 1200ms}, itl: {p50: 1ms}', 'price: 0.001 USD/h')}${
  platform('flaky', `${quick}, failure_rate: 0.5, failure_kind: truncated`, 'price: 0.0004 USD/s, minimum: 1min')}
  - {name: gone, base_url: "http://127.0.0.1:1", model: m, offer: {price: 1 USD/h, source: nowhere, date: "2026-11-28"}}
`);
const ended = spawnSync(steelyard, ['evaluate', 'suite.yaml', '--store', 'none'], { cwd: folder, encoding: 'utf8' });
assert.equal(ended.status, 0, ended.stderr);
const ranking = JSON.parse(readFileSync(`${folder}/ranking.json`, 'utf8'));
process.on('exit', () => rmSync(folder, { recursive: true }));

const screens = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const tests = {};
for (const language of ['en', 'zh']) {
  for (const [screen, viewport] of Object.entries(screens)) {
    tests[`shows it in ${language} on a ${screen} screen`] = async () => {
      const { page, shot, done } = await openFile(`${folder}/report.html`, { query: `?lang=${language}`, viewport });
      const rows = await rankingOf(page);
      assert.deepEqual(rows.map((row) => [row.rank, row.name]), ranking.platforms.map((p) => [String(p.rank ?? '–'), p.name]));
      assert.equal(rows[0].name, '阿里云 PAI-EAS 上海 A10');
      assert.equal(rows.filter((row) => row.rank === '–').length, 3);
      assert.equal(await overflowOf(page), 0);
      await page.click('#open-all');
      const text = await page.innerText('body');
      assert.doesNotMatch(text, /NaN|undefined|null\b|Infinity|\[object/);
      for (const platform of ranking.platforms) {
        for (const reason of platform.feasible ? [] : platform.reasons) {
          assert.ok(text.includes(reason[`text_${language}`]), reason.text_en);
        }
      }
      assert.ok(text.includes(ranking.notes[0][`text_${language}`]));
      assert.equal(await overflowOf(page), 0);
      await shot(`real-${language}-${screen}`);
      await done();
    };
  }
}
await run(tests);
