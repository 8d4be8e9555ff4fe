/** What a run measures; short runs for trying things out set these smaller. */
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

export const settings = {
  /** How often each measurement is repeated; the medians are reported. */
  runs: whole('BENCH_RUNS', 3),
  /** How often Lighthouse looks at each page. */
  lighthouseRuns: whole('BENCH_LIGHTHOUSE_RUNS', 5),
  /** How many streams at once. */
  levels: wholes('BENCH_STREAMS', [1, 50, 200]),
  /** How long a stream lasts where there are most of them; half as long elsewhere. */
  seconds: whole('BENCH_SECONDS', 16),
  /** How many first tokens and list pages are timed in a run. */
  samples: whole('BENCH_SAMPLES', 100),
  /** How many messages the person has whose lists and searches are timed, 10 in a conversation. */
  messages: whole('BENCH_MESSAGES', 100_000),
  /** How long the cluster is under load. */
  minutes: whole('BENCH_MINUTES', 5),
  /** Options of Node for the server: those of `npm start`, or others, to see what they change. */
  flags: (process.env.BENCH_NODE_FLAGS ?? '--max-semi-space-size=2').split(' ').filter((flag) => flag !== ''),
  /** Writes a CPU profile of the server under .cache/bench/profile and names the functions that took the most. */
  profile: process.env.BENCH_PROFILE === '1',
};

/** The pace of a stream: 20 tokens a second. */
export const tokenEveryMs = 50;
/** New streams start this far apart: 50 a second. */
export const startEveryMs = 20;

export const mostStreams = Math.max(...settings.levels);

export const secondsOf = (streams: number) =>
  streams === mostStreams ? settings.seconds : Math.max(1, settings.seconds / 2);
