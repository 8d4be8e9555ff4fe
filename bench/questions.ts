import type { Floor, Query } from './captured-queries.ts';
import { exchange } from './exchange.ts';
import { added, median, ms, percentile, printTable, times } from './figures.ts';
import type { Roster } from './roster.ts';
import { settings } from './settings.ts';

/** A call, and the queries it executes: its floor. */
export type Question = { what: string; path: string; queries: Query[] };
export type Place = { roster: Roster; headers: Record<string, string> };
type QuestionTimes = { p50: number; p95: number; alone: number };

/** Repeats each call, and prints what HTTP and the server add to its queries. */
export async function askAll(title: string, place: Place, questions: Question[], floor: Floor) {
  const timed = new Map<Question, QuestionTimes[]>(questions.map((question) => [question, []]));
  for (let run = 1; run <= settings.runs; run++) {
    console.log(`${title.split(':')[0]}, run ${run} of ${settings.runs}`);
    for (const [question, runs] of timed) runs.push(await ask(place, question, floor));
  }
  const rows = [...timed].map(([{ what }, runs]) => {
    const of = (figure: (run: QuestionTimes) => number) => median(runs.map(figure));
    const [alone, p50] = [of((run) => run.alone), of((run) => run.p50)];
    return [what, ms(alone), ms(p50), ms(of((run) => run.p95)), added(p50 - alone), times(p50 / alone)];
  });
  printTable(title, ['', 'queries alone, p50', 'through HTTP, p50', 'p95', 'added', 'ratio'], rows);
}

async function ask(
  { roster, headers }: Place,
  { what, path, queries }: Question,
  floor: Floor,
): Promise<QuestionTimes> {
  const taken: number[] = [];
  for (let sample = -5; sample < settings.samples; sample++) {
    const from = performance.now();
    const { status, text } = await exchange({ port: roster.port, method: 'GET', path, headers });
    if (sample >= 0) taken.push(performance.now() - from);
    if (status !== 200) throw new Error(`${what}: answered ${status}: ${text}`);
  }
  const alone = percentile(await floor.timeAlone(queries, settings.samples), 50);
  return { p50: percentile(taken, 50), p95: percentile(taken, 95), alone };
}
