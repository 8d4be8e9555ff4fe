import { loadavg } from 'node:os';
import { percentile, printTable } from '../bench/figures.ts';
import type { Figures } from './figures.ts';

type Report = {
  figures: Figures;
  proof: { messages: number; changes: number; uploads: number; repeated: number; stuck: number };
  failovers: number[];
  happened: { name: string }[];
};

const seconds = (ms: number | undefined) =>
  ms !== undefined && Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : '–';

export function printReport({ figures, proof, failovers, happened }: Report) {
  const statuses = [...figures.statuses].toSorted(([a], [b]) => a.localeCompare(b));
  const names = [...new Set(happened.map(({ name }) => name))];
  const { whole, cut, reconnections } = figures.streams;
  printTable(
    'A cluster that survives its parts',
    ['', ''],
    [
      ...names.map((name) => [name, `${happened.filter((one) => one.name === name).length} times`]),
      ['messages, changes, uploads acknowledged', `${proof.messages}, ${proof.changes}, ${proof.uploads}`],
      ['answers read to their end: whole, cut', `${whole}, ${cut}`],
      ['connections of readers made again', `${reconnections}`],
      ['requests; made more than once; repetitions', `${figures.requests}; ${figures.retried}; ${figures.retries}`],
      ['responses by status', statuses.map(([status, count]) => `${status}: ${count}`).join(', ')],
      [
        'until a 503 was answered: p50, p95, longest',
        [50, 95, 100].map((share) => seconds(percentile(figures.answered503Ms, share))).join(', '),
      ],
      ['longest gap of a person', seconds(figures.longestGapMs)],
      ['new primaries', `${failovers.length}`],
      [
        'from there to the first write, p50, longest',
        `${seconds(percentile(failovers, 50))}, ${seconds(Math.max(0, ...failovers))}`,
      ],
      ['stuck answers', `${proof.stuck}`],
      ['uploads stored whose response was lost', `${proof.repeated}`],
      ['load after', loadavg()[0]?.toFixed(2) ?? '–'],
    ],
  );
}
