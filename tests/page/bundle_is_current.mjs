// The committed web/dist/report.html is what its sources build, and is one file that loads nothing.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { installed } from './modules.mjs';

const root = process.argv[2];
const work = installed(root);
const faults = [];

function node(...args) {
  const run = spawnSync(process.execPath, args, { cwd: work, encoding: 'utf8' });
  if (run.status !== 0) {
    console.log(run.stdout + run.stderr);
    process.exit(1);
  }
}
node('node_modules/typescript/bin/tsc', '--noEmit');
node('build.mjs', `${work}/first.html`);
node('build.mjs', `${work}/second.html`);

const [first, second] = ['first', 'second'].map((name) => readFileSync(`${work}/${name}.html`));
const committed = readFileSync(`${root}/web/dist/report.html`);
if (!first.equals(second)) faults.push('two builds of the same sources differ');
if (!first.equals(committed)) {
  faults.push('web/dist/report.html is not what web/src builds; run `npm ci && npm run build` in web/ and commit it');
}

const page = committed.toString();
const slot = '\n<script type="application/json" id="steelyard-data">null</script>\n';
if (page.split(slot).length !== 2) faults.push('the slot line must stand exactly once, on a line of its own');
if (committed.length >= 1_000_000) faults.push(`${committed.length} bytes; a report must stay under 1 MB`);
const outside = /<(script|link|img|iframe)\b[^>]*\b(src|href)="(?!data:)[^"]*"|url\((?!["']?data:)[^)]*\)|@import/i.exec(page);
if (outside) faults.push(`it names an outside resource: ${outside[0].slice(0, 80)}`);

console.log(faults.length > 0 ? faults.join('\n') : `${committed.length} bytes, as built from web/src by Node ${process.version}`);
process.exit(faults.length > 0 ? 1 : 0);
