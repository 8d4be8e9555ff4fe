// npm run upgrade replaces the processes of the last release by those of this tree, one after the other, on one
// PostgreSQL behind HAProxy, while people use them. Nothing may be lost, duplicated or rejected for good.
//   npm run upgrade                the last release, as scripts/upgrade/last-release.json names it
//   npm run upgrade -- REVISION    the processes of another commit
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { installAndContinue, root } from './install.mjs';

installAndContinue();
const { build } = await import('./build.mjs');
const { startPostgres } = await import('../server/src/testing/postgres.ts');
const { freePort } = await import('../server/src/testing/free-port.ts');
const { createSimulator } = await import('../simulator/src/simulator.ts');
const { isLastRelease, replaced, replacedTree } = await import('./upgrade/tree.mjs');
const { startBalancer } = await import('./upgrade/balancer.mjs');
const { startProcess } = await import('./upgrade/processes.mjs');
const { broken, newFigures, newPerson, use } = await import('./upgrade/people.mjs');
const { oldCalls, newCalls } = await import('./upgrade/beside.mjs');
const { connectBeside } = await import('./upgrade/connections.mjs');

const people = 6;
/** At 20 ms each: somebody is always reading while a process stops, whether it generates the answer or forwards it. */
const [tokens, longTokens] = [60, 600];
const say = (text) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const began = performance.now();

const closing = [];
const failures = [];
const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
const pauseMs = 3_000;

/** The environment of both versions: a database, a provider, and a balancer that knows three places. */
async function open() {
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const simulator = createSimulator({ tokenDelayMs: 20 });
  const provider = await simulator.listen();
  closing.push(() => simulator.close());
  const [port, ...places] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const balancer = await startBalancer(folder, port, places);
  closing.push(() => balancer.stop());
  const env = {
    HOST: '127.0.0.1',
    PUBLIC_URL: balancer.url,
    TRUST_PROXY: '1',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: postgres.url,
    PROVIDER_BASE_URL: provider.url,
    RATE_LIMIT_SCALE: '1000',
    CONNECTIONS: 'open',
    PROVIDER_HOSTS_ALLOWED: '127.0.0.1',
  };
  const processes = [];
  async function start(tree, name, place) {
    const one = startProcess(tree, name, { ...env, PORT: String(places[place - 1]) });
    processes.push(one);
    closing.unshift(() => one.kill());
    await one.ready();
    say(`${name} is ready`);
    return one;
  }
  return { balancer, processes, start, providerUrl: provider.url };
}

/** Tests the old processes next to the first new one. Returns what must be there after the upgrade. */
async function checkBeside({ url, olds: [first, second], third, providerUrl }, administrator, leaving) {
  for (const old of [first, second]) {
    const status = (await old.readyz())?.status;
    if (status !== 200) failures.push(`${old.name} is not ready beside the new version: ${status}`);
  }
  if (isLastRelease) {
    const made = await oldCalls(second.url, url, administrator);
    failures.push(...(await newCalls(third.url, url, administrator, made)));
  }
  const places = { origin: url, oldUrl: first.url, newUrl: third.url, providerUrl };
  return connectBeside(places, administrator, leaving);
}

/** Replaces all processes of one tree by those of another, while people use them. */
async function roll(before, after) {
  const { balancer, processes, start, providerUrl } = await open();
  const { url } = balancer;
  const olds = [await start(before, 'old 1', 1), await start(before, 'old 2', 2)];
  await balancer.ready();
  const figures = newFigures();
  const everybody = [];
  for (let index = 1; index <= people; index++)
    everybody.push(await newPerson(url, figures, `person-${index}`, index === 1 ? longTokens : tokens));
  const stopping = new AbortController();
  const using = everybody.map((person) => use(person, stopping.signal));
  await wait(pauseMs);
  const third = await start(after, 'new 3', 3);
  const leaving = await newPerson(url, figures, 'leaving', tokens);
  const connections = await checkBeside({ url, olds, third, providerUrl }, everybody[0], leaving);
  failures.push(...connections.problems);
  say('old and new processes have used connections side by side');
  await wait(pauseMs);
  for (const [index, old] of olds.entries()) {
    const place = index + 1;
    // The last release cuts off its work when it stops, so it is drained first.
    await balancer.setState(place, 'drain');
    await wait(pauseMs);
    await old.stop();
    await balancer.setState(place, 'ready');
    say(`${old.name} has ended`);
    await start(after, `new ${place}`, place);
    await wait(pauseMs);
  }
  // This version needs no draining.
  await third.stop();
  say(`${third.name} has ended`);
  await wait(pauseMs);
  failures.push(...(await connections.isKept(url)));
  stopping.abort();
  await Promise.all(using);
  failures.push(...figures.failures);
  for (const person of everybody) failures.push(...(await broken(person)));
  for (const one of processes) failures.push(...one.errors().map((line) => `${one.name} logged ${line}`));
  return figures;
}

try {
  const before = replacedTree();
  if (!build()) throw new Error('The browser application could not be built');
  say(`the processes of ${replaced} are replaced`);
  const { reasons, failures: _, ...counted } = await roll(before, root);
  console.log(counted);
  for (const [reason, count] of reasons) console.log(`retried ${count} times: ${reason}`);
} catch (error) {
  failures.push(error.message);
} finally {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'Nothing was lost, doubled or refused.' : `${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
