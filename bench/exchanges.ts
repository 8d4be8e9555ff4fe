import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../server/src/testing/free-port.ts';
import { now } from './clock.ts';
import { medianOf, ms, percentile, printTable, times, verdict } from './figures.ts';
import { root, startProgram } from './processes.ts';
import { newThreads, type Person, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { startSource } from './source-process.ts';
import { messageFor, relayTarget, rosterTarget, type Target } from './targets.ts';

/** A short answer, generated as fast as the provider can. */
const words = 30;
const message = messageFor(words, 0);
const people = 200;
/** Exchanges timed one after the other per run, by this many users at a time. */
const exchanges = 600;
const atATime = 8;
const cpuAimMs = 3.5;

/** The result of a run: CPU time and rate of sequential exchanges, and first tokens of all at once. */
type Run = { cpuMs: number; aSecond: number; crowd: { p50: number; p95: number; cpuMs: number }; faults: number };

/**
 * Measures a whole exchange from the question to the end of the answer: its cost, and a crowd's wait for the first
 * token.
 */
export async function measureExchanges(): Promise<{ faults: string[] }> {
  console.log(`Exchanges: preparing ${people} people …`);
  const source = await startSource();
  const folder = temporaryFolder();
  const preparing = await startRoster(folder, source.port);
  const persons = await preparePeople(preparing.port, people);
  await preparing.program.stop();
  const roster = await startRoster(folder, source.port, { profiled: true });
  const floor = await startFloor(source.port);
  const targets = [
    relayTarget('two commits and a relay', floor.port, floor.program),
    rosterTarget(roster.port, roster.program),
  ];
  const runs = new Map<Target, Run[]>(targets.map((target) => [target, []]));
  await newThreads(roster.port, persons);
  for (const target of targets) await oneAfterTheOther(target, persons, 200);
  for (let run = 1; run <= settings.runs; run++) {
    console.log(`Exchanges, run ${run} of ${settings.runs}`);
    for (const [target, measured] of runs) {
      // New threads: a long one would cost more with each question, in every run.
      await newThreads(roster.port, persons);
      measured.push(await measureOnce(target, persons));
    }
  }
  for (const { program } of [roster, floor, source]) await program.stop();
  report(runs);
  const faulty = [...runs.values()].flat().reduce((sum, { faults }) => sum + faults, 0);
  return { faults: faulty === 0 ? [] : [`${faulty} exchanges had lost, doubled or reordered words`] };
}

async function startFloor(upstreamPort: number) {
  const port = await freePort();
  const file = join(temporaryFolder(), 'floor.db');
  const program = startProgram('Two commits and a relay', [join(root, 'bench/bare-exchange.ts')], {
    env: { PORT: String(port), UPSTREAM_PORT: String(upstreamPort), FILE: file },
  });
  return { port, program };
}

async function measureOnce(target: Target, persons: Person[]): Promise<Run> {
  const one = await oneAfterTheOther(target, persons, exchanges);
  const crowd = await allAtOnce(target, persons);
  return { cpuMs: one.cpuMs, aSecond: one.aSecond, crowd, faults: one.faults + crowd.faults };
}

async function oneAfterTheOther(target: Target, persons: Person[], count: number) {
  const { program } = target;
  const queue = Array.from({ length: count }, (_, index) => persons[index % persons.length]);
  let faults = 0;
  async function next(agent: Agent): Promise<void> {
    const person = queue.pop();
    if (!person) return;
    const { reader } = await target.stream(person, message, words, agent);
    faults += reader.lost + reader.doubled + reader.reordered;
    return next(agent);
  }
  const from = { cpu: program?.cpuMs() ?? Number.NaN, at: now() };
  const agents = Array.from({ length: atATime }, () => new Agent({ keepAlive: true }));
  await Promise.all(agents.map(next));
  const cpu = (program?.cpuMs() ?? Number.NaN) - from.cpu;
  const seconds = (now() - from.at) / 1000;
  for (const agent of agents) agent.destroy();
  return { cpuMs: cpu / count, aSecond: count / seconds, faults };
}

async function allAtOnce(target: Target, persons: Person[]) {
  const from = target.program?.cpuMs() ?? Number.NaN;
  const heard = await Promise.all(
    persons.map(async (person) => {
      const agent = new Agent({ keepAlive: true });
      const answer = await target.stream(person, message, words, agent);
      agent.destroy();
      return answer;
    }),
  );
  const cpu = (target.program?.cpuMs() ?? Number.NaN) - from;
  const firsts = heard.map(({ firstToken }) => firstToken);
  const faults = heard.reduce((sum, { reader }) => sum + reader.lost + reader.doubled + reader.reordered, 0);
  return { p50: percentile(firsts, 50), p95: percentile(firsts, 95), cpuMs: cpu / persons.length, faults };
}

function report(runs: Map<Target, Run[]>) {
  const [floor = [], own = []] = [...runs.values()];
  const row = (what: string, figure: (run: Run) => number, aim?: number, show: (value: number) => string = ms) => {
    const [bare, mine] = [medianOf(floor, figure), medianOf(own, figure)];
    const judged = aim === undefined ? ['', ''] : [show(aim), verdict(mine, aim)];
    return [what, show(bare), show(mine), times(mine / bare), ...judged];
  };
  printTable(
    `An exchange: a question, an answer of ${words} words, its end`,
    ['', ...[...runs.keys()].map(({ name }) => name), 'ratio', 'aim', ''],
    [
      row('processor, one after the other', ({ cpuMs }) => cpuMs, cpuAimMs),
      row(
        'in a second',
        ({ aSecond }) => aSecond,
        undefined,
        (value) => value.toFixed(0),
      ),
      row(`${people} at once: processor of one`, ({ crowd }) => crowd.cpuMs),
      row(`${people} at once: first word, p50`, ({ crowd }) => crowd.p50),
      row(`${people} at once: first word, p95`, ({ crowd }) => crowd.p95),
    ],
  );
}
