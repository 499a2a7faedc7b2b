// Opens the report with given data in Chromium and watches what it must never do.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { installed, skip } from './modules.mjs';

const root = process.argv[2];
const out = `${root}/build/page`;
const template = readFileSync(`${root}/web/dist/report.html`, 'utf8');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (executablePath === undefined) skip('there is no /usr/bin/chromium');

const { chromium } = createRequire(`${installed(root)}/package.json`)('playwright-core');
mkdirSync(out, { recursive: true });
// Root may not use Chromium's sandbox; the page is our own.
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });

const hole = 'id="steelyard-data">null<';
/** As the contract asks at least: `</` may not stand in the data. */
export const closingTagsEscaped = (data) => JSON.stringify(data).replaceAll('</', '<\\/');
export const everyBracketEscaped = (data) => JSON.stringify(data).replaceAll('<', '\\u003c');

/** A file, opened; `done()` closes it and fails on an error, a dialog or a request that left the file. */
export async function openFile(file, { query = '?lang=en', init, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
  if (init) await context.addInitScript(init);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`); });
  const reload = async () => {
    await page.goto(`file://${file}${query}`);
    await page.waitForSelector('h1');
    assert.deepEqual(faults, [], file);
  };
  await reload();
  const shot = (shotName) => page.screenshot({ path: `${out}/${shotName}.png`, fullPage: true });
  const done = async () => {
    await page.waitForTimeout(50);
    await context.close();
    assert.deepEqual(faults, []);
  };
  return { page, reload, shot, done };
}

let pages = 0;  // tests run side by side, and each page is a file of its own

/** The page with the data, or with other data after `load`. */
export async function open(name, data, { text = closingTagsEscaped(data), ...options } = {}) {
  const file = `${out}/${++pages}-${name}.html`;
  const write = (json) => writeFileSync(file, template.replace(hole, () => `id="steelyard-data">${json}<`));
  write(text);
  const { reload, ...opened } = await openFile(file, options);
  const load = async (other, json = closingTagsEscaped(other)) => {
    write(json);
    await reload();
  };
  return { ...opened, load };
}

/** The table as people read it: one record a platform, keyed "group / column". */
export const rankingOf = (page) => page.evaluate(() => {
  const [groups, titles] = document.querySelectorAll('#ranking thead tr');
  const names = [...groups.cells].slice(2).flatMap((cell) => Array(cell.colSpan).fill(cell.innerText));
  const keys = [...titles.cells].map((cell, index) => `${names[index]} / ${cell.innerText}`);
  return [...document.querySelectorAll('#ranking tr.platform')].map((row) => {
    const [rank, name, ...cells] = row.cells;
    const values = cells.map((cell, index) => [keys[index], cell.innerText.trim()]);
    return { rank: rank.innerText.trim(), name: name.querySelector('.title').innerText, badges: name.querySelector('.badges').innerText, ...Object.fromEntries(values) };
  });
});

/** Pixels of the chart's canvas near a colour of the style sheet, and the fullest column of them. */
export const inkOf = (page, colour) => page.evaluate((name) => {
  const canvas = document.querySelector('.chart canvas');
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const { width, height } = canvas;
  const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const columns = new Array(width).fill(0);
  for (let i = 0; i < data.length; i += 4) {
    const near = Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 30 && data[i + 3] > 200;
    if (near) ++columns[(i / 4) % width];
  }
  return { pixels: columns.reduce((sum, n) => sum + n, 0), tallest: Math.max(...columns) / height };
}, colour);

export const overflowOf = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Runs every test, a few at a time (each has pages of its own and mostly waits), and ends the process. */
export async function run(tests) {
  const waiting = Object.entries(tests);
  const total = waiting.length;
  let failed = 0;
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [name, test] = next;
      const start = performance.now();
      try {
        await test();
        console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
      } catch (error) {
        ++failed;
        console.log(`FAIL  ${name}\n${error.stack}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 2 }, worker));
  await browser.close();
  console.log(`${total - failed} of ${total} passed; screenshots in build/page`);
  process.exit(failed > 0 ? 1 : 0);
}
