// build/web: a copy of web/ with its locked packages, so that no node_modules stands in the source tree.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

/** Copies web/ into build/web and installs what package-lock.json names, unless that already stands. */
export function installed(root) {
  const work = `${root}/build/web`;
  rmSync(`${work}/src`, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'build.mjs', 'src']) {
    cpSync(`${root}/web/${name}`, `${work}/${name}`, { recursive: true });
  }
  const lock = readFileSync(`${work}/package-lock.json`, 'utf8');
  const stamp = `${work}/node_modules/.installed-lock`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return work;

  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'], {
    cwd: work, encoding: 'utf8', timeout: 240_000,
  });
  if (npm.error?.code === 'ENOENT') skip('there is no npm command, and build/web/node_modules is not there yet');
  if (npm.status !== 0) {
    const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E50[0-9])\b|network/;
    if (npm.error?.code === 'ETIMEDOUT' || unreachable.test(npm.stderr)) {
      skip('the npm registry cannot be reached, and build/web/node_modules is not there yet');
    }
    console.log(`npm ci failed:\n${npm.stderr}`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
  return work;
}
