import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { wordsOf } from '../bench/tokens.ts';
import type { Person } from './person.ts';

/** Answers here produce something more often. */
const silentForMs = 45_000;
/** An answer that has not ended this long after the last fault is stuck. */
const endsWithinMs = 120_000;

type Exchange = { text: string; words: number; started: number; ended: number; end: 'whole' | 'cut' };
/** The messages acknowledged to a user, in order, and how each answer ended for its reader. */
export type Conversation = { person: Person; threadId: number; exchanges: Exchange[] };

type Pace = { words: () => number; everyMs: number; pauseMs: number };
/** Answers of two to eight seconds. */
export const streamed: Pace = { words: () => 40 + Math.floor(Math.random() * 120), everyMs: 50, pauseMs: 100 };
/** Messages in quick succession. */
export const quick: Pace = { words: () => 3, everyMs: 1, pauseMs: 300 };

export async function beginConversation(person: Person): Promise<Conversation> {
  const draft = { title: 'Under load', model: 'gpt-4o' };
  const { id } = await person.post<{ id: number }>('/api/threads', draft);
  return { person, threadId: id, exchanges: [] };
}

/** Sends a message, reads the answer to its end, and repeats until it is told to stop. */
export async function converse({ person, threadId, exchanges }: Conversation, pace: Pace, until: AbortSignal) {
  while (!until.aborted) {
    const words = pace.words();
    const text = `Question ${exchanges.length + 1} of ${person.name} [[bench ${words}]] [[delay ${pace.everyMs}]]`;
    const started = performance.now();
    const draft = { message: text, clientId: randomUUID() };
    const { run } = await person.post<{ run: { id: number } }>(`/api/threads/${threadId}/messages`, draft);
    const entry: Exchange = { text, words, started, ended: Number.NaN, end: 'cut' };
    exchanges.push(entry);
    entry.end = await readAnswer(person, run.id, wordsOf(words));
    entry.ended = performance.now();
    person.figures.streams[entry.end]++;
    await wait(pace.pauseMs);
  }
}

/** `missing`: the numbers of events that never came. */
type AnswerProgress = { text: string; last: number; missing: string[]; end: 'whole' | 'cut' | undefined };

/** Reads to the end across broken connections. Nothing is read twice, and nothing is skipped. */
async function readAnswer(person: Person, runId: number, whole: string): Promise<'whole' | 'cut'> {
  const reading: AnswerProgress = { text: '', last: 0, missing: [], end: undefined };
  const started = performance.now();
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) person.figures.streams.reconnections++;
    await readOnce(person, runId, reading);
    if (!whole.startsWith(reading.text))
      person.figures.faults.push(
        `run ${runId}: a reader saw words lost, doubled or reordered, and never the events ${reading.missing.join(', ')}: ${reading.text.slice(-60)}`,
      );
    if (reading.end === 'whole' && reading.text !== whole)
      person.figures.faults.push(`run ${runId}: its reader saw ${reading.text.length} of ${whole.length} characters`);
    if (reading.end) return reading.end;
    if (performance.now() - started > endsWithinMs) {
      person.figures.faults.push(`run ${runId}: its reader saw no end within ${endsWithinMs / 1_000} s`);
      return 'cut';
    }
    await wait(500 * (0.75 + Math.random() / 2));
  }
}

/** Reads what one connection delivers. */
async function readOnce(person: Person, runId: number, reading: AnswerProgress) {
  const headers = { accept: 'text/event-stream', ...(reading.last > 0 && { 'last-event-id': String(reading.last) }) };
  const response = await person.ask({ method: 'GET', path: `/api/runs/${runId}/events`, headers });
  if (!response.body) return;
  const source = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const leave = () => void source.cancel().catch(() => undefined);
  let silence = setTimeout(leave, silentForMs);
  try {
    for (;;) {
      const { done, value = '' } = await source.read();
      const frames = (rest + value).split('\n\n');
      rest = frames.pop() ?? '';
      // A stream with nothing but heartbeats makes no progress.
      const news = frames.filter((frame) => take(frame, reading));
      if (news.length > 0) {
        clearTimeout(silence);
        silence = setTimeout(leave, silentForMs);
      }
      if (done || reading.end) break;
    }
  } catch {
    // The connection broke.
  } finally {
    clearTimeout(silence);
    leave();
  }
}

/** Returns true for an event that had not been read. */
function take(frame: string, reading: AnswerProgress): boolean {
  const number = Number(/^id: (\d+)$/m.exec(frame)?.[1]);
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  if (data === undefined || !(number > reading.last)) return false;
  if (number > reading.last + 1)
    reading.missing.push(`${reading.last + 1} to ${number - 1} (${new Date().toISOString()})`);
  reading.last = number;
  const event: { type: string; text?: string } = JSON.parse(data);
  if (event.type === 'text') reading.text += event.text;
  if (event.type === 'finished') reading.end = 'whole';
  if (event.type === 'failed') reading.end = 'cut';
  return true;
}
