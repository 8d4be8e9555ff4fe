import { now } from './clock.ts';
import { added, medianOf, ms, printTable, times, verdict } from './figures.ts';
import { firstTokens } from './first-token.ts';
import { runPaced } from './paced.ts';
import { gateway, startPortkey } from './portkey.ts';
import type { Program } from './processes.ts';
import { type Person, post, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { mostStreams, secondsOf, settings } from './settings.ts';
import { type Source, startBareRelay, startSource } from './source-process.ts';
import { follow, send } from './streams.ts';
import { model, type Target } from './targets.ts';

const chatForm = { before: '"content":"', last: 'data: [DONE]\n' };

type Headers = (person: Person) => Record<string, string>;

/** A stream of Chat Completions, as a program asks for one. */
const chatTarget = (name: string, port: number, program: Program | undefined, headers: Headers): Target => ({
  name,
  program,
  async stream(person, message, count, agent) {
    const messages = [{ role: 'user', content: message }];
    const body = JSON.stringify({ model, messages, stream: true });
    const asked = now();
    const path = '/v1/chat/completions';
    const answer = await send({ port, method: 'POST', path, headers: headers(person), body, agent });
    return follow(answer, { count, form: chatForm, asked, accepted: Number.NaN });
  },
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** People with a token each. */
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
  // Started again, because hashing their passwords took memory and time that are none of the streams'.
  await preparing.program.stop();
  return { roster: await startRoster(folder, source.port, { profiled: true }), people, tokens };
}

/** Passing on the streams of programs: what Roster adds to a bare pipe and to the processor, with another gateway beside it. */
export async function measureApiRelay(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const bare = await startBareRelay(source.port);
  const portkey = await startPortkey(source.port);
  const { roster, people, tokens } = await startWithPrograms(source);
  const byKey: Headers = ({ key }) => bearer(key);
  const targets = [
    chatTarget('bare relay', bare.port, bare.program, byKey),
    chatTarget('Roster', roster.port, roster.program, (person) => bearer(tokens.get(person) ?? '')),
    ...(portkey
      ? [chatTarget(gateway, portkey.port, portkey.program, (one) => ({ ...byKey(one), ...portkey.headers }))]
      : []),
  ];
  const faults: string[] = [];
  const rows: string[][] = [];

  /** The medians of all runs, of each target. */
  async function measured<T>(measure: (target: Target) => Promise<T>): Promise<T[][]> {
    const all: T[][] = targets.map(() => []);
    for (let run = 1; run <= settings.runs; run++)
      for (const [index, target] of targets.entries()) all[index]?.push(await measure(target));
    return all;
  }
  function row<T>(what: string, all: T[][], figure: (one: T) => number, compare: 'added' | 'ratio', aim: number) {
    const values = all.map((runs) => medianOf(runs, figure));
    const [floor = Number.NaN, own = Number.NaN] = values;
    const compared = compare === 'added' ? own - floor : own / floor;
    const shown = compare === 'added' ? [added(compared), `+${aim} ms`] : [times(compared), `${aim}×`];
    rows.push([what, ...values.map(ms), ...shown, verdict(compared, aim)]);
  }

  for (const target of targets) await runPaced(target, source, people.slice(0, 20), 2);
  console.log('Programs: first tokens');
  const first = await measured((target) => firstTokens(target, people, true));
  row('first token, p50', first, ({ p50 }) => p50, 'added', 1);
  for (const level of settings.levels) {
    console.log(`Programs: ${level} streams`);
    const paced = await measured(async (target) => {
      const result = await runPaced(target, source, people.slice(0, level), secondsOf(level));
      for (const [fault, count] of Object.entries(result.faults))
        if (count > 0) faults.push(`${target.name}, ${level} streams of programs: ${count} ${fault}`);
      return result;
    });
    row(`${level} streams: first token, p50`, paced, (one) => one.firstToken.p50, 'added', 1);
    row(`${level} streams: processor, per stream and second`, paced, (one) => one.cpu.whole, 'ratio', 1.5);
    row(`${level} streams: the same, without begin and end`, paced, (one) => one.cpu.steady, 'ratio', 1.5);
  }
  for (const { program } of [roster, bare, source, ...(portkey ? [portkey] : [])]) await program.stop();
  printTable(
    'Chat Completions of programs',
    ['', ...targets.map(({ name }) => name), 'Roster against bare', 'aim', ''],
    rows,
  );
  return { faults };
}
