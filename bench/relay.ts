import { exchange } from './exchange.ts';
import { commits, type FirstTokens, firstTokens } from './first-token.ts';
import { type PacedResult, runPaced, warmUp } from './paced.ts';
import { gateway, startPortkey } from './portkey.ts';
import { reportRelay } from './relay-report.ts';
import { newThreads, type Person, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { mostStreams, secondsOf, settings, tokenEveryMs } from './settings.ts';
import { type Source, startBareRelay, startSource } from './source-process.ts';
import { relayTarget, rosterTarget, type Target } from './targets.ts';
import { wordsOf } from './tokens.ts';

export type TargetResult = {
  target: Target;
  paced: Map<number, PacedResult[]>;
  fresh: FirstTokens[];
  kept: FirstTokens[];
};

type Stage = { source: Source; people: Person[]; rosterPort: number; measured: TargetResult[] };

/**
 * Measures relaying answers: time to first token, token delay, CPU time and memory, and checks that no token is lost.
 */
export async function measureRelay(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const bare = await startBareRelay(source.port);
  const portkey = await startPortkey(source.port);
  const { roster, people } = await startWithPeople(source, mostStreams);
  const targets = [
    relayTarget('provider', source.port, undefined),
    relayTarget('bare relay', bare.port, bare.program),
    rosterTarget(roster.port, roster.program),
    ...(portkey ? [relayTarget(gateway, portkey.port, portkey.program, portkey.headers)] : []),
  ];
  const measured = targets.map((target): TargetResult => ({ target, paced: new Map(), fresh: [], kept: [] }));
  const stage = { source, people, rosterPort: roster.port, measured };

  console.log('Warming up …');
  await newThreads(roster.port, people);
  for (const target of targets) await warmUp(target, source, people);

  const faults: string[] = [];
  for (let run = 1; run <= settings.runs; run++) {
    console.log(`Relay, run ${run} of ${settings.runs}: first tokens`);
    await measureFirstTokens(stage);
    for (const level of settings.levels) {
      console.log(`Relay, run ${run} of ${settings.runs}: ${level} streams`);
      faults.push(...(await measureStreams(stage, level)));
    }
  }
  const commit = commits();
  for (const { program } of [roster, bare, source, ...(portkey ? [portkey] : [])]) await program.stop();
  reportRelay(measured, commit);
  return { faults };
}

async function startWithPeople(source: Source, count: number) {
  console.log(`Preparing ${count} people …`);
  const folder = temporaryFolder();
  const preparing = await startRoster(folder, source.port);
  const people = await preparePeople(preparing.port, count);
  // Restarted, because hashing passwords took memory that does not belong to the streams.
  await preparing.program.stop();
  return { roster: await startRoster(folder, source.port, { profiled: true }), people };
}

async function measureFirstTokens({ people, rosterPort, measured }: Stage) {
  for (const { target, fresh, kept } of measured) {
    if (target.name === 'Roster') await newThreads(rosterPort, people);
    fresh.push(await firstTokens(target, people, false));
    kept.push(await firstTokens(target, people, true));
  }
}

async function measureStreams({ source, people, rosterPort, measured }: Stage, level: number): Promise<string[]> {
  const asking = people.slice(0, level);
  const faults: string[] = [];
  for (const { target, paced } of measured) {
    // The gateway is compared under load only, to spend the time on the others.
    if (target.name === gateway && level < mostStreams) continue;
    const isRoster = target.name === 'Roster';
    if (isRoster) await newThreads(rosterPort, asking);
    const result = await runPaced(target, source, asking, secondsOf(level));
    paced.set(level, [...(paced.get(level) ?? []), result]);
    const found = Object.entries(result.faults).filter(([, count]) => count > 0);
    faults.push(...found.map(([fault, count]) => `${target.name}, ${level} streams: ${count} ${fault}`));
    if (isRoster) faults.push(...(await storedWrongly(rosterPort, asking, secondsOf(level))));
  }
  return faults;
}

/** Compares the answers with those in the database. */
async function storedWrongly(port: number, people: Person[], seconds: number): Promise<string[]> {
  const expected = wordsOf(Math.round((seconds * 1000) / tokenEveryMs));
  const wrong: string[] = [];
  for (const { threadId, headers } of people) {
    const { text } = await exchange({
      port,
      method: 'GET',
      path: `/api/threads/${threadId}/messages?limit=1`,
      headers,
    });
    const { items }: { items: { text: string; state: string }[] } = JSON.parse(text);
    const [answer] = items;
    if (answer?.state !== 'complete' || answer.text !== expected)
      wrong.push(`Roster stored thread ${threadId} wrongly`);
  }
  return wrong;
}
