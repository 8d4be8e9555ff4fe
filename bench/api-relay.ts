import { assistantsOf, runTarget } from './api-runs.ts';
import { now } from './clock.ts';
import { added, medianOf, ms, printTable, times, verdict } from './figures.ts';
import { firstTokens } from './first-token.ts';
import { runPaced, warmUp } from './paced.ts';
import { gateway, startPortkey } from './portkey.ts';
import type { Program } from './processes.ts';
import { type Person, post, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { mostStreams, secondsOf, settings } from './settings.ts';
import { type Source, startBareRelay, startSource } from './source-process.ts';
import { follow, sendRequest } from './streams.ts';
import { bearer, type Headers, model, relayTarget, type Target } from './targets.ts';

const chatForm = { before: '"content":"', last: 'data: [DONE]\n' };

/** A Chat Completions stream as a client requests it. */
const chatTarget = (name: string, port: number, program: Program | undefined, headers: Headers): Target => ({
  name,
  program,
  async stream(person, message, count, agent) {
    const messages = [{ role: 'user', content: message }];
    const body = JSON.stringify({ model, messages, stream: true });
    const asked = now();
    const path = '/v1/chat/completions';
    const answer = await sendRequest({ port, method: 'POST', path, headers: headers(person), body, agent });
    return follow(answer, { count, form: chatForm, asked, accepted: Number.NaN });
  },
});

/** Users with a token each. */
async function startWithPrograms(source: Source) {
  const folder = temporaryFolder();
  const preparing = await startRoster(folder, source.port);
  const people = await preparePeople(preparing.port, mostStreams);
  const tokens = new Map<Person, string>();
  for (const person of people) {
    const draft = { name: 'bench', rights: ['chat'], expiresInDays: null };
    const { token } = await post<{ token: string }>(preparing.port, '/api/access-tokens', person.headers, draft);
    tokens.set(person, token);
  }
  const assistants = await assistantsOf(preparing.port, tokens);
  // Restarted, because hashing passwords took memory and time that do not belong to the streams.
  await preparing.program.stop();
  const roster = await startRoster(folder, source.port, { profiled: true });
  return { roster, people, headers: (person: Person) => bearer(tokens.get(person) ?? ''), assistants };
}

type Stage = { targets: Target[]; source: Source; people: Person[]; faults: string[] };

/** Measures each target in turn, several times; reports use the medians. */
async function measured<T>({ targets }: Stage, measure: (target: Target) => Promise<T>): Promise<T[][]> {
  const all: T[][] = targets.map(() => []);
  for (let run = 1; run <= settings.runs; run++)
    for (const [index, target] of targets.entries()) all[index]?.push(await measure(target));
  return all;
}

type Aim = { compare: 'added' | 'ratio'; aim?: number };

/** The medians of a figure, and how the second compares with the first. */
function row<T>(what: string, all: T[][], figure: (one: T) => number, { compare, aim }: Aim): string[] {
  const values = all.map((runs) => medianOf(runs, figure));
  const [floor = Number.NaN, own = Number.NaN] = values;
  const compared = compare === 'added' ? own - floor : own / floor;
  const shown = compare === 'added' ? added(compared) : times(compared);
  const judged =
    aim === undefined ? ['', ''] : [compare === 'added' ? `+${aim} ms` : `${aim}×`, verdict(compared, aim)];
  return [what, ...values.map(ms), shown, ...judged];
}

/**
 * First tokens one after the other, then this many paced streams at once. `aims`: for a first token and for CPU time.
 */
async function measureStage(stage: Stage, what: string, aims: { first: number; processor?: number }) {
  const { targets, source, people, faults } = stage;
  const early: Aim = { compare: 'added', aim: aims.first };
  const load: Aim = { compare: 'ratio', ...(aims.processor !== undefined && { aim: aims.processor }) };
  console.log(`${what}: warming up`);
  for (const target of targets) await warmUp(target, source, people);
  console.log(`${what}: first tokens`);
  const first = await measured(stage, (target) => firstTokens(target, people, true));
  const rows = [row('first token, p50', first, ({ p50 }) => p50, early)];
  for (const level of settings.levels) {
    console.log(`${what}: ${level} streams`);
    const paced = await measured(stage, async (target) => {
      const result = await runPaced(target, source, people.slice(0, level), secondsOf(level));
      for (const [fault, count] of Object.entries(result.faults))
        if (count > 0) faults.push(`${target.name}, ${level} streams of ${what}: ${count} ${fault}`);
      return result;
    });
    rows.push(
      row(`${level} streams: first token, p50`, paced, (one) => one.firstToken.p50, early),
      row(`${level} streams: processor, per stream and second`, paced, (one) => one.cpu.whole, load),
      row(`${level} streams: the same, without begin and end`, paced, (one) => one.cpu.steady, load),
    );
  }
  printTable(what, ['', ...targets.map(({ name }) => name), 'Roster against bare', 'aim', ''], rows);
}

/** Measures clients' streams: what Roster adds to a bare relay in time and CPU, next to another gateway. */
export async function measureApiRelay(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const bare = await startBareRelay(source.port);
  const portkey = await startPortkey(source.port);
  const { roster, people, headers, assistants } = await startWithPrograms(source);
  const byKey: Headers = ({ key }) => bearer(key);
  const faults: string[] = [];
  const chat = [
    chatTarget('bare relay', bare.port, bare.program, byKey),
    chatTarget('Roster', roster.port, roster.program, headers),
    ...(portkey
      ? [chatTarget(gateway, portkey.port, portkey.program, (one) => ({ ...byKey(one), ...portkey.headers }))]
      : []),
  ];
  // A run uses Responses, so the relay forwards those.
  const runs = [
    relayTarget('bare relay', bare.port, bare.program),
    runTarget(roster.port, roster.program, headers, assistants),
  ];
  const stage = { source, people, faults };
  await measureStage({ ...stage, targets: chat }, 'Chat Completions of programs', { first: 1, processor: 1.5 });
  await measureStage({ ...stage, targets: runs }, 'Runs of the Assistants API', { first: 8 });
  for (const { program } of [roster, bare, source, ...(portkey ? [portkey] : [])]) await program.stop();
  return { faults };
}
