// The report in Chromium against fixture.json: what a reader sees is what the data says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { everyBracketEscaped, inkOf, open, overflowOf, rankingOf, run } from './browser.mjs';
import { closestPair, contrast } from './palette.mjs';

const fixture = JSON.parse(readFileSync(new URL('fixture.json', import.meta.url), 'utf8'));
/** The fixture, changed. */
const like = (change) => {
  const data = structuredClone(fixture);
  change(data);
  return data;
};
const named = (name) => fixture.platforms.find((platform) => platform.name === name);
const cptls = 'Cost, USD per 1M output tokens / good (CPTLS)';
const grouped = (value, decimals) => value.toFixed(decimals).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const verdictOf = async (data, query) => {
  const { page, done } = await open('verdict', data, { query });
  const text = (await page.innerText('#verdict')).replaceAll('\u00a0', ' ');
  await done();
  return text;
};

/** Every value of the data in turn replaced, at any depth. */
function replaced(value, by) {
  if (Array.isArray(value)) return value.map((entry) => replaced(entry, by));
  if (typeof value !== 'object' || value === null) return by(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaced(entry, by)]));
}

const tests = {
  async 'ranks by rank whatever the order of the data, infeasible below'() {
    const { page, shot, done } = await open('en', like((data) => data.platforms.reverse()));
    const rows = await rankingOf(page);
    const expected = fixture.platforms.filter((p) => p.feasible).sort((a, b) => a.rank - b.rank);
    assert.deepEqual(rows.slice(0, expected.length).map((row) => [row.rank, row.name]), expected.map((p) => [String(p.rank), p.name]));
    assert.deepEqual(rows.slice(expected.length).map((row) => [row.rank, row.name]), [['–', 'modal-scale-to-zero'], ['–', 'llamacpp-cpu']]);
    await shot('en');
    await done();
  },

  async 'shows every figure of a row in its column'() {
    const { page, done } = await open('cells', fixture);
    for (const row of await rankingOf(page)) {
      const p = named(row.name);
      const cell = (key, value) => assert.equal(row[key], value, `${row.name}, ${key}`);
      const money = (value) => value.toFixed(3);
      cell(cptls, p.cptls === null ? '–' : `${money(p.cptls.amount)}\n[${money(p.cptls.low)}, ${money(p.cptls.high)}]`);
      cell('Cost, USD per 1M output tokens / all', p.cptls === null ? '–' : money(p.cost_per_million_output_tokens));
      cell('SLA attainment, % / met', p.feasible ? '✓ met' : '✗ missed');
      cell('SLA attainment, % / by request', `${(p.attainment_requests * 100).toFixed(1)}\n[${
        [p.attainment_requests_low, p.attainment_requests_high].map((share) => (share * 100).toFixed(1)).join(', ')}]`);
      cell('SLA attainment, % / by token', p.attainment_tokens === null ? '–' : (p.attainment_tokens * 100).toFixed(1));
      for (const [title, metric, decimals] of [['TTFT', 'ttft_ms', 1], ['E2E', 'e2e_ms', 0]]) {
        for (const percentile of ['p50', 'p99']) {
          const value = p[metric][percentile];
          const mark = p[metric][`${percentile}_n_too_small`] ? '†' : '';
          cell(`${title}, ms / ${percentile.toUpperCase()}`, value === null ? '–' : grouped(value, decimals) + mark);
        }
      }
      cell('Output / tokens/s', p.output_throughput === null ? '–' : grouped(p.output_throughput, 0));
      cell('Requests / n', String(p.n));
      cell('Requests / failed', String(p.failed));
    }
    await done();
  },

  async 'keeps the published index in its own column, named and no money'() {
    const { page, done } = await open('index', fixture);
    const [first] = await rankingOf(page);
    const [mantissa, exponent] = named(first.name).published_index.value.toExponential(2).split('e-');
    assert.equal(first['Published formula / USD·s/token'], `${mantissa}×10⁻${'⁰¹²³⁴⁵⁶⁷⁸⁹'[exponent]}`);
    assert.match(await page.innerText('.legend'), /cptls_as_published: delay-weighted index, not money/);
    await done();
  },

  async 'badges exactly the emulated rows, and a doubtful client'() {
    const { page, done } = await open('badges', fixture);
    for (const row of await rankingOf(page)) {
      assert.equal(/emulated/.test(row.badges), named(row.name).emulated, row.name);
      assert.equal(/degraded/.test(row.badges), named(row.name).certificate.verdict === 'degraded', row.name);
    }
    assert.match(await page.innerText('.caution'), /^4 of 5 rows are emulations/);
    await done();
  },

  async 'greys infeasible rows and gives their reasons and the mark for a small n'() {
    const { page, done } = await open('infeasible', fixture);
    const colour = (name) => page.$eval(`tr[data-platform="${name}"] td.key`, (cell) => getComputedStyle(cell).color);
    assert.notEqual(await colour('llamacpp-cpu'), await colour('vllm-self-hosted'));
    assert.match(await page.innerText('tr[data-platform="llamacpp-cpu"] + tr.reasons'), /met by too few requests: the target is 95 %/);
    assert.match(await page.innerText('.legend'), /† n is too small/);
    const hovers = await page.$$eval('tr[data-platform="llamacpp-cpu"] td.ttft', (cells) => cells.map((cell) => cell.title));
    const { p50_low: low, p50_high: high, p99_low: lowest } = named('llamacpp-cpu').ttft_ms;
    assert.deepEqual(hovers, [`interval [${low.toFixed(1)}, ${high.toFixed(1)}]`, `interval [${lowest.toFixed(1)}, ∞); n too small`]);
    await done();
  },

  async 'says who is cheapest, at what price and by how much'() {
    const [a, b] = [named('vllm-self-hosted').cptls, named('together-serverless').cptls];
    const price = ({ amount, low, high }) => `${amount.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] USD`;
    const share = ((1 - a.amount / b.amount) * 100).toFixed(0);
    assert.equal(await verdictOf(fixture), `vllm-self-hosted is the cheapest within the SLA: ${price(a)} per million good output tokens, ${
      share} % below together-serverless (${price(b)}).`);
    assert.match(await verdictOf(fixture, '?lang=zh'), new RegExp(`满足 SLA 的平台中 vllm-self-hosted 最便宜.*低 ${share} %`));
  },

  async 'counts requests in all rounds together, as the data does'() {
    const { page, done } = await open('rounds', fixture);
    assert.equal(fixture.workload.requests, Math.max(...fixture.platforms.map((p) => p.n)));
    assert.match(await page.innerText('.facts'), /600 requests a platform, in 3 rounds/);
    await done();
  },

  async 'says that an evaluation was interrupted'() {
    const { page, load, done } = await open('interrupted', like((data) => { data.interrupted = true; }));
    assert.match(await page.innerText('header'), /The evaluation was interrupted/);
    await load(fixture);
    assert.doesNotMatch(await page.innerText('header'), /interrupted/);
    await done();
  },

  async 'claims no winner where intervals overlap, none is feasible, or an interval is missing'() {
    const tied = like(({ platforms }) => { platforms[1].cptls.low = platforms[0].cptls.high - 0.001; });
    assert.match(await verdictOf(tied), /^vllm-self-hosted and together-serverless are not distinguishable by price: 0\.335 .* Next is 阿里云/);
    const many = like((data) => {
      data.platforms = Array.from({ length: 30 }, (_, i) => ({ ...structuredClone(fixture.platforms[0]), name: `p${i + 1}`, rank: i + 1 }));
    });
    assert.match(await verdictOf(many), /^p1, p2, p3, p4 and 26 more are not distinguishable by price: .* and … per million/);
    const none = like(({ platforms }) => platforms.forEach((p) => { p.feasible = false; p.rank = null; }));
    assert.match(await verdictOf(none), /^No platform meets the SLA at this load/);
    const only = like(({ platforms }) => platforms.slice(1).forEach((p) => { p.feasible = false; p.rank = null; }));
    assert.match(await verdictOf(only), /^Only vllm-self-hosted meets the SLA: 0\.335/);
    const bare = like(({ platforms }) => { platforms[0].cptls.low = null; });
    assert.match(await verdictOf(bare), /The difference is between point estimates/);
    const unpriced = like(({ platforms }) => platforms.forEach((p) => { p.cptls = null; }));
    assert.match(await verdictOf(unpriced), /^3 meet the SLA, but none has a known price/);
  },

  async 'never rounds a share across the target or up to 100 %'() {
    const { page, done } = await open('rounding', like(({ platforms }) => {
      platforms[0].attainment_requests = 0.9996;
      platforms[1].attainment_requests = 0.94996;
    }));
    const [first, second] = (await rankingOf(page)).map((row) => row['SLA attainment, % / by request'].split('\n')[0]);
    assert.deepEqual([first, second], ['99.96', '94.996']);
    await done();
    const cheap = like(({ platforms }) => { Object.assign(platforms[0].cptls, { amount: 0.002, low: 0.001, high: 0.003 }); });
    assert.match(await verdictOf(cheap), /99\.7 % below together-serverless/);
  },

  async 'opens a row by click and by key to all that stands behind it'() {
    const { page, done } = await open('details', fixture);
    const name = 'together-serverless';
    const { failures, offer, e2e_ms: e2e } = named(name);
    assert.equal(await page.isVisible('.detail'), false);
    await page.click(`tr[data-platform="${name}"] td.key`);
    const detail = await page.innerText('tr.details:not([hidden])');
    for (const { class: kind, count, example } of failures) {
      assert.ok(detail.includes(`${count} × ${kind}`) && detail.includes(example), kind);
    }
    assert.ok(detail.includes(offer.text) && detail.includes(offer.date));
    assert.ok(detail.includes(`[${grouped(e2e.p90_low, 0)}, ${grouped(e2e.p90_high, 0)}]`), 'interval of E2E P90');
    assert.match(detail, new RegExp(`\\s${grouped(e2e.n, 0)}\\s+${grouped(e2e.n_effective, 0)}\\s`), 'n and n_effective of E2E');
    assert.match(detail, /Certificate of the load generator\s+valid/);
    assert.equal(await page.getAttribute('tr.details a', 'href'), offer.source);
    await page.focus(`tr[data-platform="${name}"] .expander`);
    await page.keyboard.press('Enter');
    assert.equal(await page.isVisible('.detail'), false);
    await page.click('#open-all');
    assert.equal(await page.locator('.detail').count(), fixture.platforms.length);
    await done();
  },

  async 'speaks Chinese at the press of a button, keeps it, and obeys the address'() {
    const { page, shot, done } = await open('zh', fixture, { query: '' });
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.equal(await page.title(), 'chat-8b: vllm-self-hosted · Steelyard');
    await page.click('#language');
    assert.equal(await page.getAttribute('html', 'lang'), 'zh-CN');
    assert.equal(await page.innerText('#ranking-title'), '排名');
    assert.match(await page.innerText('.badges'), /实测\s+仿真/);
    assert.match(await page.innerText('.notes'), /物理上不可能/);
    await shot('zh');
    await page.reload();
    assert.equal(await page.innerText('#ranking-title'), '排名');
    await page.goto(`${page.url()}#lang=en`);
    await page.reload();
    assert.equal(await page.innerText('#ranking-title'), 'Ranking');
    await done();
    const chinese = await open('zh-locale', fixture, { query: '', locale: 'zh-CN' });
    assert.equal(await chinese.page.innerText('#ranking-title'), '排名');
    await chinese.done();
  },

  async 'works where storage is refused'() {
    const init = () => Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('refused', 'SecurityError'); } });
    const { page, done } = await open('no-storage', fixture, { init, query: '' });
    await page.click('#language');
    assert.equal(await page.innerText('#ranking-title'), '排名');
    await done();
  },

  async 'draws each curve and the SLA threshold of each latency'() {
    const { page, done } = await open('cdf', fixture);
    for (const [tab, limits] of [['ttft', 'ttft.p99<500ms (99 %)'], ['e2e', 'e2e<6s (95 %)'], ['tpot', '']]) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(100);
      assert.equal(await page.getAttribute('.chart', 'data-limits'), limits);
      for (const series of [0, 1, 2]) assert.ok((await inkOf(page, `--series-${series}`)).pixels > 300, `${tab}: curve ${series}`);
      const { tallest } = await inkOf(page, '--limit');
      assert.ok(limits === '' ? tallest < 0.1 : tallest > 0.6, `${tab}: threshold line ${tallest}`);
    }
    assert.equal((await inkOf(page, '--series-4')).pixels, 0); // modal completed no request
    await page.click('#tab-ttft');
    await page.waitForTimeout(100);
    await page.click('.reading tbody tr:nth-child(1) button');
    await page.waitForTimeout(100);
    assert.equal((await inkOf(page, '--series-0')).pixels, 0);
    await done();
  },

  async 'reads shares off the curves at the threshold and under the pointer'() {
    const { page, done } = await open('reading', fixture);
    const share = (name) => page.innerText(`.reading tr:has(button:has-text("${name}")) td`);
    const curve = named('llamacpp-cpu').cdf.ttft_ms;
    const at = (x) => (Math.max(0, ...curve.filter(([ms]) => ms <= x).map(([, y]) => y)) * 100).toFixed(1);
    assert.match(await page.innerText('.reading thead'), /≤ 500 ms/);
    assert.equal(await share('llamacpp-cpu'), at(500));
    assert.equal(await share('modal-scale-to-zero'), '–');
    await page.locator('.chart').scrollIntoViewIfNeeded();
    const box = await page.locator('.chart .u-over').boundingBox();
    await page.mouse.move(box.x + box.width * 0.78, box.y + box.height / 2);
    await page.waitForTimeout(100);
    const under = Number(/≤ ([\d.]+) ms/.exec(await page.innerText('.reading thead'))[1]);
    assert.ok(under > 250 && under < 450, String(under));
    const [low, high] = [at(under - 0.6), at(under + 0.6)].map(Number);
    const read = Number(await share('llamacpp-cpu'));
    assert.ok(read >= low && read <= high && read > 0 && read < 100, `${low} ${read} ${high}`);
    await done();
  },

  async 'draws bars to scale'() {
    const { page, done } = await open('bars', fixture);
    const widths = await page.$$eval('#bars-cost .bar:not(.scale)', (bars) => bars.map((bar) => bar.querySelector('rect')?.getBoundingClientRect().width ?? null));
    const amounts = fixture.platforms.map((p) => p.cptls?.amount ?? null);
    widths.forEach((width, index) => {
      if (amounts[index] === null) assert.equal(width, null);
      else assert.ok(Math.abs(width / widths[0] - amounts[index] / amounts[0]) < 0.03, `bar ${index}`);
    });
    await done();
  },

  async 'fits a narrow screen, a wide one, and the dark'() {
    const narrow = await open('narrow', fixture, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
    await narrow.page.click('tr[data-platform="together-serverless"] .expander');
    assert.equal(await overflowOf(narrow.page), 0);
    assert.ok(await narrow.page.$eval('.scroll', (box) => box.scrollWidth > box.clientWidth), 'the table scrolls in its box');
    await narrow.shot('narrow');
    await narrow.done();
    const dark = await open('dark', fixture, { colorScheme: 'dark' });
    await dark.page.click('tr[data-platform="together-serverless"] .expander');
    await dark.page.click('#tab-e2e');
    await dark.page.waitForTimeout(100);
    const [red] = (await dark.page.$eval('html', (html) => getComputedStyle(html).backgroundColor)).match(/\d+/g);
    assert.ok(Number(red) < 60);
    assert.ok((await inkOf(dark.page, '--series-0')).pixels > 300);
    assert.equal(await overflowOf(dark.page), 0);
    await dark.shot('dark');
    await dark.done();
    const dozen = await open('dozen', like((data) => {
      data.platforms = Array.from({ length: 12 }, (_, i) => ({ ...structuredClone(data.platforms[i % 3]), name: `${'平台'.repeat(12)}-${i}`, rank: i + 1 }));
      // As far apart as a free tier and a luxury: every price gets the decimals of the smallest.
      Object.assign(data.platforms[0].cptls, { amount: 0.0026, low: 0.0023, high: 0.0031 });
      Object.assign(data.platforms[11].cptls, { amount: 10619.12, low: 10234.56, high: 16347.89 });
    }), { viewport: { width: 390, height: 844 } });
    assert.equal((await rankingOf(dozen.page)).length, 12);
    assert.equal(await overflowOf(dozen.page), 0);
    await dozen.done();
  },

  async 'paints curves that stay apart in every kind of colour vision'() {
    for (const [media, colorScheme] of [['screen', 'light'], ['screen', 'dark'], ['print', 'dark']]) {
      const { page, done } = await open('palette', fixture, { colorScheme });
      await page.emulateMedia({ media, colorScheme });
      const [paper, ...series] = await page.evaluate((names) => names.map((name) =>
        getComputedStyle(document.documentElement).getPropertyValue(name).trim()), ['--paper', ...[0, 1, 2, 3, 4, 5].map((i) => `--series-${i}`)]);
      for (const colour of series) assert.ok(contrast(colour, paper) >= 3, `${media} ${colorScheme}: ${colour} on ${paper}`);
      const { distance, pair, vision } = closestPair(series);
      assert.ok(distance > 20, `${media} ${colorScheme}, ${vision}: ${pair} are ${distance.toFixed(0)} apart`);
      await done();
    }
  },

  async 'shows hostile text as text'() {
    const evil = '</script><img src=x onerror=alert(1)><!--<script>';
    const data = replaced(fixture, (value) => (typeof value === 'string' ? evil : value));
    data.platforms[0].offer.source = 'javascript:alert(1)//';
    for (const [name, text] of [['hostile', everyBracketEscaped(data)],
      ['hostile-closing-tags', JSON.stringify(data).replaceAll('<!--<script>', '').replaceAll('</', '<\\/')]]) {
      const { page, done } = await open(name, data, { text });
      await page.click('#open-all');
      const [first] = await rankingOf(page);
      assert.ok(evil.startsWith(first.name) && first.name.includes('<img src=x onerror=alert(1)>'));
      assert.equal(await page.locator('img, main script').count(), 0);
      assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
      await page.click('#language');
      await done();
    }
  },

  async 'survives whatever is missing or of the wrong kind'() {
    const broken = {
      'all-null': replaced(fixture, () => null),
      'all-text': replaced(fixture, () => 'text'),
      'all-zero': replaced(fixture, () => 0),
      'empty-lists': replaced(like((data) => data.platforms.forEach((p) => { p.cdf = { ttft_ms: [], e2e_ms: null }; })), (value) => value),
      'bare-platform': { platforms: [{}, null, { name: 'x', feasible: true, rank: 1, cptls: { amount: 1 } }] },
      'no-platform': like((data) => { data.platforms = []; }),
      'nothing-inside': {},
      ...Object.fromEntries(Object.keys(fixture).map((key) => [`no-${key}`, like((data) => { data[key] = null; })])),
    };
    // A platform lacks one key, its neighbour the next: each is missing once beside platforms that have it.
    const keys = Object.keys(fixture.platforms[0]);
    for (let first = 0; first < keys.length; first += fixture.platforms.length) {
      const lacking = keys.slice(first, first + fixture.platforms.length);
      broken[`platforms-without-${lacking.join('-')}`] = like((data) => lacking.forEach((key, i) => { data.platforms[i][key] = null; }));
    }
    const { page, load, done } = await open('broken', null);
    // At once: a hundred times, a person's click with its waiting would take most of the test.
    const press = (selector) => page.$eval(selector, (button) => button.click());
    for (const [name, data] of Object.entries(broken)) {
      await load(data);
      const rows = data.platforms?.length ?? 0;
      assert.equal(await page.locator('tr.platform').count(), rows, name);
      if (rows > 0) {
        await press('#open-all');
        await press('#tab-e2e');
      }
      await press('#language');
      assert.doesNotMatch(await page.innerText('body'), /NaN|undefined|null\b|Infinity|\[object/, name);
      assert.equal(await overflowOf(page), 0, name);
    }
    await done();
  },

  async 'says so when it is only the template, or its data is broken'() {
    for (const [text, words] of [['null', /template; it holds no data/], ['{"platforms": [', /not valid JSON/]]) {
      const { page, done } = await open('template', null, { text });
      assert.match(await page.innerText('main'), words);
      await done();
    }
  },
};

await run(tests);
