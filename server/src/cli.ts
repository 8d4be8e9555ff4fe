#!/usr/bin/env -S node --max-semi-space-size=2 --disable-warning=ExperimentalWarning
// `roster`, the command of the installed npm package. Young objects get 2 MB at a time, as in scripts/start.mjs.
// Node.js 22 warns at each start that its SQLite is experimental; Roster is tested with it.
import { readFileSync } from 'node:fs';

/** npx ends only the shell in between, but the user means the server: stop when the parent process is gone. */
function exitWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

const versionNumbers = (text: string) => (text.match(/\d+/g) ?? []).map(Number);

/**
 * npm only warns about `engines`, so check it here. Runs before any import of Roster, which an older Node.js might not
 * load.
 */
function isOlder(needed: string): boolean {
  const [major = 0, minor = 0] = versionNumbers(process.versions.node);
  const [neededMajor = 0, neededMinor = 0] = versionNumbers(needed);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

const about: { engines: { node: string } } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
const [word, ...more] = process.argv.slice(2);

if (isOlder(about.engines.node)) {
  console.error(`Roster needs Node.js ${about.engines.node.slice(2)} or newer. This is ${process.version}.`);
  process.exitCode = 1;
} else if (word === undefined || (word === 'start' && more.length === 0)) {
  if (process.env.npm_command === 'exec') exitWithParent();
  await import('./main.ts');
} else await import('./cli/main.ts');
