import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { median, ms, printTable, times } from './figures.ts';
import { newThreads, type Person, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { startBareRelay, startSource } from './source-process.ts';
import { messageFor, relayTarget, rosterTarget, type Target } from './targets.ts';

const people = 50;
const gapsMs = [0, 2, 20, 100];
const words = 2;
const message = messageFor(words, 50);
const warmUps = 10;

/** The cost of a start and an end by the time between them: the work is the same each time, the caches are not. */
export async function measureBeginnings(): Promise<{ faults: string[] }> {
  console.log(`Beginnings: preparing ${people} people …`);
  const source = await startSource();
  const bare = await startBareRelay(source.port);
  const roster = await startRoster(temporaryFolder(), source.port);
  const persons = await preparePeople(roster.port, people);
  const targets = [relayTarget('bare relay', bare.port, bare.program), rosterTarget(roster.port, roster.program)];
  const once = async (target: Target, gapMs: number) => {
    if (target.name === 'Roster') await newThreads(roster.port, persons);
    return cpuOfEach(target, persons, gapMs);
  };
  for (let time = 0; time < warmUps; time++) for (const target of targets) await once(target, 2);
  const rows: string[][] = [];
  for (const gap of gapsMs) {
    const [floor, own]: [number[], number[]] = [[], []];
    for (let run = 0; run < 2 * settings.runs; run++)
      for (const target of targets) (target.name === 'Roster' ? own : floor).push(await once(target, gap));
    rows.push([`${gap} ms apart`, ms(median(floor)), ms(median(own)), times(median(own) / median(floor))]);
  }
  for (const { program } of [roster, bare, source]) await program.stop();
  printTable('Processor of one stream of two words', ['streams begin', 'bare relay', 'Roster', 'ratio'], rows);
  return { faults: [] };
}

async function cpuOfEach(target: Target, persons: Person[], gapMs: number): Promise<number> {
  const from = target.program?.cpuMs() ?? Number.NaN;
  await Promise.all(
    persons.map(async (person, index) => {
      await wait(index * gapMs);
      const agent = new Agent({ keepAlive: true });
      await target.stream(person, message, words, agent);
      agent.destroy();
    }),
  );
  return ((target.program?.cpuMs() ?? Number.NaN) - from) / persons.length;
}
