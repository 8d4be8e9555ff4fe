// npm run chaos: a cluster of real parts with users at work and one failure after the other. `--minutes 1` is shorter.
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { beginChanging, type ChangedAssistant, change } from './changes.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { beginConversation, type Conversation, converse, quick, streamed } from './conversations.ts';
import { disturbancesOf } from './disturbances.ts';
import { untilWritten, watchPrimary } from './failovers.ts';
import { newFigures } from './figures.ts';
import { Person } from './person.ts';
import { endAll } from './processes.ts';
import { type Kill, proveAssistant, proveConversation, proveTheProof, proveUploads } from './proof.ts';
import { printReport } from './report.ts';
import { type Uploads, uploadAgainAndAgain } from './uploads.ts';

const [streams, writers, changers, uploaders] = [40, 3, 3, 2];
const restMs = 3_000;
const failoverWithinMs = 10_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    endAll();
    process.exit(130);
  });

function minutesAsked(): number {
  const [option, text, ...others] = process.argv.slice(2);
  if (option === undefined) return 5;
  const minutes = Number(text);
  if (option === '--minutes' && others.length === 0 && minutes > 0 && minutes <= 120) return minutes;
  console.error('npm run chaos -- --minutes 5   (more than 0, at most 120)');
  process.exit(2);
}

const started = performance.now();
const say = (what: string) =>
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(7)} s  ${what}`);
const named = (what: string, count: number) => Array.from({ length: count }, (_, index) => `${what}-${index + 1}`);

type Work = {
  conversations: Conversation[];
  quickOnes: Conversation[];
  changed: ChangedAssistant[];
  uploads: Uploads[];
};
const figures = newFigures();

async function prepare({ port }: Cluster): Promise<Work> {
  const person = async (name: string, hasKey: boolean) => {
    const one = new Person(name, { port, figures });
    await one.register(hasKey);
    return one;
  };
  const begin = async <T>(what: string, count: number, hasKey: boolean, work: (one: Person) => Promise<T> | T) => {
    const people: T[] = [];
    for (const name of named(what, count)) people.push(await work(await person(name, hasKey)));
    return people;
  };
  return {
    conversations: await begin('reader', streams, true, beginConversation),
    quickOnes: await begin('writer', writers, true, beginConversation),
    changed: await begin('editor', changers, false, beginChanging),
    uploads: await begin('uploader', uploaders, false, (one) => ({ person: one, stored: [] })),
  };
}

/** Repeats all disturbances one after the other until the time is over. Returns what happened, and when. */
async function disturb(cluster: Cluster, minutes: number) {
  const happened: (Kill & { name: string; endsAnswers: boolean })[] = [];
  const endsAt = performance.now() + minutes * 60_000;
  const disturbances = disturbancesOf(cluster);
  if (!cluster.members.some(({ disk }) => disk)) say('No disk is filled: this user may not mount a small one');
  await wait(restMs);
  for (let turn = 0; performance.now() < endsAt; turn++) {
    const disturbance = disturbances[turn % disturbances.length];
    if (!disturbance) break;
    say(disturbance.name);
    const from = performance.now();
    await disturbance.happen(cluster);
    const { name, endsAnswers = false } = disturbance;
    happened.push({ name, endsAnswers, from, to: performance.now() });
    say('  and all is there again');
    await wait(restMs);
  }
  return happened;
}

async function prove(work: Work, kills: readonly Kill[]) {
  const all = [...work.conversations, ...work.quickOnes];
  const conversations = await Promise.all(all.map((one) => proveConversation(one, kills)));
  const changes = await Promise.all(work.changed.map(proveAssistant));
  const uploads = await Promise.all(work.uploads.map(proveUploads));
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    faults: [...conversations, ...changes, ...uploads].flatMap((proof) => proof.faults),
    stuck: sum(conversations.map(({ stuck }) => stuck)),
    messages: sum(conversations.map(({ writes }) => writes)),
    changes: sum(changes.map(({ writes }) => writes)),
    uploads: sum(uploads.map(({ writes }) => writes)),
    repeated: sum(uploads.map(({ repeated }) => repeated)),
  };
}

async function run(minutes: number): Promise<boolean> {
  proveTheProof();
  say(`Load before: ${loadavg()[0]?.toFixed(2)}`);
  const cluster = await startCluster(say);
  const work = await prepare(cluster);
  say(`${streams} readers, ${writers + changers} writers and ${uploaders} uploaders begin`);
  const [ending, watched] = [new AbortController(), new AbortController()];
  const primary = watchPrimary(cluster, watched.signal);
  const all = [
    ...work.conversations.map((one) => converse(one, streamed, ending.signal)),
    ...work.quickOnes.map((one) => converse(one, quick, ending.signal)),
    ...work.changed.map((one) => change(one, ending.signal)),
    ...work.uploads.map((one) => uploadAgainAndAgain(one, ending.signal)),
  ].map((one) => one.catch((error: unknown) => void figures.faults.push(String(error))));
  const happened = await disturb(cluster, minutes);
  ending.abort();
  await Promise.all(all);
  say('Everybody is done; now it is compared with what is stored');
  const proof = await prove(
    work,
    happened.filter(({ endsAnswers }) => endsAnswers),
  );
  watched.abort();
  await primary.done;
  const failovers = untilWritten(primary.seen, figures.acknowledgedAt);
  const faults = [...figures.faults, ...proof.faults];
  if (proof.stuck > 0) faults.push(`${proof.stuck} answers are stuck`);
  for (const took of failovers)
    if (took > failoverWithinMs)
      faults.push(`a failover was over ${(took / 1_000).toFixed(1)} s after the new primary`);
  printReport({ figures, proof, failovers, happened });
  for (const fault of faults.slice(0, 50)) console.error(`Wrong: ${fault}`);
  if (faults.length > 50) console.error(`and ${faults.length - 50} more`);
  return faults.length === 0;
}

const isRight = await run(minutesAsked()).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return false;
});
endAll();
console.log(
  isRight ? 'Nothing acknowledged was lost, doubled or reordered, and nothing is stuck.' : 'It did not hold.',
);
process.exit(isRight ? 0 : 1);
