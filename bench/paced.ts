import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { now } from './clock.ts';
import { percentile } from './figures.ts';
import type { Person } from './roster.ts';
import { startEveryMs, tokenEveryMs } from './settings.ts';
import type { Source } from './source-process.ts';
import type { StreamReport } from './streams.ts';
import { messageFor, type Target } from './targets.ts';

/** The result of one run of paced streams. Times in milliseconds. */
export type PacedResult = {
  firstToken: { p50: number; p95: number };
  /** Until the message was stored and acknowledged. */
  accepted: { p50: number };
  /** From the provider's writing of a token until the client received it. */
  delay: { p50: number; p95: number; p99: number; max: number };
  /** CPU time per second of each stream: overall, and while all were running. */
  cpu: { whole: number; steady: number };
  /** Peak memory in bytes. */
  resident: number;
  faults: { lost: number; doubled: number; reordered: number; unfinished: number };
};

const patienceMs = 30_000;

/** The resources that a program had used at a moment. */
type Sample = { at: number; cpu: number; resident: number };

const sampleEveryMs = 250;

/** Starts 50 requests per second, and follows their answers of 20 tokens per second to the end. */
export async function runPaced(target: Target, source: Source, people: Person[], seconds: number) {
  const count = Math.round((seconds * 1000) / tokenEveryMs);
  const message = messageFor(count, tokenEveryMs);
  await source.take();
  const samples: Sample[] = [];
  const look = () => {
    const { program } = target;
    if (program) samples.push({ at: now(), cpu: program.cpuMs(), resident: program.resident() });
  };
  look();
  const watch = setInterval(look, sampleEveryMs);
  const all = Promise.all(
    people.map(async (person, index) => {
      await wait(index * startEveryMs);
      const agent = new Agent({ keepAlive: true });
      const heard = await target.stream(person, message, count, agent);
      agent.destroy();
      return { heard, person };
    }),
  );
  const limit = AbortSignal.timeout(people.length * startEveryMs + seconds * 1000 + patienceMs);
  const tooLate = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new Error(`The streams of ${target.name} did not end in time`)));
  });
  const ended = await Promise.race([all, tooLate]).finally(() => clearInterval(watch));
  look();
  const written = await source.take();
  const streams = ended.map(({ heard, person }) => ({ heard, written: written.get(person.key) ?? [] }));
  return summary(streams, samples);
}

type Stream = { heard: StreamReport; written: number[] };

function summary(streams: Stream[], samples: Sample[]): PacedResult {
  const heard = streams.map((stream) => stream.heard);
  const together = {
    from: Math.max(...streams.map(({ written }) => written[0] ?? 0)),
    to: Math.min(...streams.map(({ written }) => written.at(-1) ?? 0)),
  };
  const delays = delaysOf(streams, together);
  const seconds = heard.reduce((sum, { asked, reader }) => sum + (lastOf(reader.arrivals) - asked) / 1000, 0);
  const firsts = heard.map(({ firstToken }) => firstToken);
  const accepted = heard.map((stream) => stream.accepted);
  const total = (fault: (stream: StreamReport) => number) => heard.reduce((sum, stream) => sum + fault(stream), 0);
  return {
    firstToken: { p50: percentile(firsts, 50), p95: percentile(firsts, 95) },
    accepted: { p50: percentile(accepted, 50) },
    delay: {
      p50: percentile(delays, 50),
      p95: percentile(delays, 95),
      p99: percentile(delays, 99),
      max: percentile(delays, 100),
    },
    cpu: {
      whole: cpuBetween(samples).cpu / seconds,
      steady: steadyRate(samples, together) / streams.length,
    },
    resident: Math.max(...samples.map(({ resident }) => resident)),
    faults: {
      lost: total(({ reader }) => reader.lost),
      doubled: total(({ reader }) => reader.doubled),
      reordered: total(({ reader }) => reader.reordered),
      unfinished: total(({ reader }) => (reader.completed ? 0 : 1)),
    },
  };
}

/**
 * Number of warm-up rounds. V8 compiles a function after some hundred calls, and an answer runs through far more
 * functions in Roster than in a relay: the first fifty answers of a new process take twice the CPU time, a third of it
 * on compiler threads. The measurement is about a server that has been running for a while.
 */
const warmUps = 2;

/** All users ask for a second, repeatedly, to warm up the server. */
export async function warmUp(target: Target, source: Source, people: Person[]) {
  for (let time = 0; time < warmUps; time++) await runPaced(target, source, people, 1);
}

type Span = { from: number; to: number };

/** CPU milliseconds per second while all streams were running. */
function steadyRate(samples: Sample[], { from, to }: Span): number {
  const { cpu, seconds } = cpuBetween(samples.filter(({ at }) => at >= from && at <= to));
  return cpu / seconds;
}

function cpuBetween(samples: Sample[]): { cpu: number; seconds: number } {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return { cpu: Number.NaN, seconds: Number.NaN };
  return { cpu: last.cpu - first.cpu, seconds: (last.at - first.at) / 1000 };
}

const lastOf = (arrivals: Float64Array) => arrivals.reduce((last, at) => (at > last ? at : last), 0);

/** Delays of the tokens written while all streams were running; of all tokens if the streams are too short for that. */
function delaysOf(streams: Stream[], { from, to }: Span): number[] {
  const all: number[] = [];
  const together: number[] = [];
  for (const { heard, written } of streams)
    for (const [token, at] of written.entries()) {
      const arrival = heard.reader.arrivals[token] ?? Number.NaN;
      if (Number.isNaN(arrival)) continue;
      all.push(arrival - at);
      if (at >= from && at <= to) together.push(arrival - at);
    }
  return together.length > 0 ? together : all;
}
