// Builds dist/report.html: one file with script and style inside, and a place for the data.
// node build.mjs [OUTPUT]. The same sources give the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? `${here}/dist/report.html`);
const slot = '<script type="application/json" id="steelyard-data">null</script>';

const { outputFiles } = await esbuild.build({
  entryPoints: [`${here}/src/main.tsx`],
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  outdir: 'dist',
  format: 'iife',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none', // src/licences.txt stands in the page in full
  target: ['es2020', 'chrome105', 'firefox110', 'safari16'],
});
const bundled = (suffix) => outputFiles.find((file) => file.path.endsWith(suffix)).text.trim();
const script = bundled('.js');
const style = bundled('.css');
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) {
  throw new Error('the bundle holds a sequence that would end its own element');
}

// The page may run this one script and load nothing at all; data that smuggles in markup stays dead.
const hash = createHash('sha256').update(script).digest('base64');
const parts = {
  licences: readFileSync(`${here}/src/licences.txt`, 'utf8').trim(),
  policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:`,
  style,
  slot,
  script,
};
const page = readFileSync(`${here}/src/page.html`, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if (page.split(slot).length !== 2) throw new Error('the slot must stand exactly once');

mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${Buffer.byteLength(page)} bytes`);
