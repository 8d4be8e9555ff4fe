// Checks the package as installed without a clone, on the oldest supported Node.js: its contents, that it finds its
// dependencies, starts and stops.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeOf, root } from '../install.mjs';
import { patienceMs } from '../test/patience.ts';
import { filesBelow } from './emit.mjs';
import { makePackage, oldestNode } from './make.mjs';

const largest = 8 * 1024 * 1024;
const failures = [];
const expect = (isSo, what) => isSo || failures.push(what);

const node = nodeOf(oldestNode, 'node-oldest');
if (!node) throw new Error(`Node.js ${oldestNode} could not be fetched`);
const folder = mkdtempSync(join(tmpdir(), 'roster-package-check-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** As npm lays it out; only what the package itself names can be found. */
function installed(file) {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  spawnSync('tar', ['-xzf', file, '-C', modules], { stdio: 'inherit' });
  const place = join(modules, 'package');
  const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  return place;
}

/** Each module separately: one that is loaded later would fail only then. */
function namesMissing(place) {
  const specifier = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]|new URL\(['"]([^'"]+)['"], import\.meta\.url/g;
  const places = { '#server/': 'server/src/', '#contracts/': 'contracts/src/' };
  for (const path of filesBelow('server', place).concat(filesBelow('contracts', place))) {
    if (!path.endsWith('.js')) continue;
    for (const [, imported, address] of readFileSync(join(place, path), 'utf8').matchAll(specifier)) {
      const name = imported ?? address;
      const alias = Object.keys(places).find((start) => name.startsWith(start));
      const file = alias ? `${name.replace(alias, places[alias])}.js` : join(dirname(path), name);
      if (alias || name.startsWith('.'))
        expect(existsSync(join(place, file)), `${path} names ${name}, which is not there`);
      else expect(!/^@roster/.test(name), `${path} names ${name}`);
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answers(address) {
  for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt; ) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) return response.text();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return '';
}

async function starts(place) {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'warn' };
  const child = spawn(node, ['server/src/cli.js', 'start'], {
    cwd: place,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const ready = await Promise.race([answers(`http://127.0.0.1:${port}/readyz`), ended]);
  if (!String(ready).includes('ready')) {
    // Nothing more to wait for.
    child.kill('SIGKILL');
    return void failures.push('It does not start');
  }
  const page = await answers(`http://localhost:${port}/auth`);
  const [, script = '/none'] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  expect((await answers(`http://localhost:${port}${script}`)).length > 0, 'There is no page');
  child.kill('SIGTERM');
  expect((await ended) === 0, 'It does not stop in order');
  expect(existsSync(join(place, 'data/roster.db')), 'The data folder is not where it was started');
}

const file = makePackage(folder);
expect(statSync(file).size <= largest, `It is larger than ${largest} bytes`);
const place = installed(file);
const forTests = filesBelow('.', place).filter((path) => /\.test\.|\/testing\/|\.map$/.test(path));
expect(forTests.length === 0, `It holds ${forTests.join(', ')}`);
namesMissing(place);
const { stdout } = spawnSync(node, [join(place, 'server/src/cli.js'), '--version'], { encoding: 'utf8' });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
expect(stdout === `${version}\n`, `It says that its version is ${stdout}`);
await starts(place);
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);
