import { setTimeout as wait } from 'node:timers/promises';
import type { Thread } from '../contracts/src/chat.ts';
import type { ToolServer, ToolServerTools } from '../contracts/src/tool-servers/tool-servers.ts';
import { startToolServer } from '../server/src/testing/tool-peer.ts';
import { exchange } from './exchange.ts';
import { median, megabytes, ms, printTable, times } from './figures.ts';
import type { Program } from './processes.ts';
import { get, type Person, post, preparePeople, type Roster, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { type Source, startSource } from './source-process.ts';

const warmUps = 20;
const answersInRun = 100;
const threads = 50;
const plain = '[[bench 30]]';
/** Calls the assistant's only tool, then answers in the same way with its output. */
const withTool = '[[call]] [[bench 30]]';

type Place = { port: number; person: Person };

/** Roster with one user, whose assistant has one connected tool. */
async function prepared(source: Source, toolUrl: string, approval: 'always' | 'never') {
  const roster = await startRoster(temporaryFolder(), source.port, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
  const [person] = await preparePeople(roster.port, 1);
  if (!person) throw new Error('There is nobody to measure with');
  const { headers, assistantId } = person;
  const { id } = await post<ToolServer>(roster.port, '/api/tool-servers', headers, { name: 'Notes', url: toolUrl });
  await until(async () => {
    const servers = await get<ToolServer[]>(roster.port, '/api/tool-servers', headers);
    return servers.every(({ state }) => state === 'ready');
  });
  const { tools } = await get<ToolServerTools>(roster.port, `/api/tool-servers/${id}/tools`, headers);
  const choices = tools.slice(0, 1).map(({ name, digest }) => ({ serverId: id, name, digest, approval }));
  await post(roster.port, `/api/assistants/${assistantId}/tools`, headers, { tools: choices });
  return { roster, place: { port: roster.port, person } };
}

async function until(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await wait(20);
}

async function newThread({ port, person }: Place) {
  const draft = { title: 'Measured', assistantId: person.assistantId };
  return (await post<Thread>(port, '/api/threads', person.headers, draft)).id;
}

let asked = 0;
const sendMessage = ({ port, person }: Place, threadId: number, message: string) =>
  post<{ run: { id: number } }>(port, `/api/threads/${threadId}/messages`, person.headers, {
    message,
    clientId: `bench-tools-${String(++asked).padStart(8, '0')}`,
  });

/** From the question to the last event. Returns what went wrong. */
async function answered(place: Place, threadId: number, message: string): Promise<string | null> {
  const { run } = await sendMessage(place, threadId, message);
  const path = `/api/runs/${run.id}/events`;
  const { text } = await exchange({ port: place.port, method: 'GET', path, headers: place.person.headers });
  return text.includes('"type":"finished"') && text.includes(' t0029') ? null : `An answer did not come whole: ${path}`;
}

type ToolTimes = { p50: number; cpuMs: number; faults: string[] };

async function answersTo(place: Place, program: Program, message: string, count: number): Promise<ToolTimes> {
  const taken: number[] = [];
  const faults: string[] = [];
  const from = program.cpuMs();
  for (let index = 0; index < count; index++) {
    const threadId = await newThread(place);
    const began = performance.now();
    const fault = await answered(place, threadId, message);
    taken.push(performance.now() - began);
    if (fault) faults.push(fault);
  }
  return { p50: median(taken), cpuMs: (program.cpuMs() - from) / count, faults };
}

/** Measures answers with one tool step, each next to one without. */
async function measureSteps(source: Source, toolUrl: string): Promise<string[]> {
  const { roster, place } = await prepared(source, toolUrl, 'never');
  const runs: Record<'none' | 'one', ToolTimes[]> = { none: [], one: [] };
  for (const message of [plain, withTool]) await answersTo(place, roster.program, message, warmUps);
  for (let run = 1; run <= settings.runs; run++) {
    console.log(`Tools, run ${run} of ${settings.runs}`);
    runs.none.push(await answersTo(place, roster.program, plain, answersInRun));
    runs.one.push(await answersTo(place, roster.program, withTool, answersInRun));
  }
  await roster.program.stop();
  const of = (figure: (one: ToolTimes) => number) => [median(runs.none.map(figure)), median(runs.one.map(figure))];
  const row = (what: string, [none = Number.NaN, one = Number.NaN]: number[]) => [
    what,
    ms(none),
    ms(one),
    times(one / none),
  ];
  printTable(
    'An answer of 30 tokens, one after the other, from the question to its last event',
    ['', 'no tool', 'one step of a tool', 'ratio'],
    [
      row(
        'time, p50',
        of(({ p50 }) => p50),
      ),
      row(
        'processor',
        of(({ cpuMs }) => cpuMs),
      ),
    ],
  );
  return [...runs.none, ...runs.one].flatMap(({ faults }) => faults);
}

/** The memory of a new process after this many threads: answered, or waiting for a user. */
async function memoryAfter(source: Source, toolUrl: string, waits: boolean): Promise<number> {
  const { roster, place } = await prepared(source, toolUrl, 'always');
  for (let index = 0; index < threads; index++) {
    const threadId = await newThread(place);
    if (!waits) await answered(place, threadId, plain);
    else {
      await sendMessage(place, threadId, withTool);
      await until(async () => {
        const thread = await get<Thread>(place.port, `/api/threads/${threadId}`, place.person.headers);
        return thread.waitsForApproval === true;
      });
    }
  }
  const bytes = await settledMemory(roster);
  await roster.program.stop();
  return bytes;
}

/** The minimum over two seconds: memory collected by then was not retained. */
async function settledMemory({ program }: Roster): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20; look++) {
    await wait(100);
    least = Math.min(least, program.resident());
  }
  return least;
}

/** Measures answers that call a connected tool, and those that wait for an approval. */
export async function measureTools(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const toolServer = await startToolServer();
  const faults = await measureSteps(source, toolServer.url);
  const [answeredBytes, waitingBytes]: [number[], number[]] = [[], []];
  for (let run = 0; run < settings.runs; run++) {
    answeredBytes.push(await memoryAfter(source, toolServer.url, false));
    waitingBytes.push(await memoryAfter(source, toolServer.url, true));
  }
  const [answers, waiting] = [median(answeredBytes), median(waitingBytes)];
  printTable(
    'Resident memory of a fresh process',
    [`after ${threads} conversations`, 'memory', 'ratio'],
    [
      ['each answered, no tool', megabytes(answers), ''],
      ['each waits for an approval', megabytes(waiting), times(waiting / answers)],
    ],
  );
  await toolServer.close();
  await source.program.stop();
  return { faults };
}
