/** A size of the measurement; quick trial runs set smaller ones. */
function whole(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${name} must be a whole number of at least 1, not '${text}'`);
  return value;
}

function wholes(name: string, fallback: number[]): number[] {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const values = text.split(',').map(Number);
  if (values.some((value) => !Number.isInteger(value) || value < 1))
    throw new Error(`${name} must be whole numbers separated by commas, not '${text}'`);
  return values;
}

function engines(): Engine[] {
  const wanted = process.env.BENCH_ENGINES;
  if (wanted === undefined || wanted === '') return [...allEngines];
  const chosen = allEngines.filter((name) => wanted.toLowerCase().split(',').includes(name.toLowerCase()));
  if (chosen.length === 0) throw new Error(`BENCH_ENGINES must name ${allEngines.join(' or ')}, not '${wanted}'`);
  return chosen;
}

const allEngines = ['SQLite', 'PostgreSQL'] as const;
export type Engine = (typeof allEngines)[number];

export const settings = {
  /** Repetitions of each measurement; the medians are reported. */
  runs: whole('BENCH_RUNS', 3),
  /** Lighthouse reports per page. */
  lighthouseRuns: whole('BENCH_LIGHTHOUSE_RUNS', 5),
  /** Numbers of concurrent streams. */
  levels: wholes('BENCH_STREAMS', [1, 50, 200]),
  /** Seconds per stream at the highest level; half of that elsewhere. */
  seconds: whole('BENCH_SECONDS', 16),
  /** First tokens and list pages that are timed in a run. */
  samples: whole('BENCH_SAMPLES', 100),
  /** Messages of the user whose lists and searches are timed, 10 per thread. */
  messages: whole('BENCH_MESSAGES', 100_000),
  /** Conversations of the export that is imported, 20 messages each. */
  conversations: whole('BENCH_CONVERSATIONS', 10_000),
  /** The databases that imports are measured on. */
  engines: engines(),
  /** Minutes that the cluster is under load. */
  minutes: whole('BENCH_MINUTES', 5),
  /** Node.js options for the server: those of `npm start`, or others to compare. */
  flags: (process.env.BENCH_NODE_FLAGS ?? '--max-semi-space-size=2').split(' ').filter((flag) => flag !== ''),
  /** Writes a CPU profile of the server under .cache/bench/profile and prints its most expensive functions. */
  profile: process.env.BENCH_PROFILE === '1',
};

/** The pace of a stream: 20 tokens per second. */
export const tokenEveryMs = 50;
/** The interval between new streams: 50 per second. */
export const startEveryMs = 20;

export const mostStreams = Math.max(...settings.levels);

export const secondsOf = (streams: number) =>
  streams === mostStreams ? settings.seconds : Math.max(1, settings.seconds / 2);
