import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type PlacedLink, webLinksLimit } from '@roster/contracts/text/web-links';
import type { Citation } from '#server/conversation/content';

/** A run's events as they go over the wire: one text per event, ready to be sent to any number of readers. */
export function frameOf(number: number, event: RunEvent): string {
  return `id: ${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

type Numbered = { number: number; event: RunEvent };

/** Reads frames back. Only our own writing is read, so its form is known. */
export function parseFrames(frames: string): Numbered[] {
  return frames
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [id = '', , data = ''] = frame.split('\n');
      const event: RunEvent = JSON.parse(data.slice('data: '.length));
      return { number: Number(id.slice('id: '.length)), event };
    });
}

/** Frames after `after`, of a text that may begin before it. */
export function framesAfter(frames: string, after: number): string {
  if (after === 0) return frames;
  return parseFrames(frames)
    .filter(({ number }) => number > after)
    .map(({ number, event }) => frameOf(number, event))
    .join('');
}

/**
 * The batches that follow each other, behind the event `after`. Where a connection was cut, a batch may come through beside the end
 * of its run, which has taken those before it away: what stands behind such a hole is not told, because the end brings all of it.
 */
export function withoutHole<Batch extends { first: number; last: number }>(batches: Batch[], after: number): Batch[] {
  let last = after;
  const hole = batches.findIndex((batch) => {
    const follows = batch.first <= last + 1;
    if (follows) last = batch.last;
    return !follows;
  });
  return hole < 0 ? batches : batches.slice(0, hole);
}

/** A call with the length that the text had when it began. */
export type PlacedCall = ToolCall & { at: number };

/**
 * What is kept of a finished log. The words are stored once, in the message; `marks` says how they fall into events:
 * `t5` five characters (UTF-16 units) of text, `r3` three of reasoning, `n` the next note, `s` the next source, `f9` the file 9 cited, `l` the next
 * page of the web cited, `c`
 * the next call of a tool, `k2` the call 2 that went on, which is told as it ended where it began (without a number in older logs), `u` the usage. The last event has no mark: it is the run's end, numbered `lastEvent`.
 */
export type FoldedLog = {
  text: string;
  reasoning: string;
  notes: string[];
  sources: string[];
  /** Where in the text a file is cited. */
  citations: Citation[];
  /** Where in the text a page of the web is cited. */
  links: PlacedLink[];
  calls: PlacedCall[];
  /** How long the model has thought, in milliseconds; null: not at all, as far as is known. */
  thoughtMs: number | null;
  marks: string;
};

export function emptyLog(): FoldedLog {
  return {
    text: '',
    reasoning: '',
    notes: [],
    sources: [],
    citations: [],
    links: [],
    calls: [],
    thoughtMs: null,
    marks: '',
  };
}

/** Its place is where it stands among the other events. */
export const eventCall = ({ kind, callId, name, tool, title, server, state, input, output }: ToolCall): ToolCall => ({
  kind,
  callId,
  name,
  ...(tool && { tool }),
  title,
  server,
  state,
  input,
  output,
});

/** What the model wants answered before it goes on. */
export const functionsCalled = <Call extends ToolCall>({ calls }: { calls: readonly Call[] }) =>
  calls.filter(({ kind }) => kind === 'function');

/** Whether anything has come yet. */
export const hasBegun = ({ marks }: FoldedLog) => marks !== '';

/** Adds one event to the log; the end adds nothing. */
export function fold(log: FoldedLog, event: RunEvent) {
  switch (event.type) {
    case 'text':
      log.text += event.text;
      log.marks += `t${event.text.length}`;
      return;
    case 'reasoning':
      log.reasoning += event.text;
      log.marks += `r${event.text.length}`;
      if (event.thoughtMs !== undefined) log.thoughtMs = event.thoughtMs;
      return;
    case 'note':
      log.notes.push(event.text);
      log.marks += 'n';
      return;
    case 'source':
      log.sources.push(event.text);
      log.marks += 's';
      return;
    case 'citation':
      log.citations.push({ fileId: event.fileId, at: log.text.length });
      log.marks += `f${event.fileId}`;
      return;
    case 'link':
      // More may come of an answer in several steps; they keep their numbers.
      if (log.links.length < webLinksLimit) log.links.push({ url: event.url, title: event.title, at: log.text.length });
      log.marks += 'l';
      return;
    case 'tool':
      log.marks += putCall(log, event.call);
      return;
    case 'usage':
      log.marks += 'u';
      return;
    default:
      return;
  }
}

/** Takes a call in, or how far it is by now. Returns its mark. */
function putCall({ calls, text }: FoldedLog, call: ToolCall): string {
  const index = calls.findIndex(({ callId }) => callId === call.callId);
  const before = calls[index];
  if (!before) {
    calls.push({ ...call, at: text.length });
    return 'c';
  }
  calls[index] = { ...call, at: before.at };
  return `k${index}`;
}

/** A call of a tool server's tool of which nothing has come yet. */
export const isOpenCall = ({ kind, output }: ToolCall) => kind === 'server' && output === null;

const neverCalled = 'The tool was not called, because the answer ended before.';
const mayHaveRun = 'The tool may have run. The answer ended before it had said what came of it.';

/**
 * The calls that will not go on, because their run has ended under them. `made`: those of tools of tool servers that were
 * under way.
 */
export const cutCalls = ({ calls }: FoldedLog, made: ReadonlySet<string>): PlacedCall[] =>
  calls.flatMap((call): PlacedCall[] => {
    if (isOpenCall(call))
      return made.has(call.callId) || call.state === 'uncertain'
        ? [{ ...call, state: 'uncertain', output: mayHaveRun }]
        : [{ ...call, state: 'failed', output: neverCalled }];
    return call.state === 'running' ? [{ ...call, state: 'failed' }] : [];
  });

/** What stored events come to. A damaged log must not keep a server from starting: what of it cannot be read is left out. */
export function foldedBatches(batches: { frames: string }[]): FoldedLog {
  const log = emptyLog();
  for (const { frames } of batches) for (const { event } of readable(frames)) fold(log, event);
  return log;
}

function readable(frames: string): Numbered[] {
  try {
    return parseFrames(frames);
  } catch {
    return [];
  }
}

/** A run's last event. */
export function endEvent({ reason, error }: { reason: string | null; error: RunError | null }): RunEvent {
  if (error) return { type: 'failed', error };
  const known = (['complete', 'stopped', 'length', 'content_filter'] as const).find((name) => name === reason);
  return { type: 'finished', reason: known ?? 'complete' };
}

type End = { event: RunEvent; number: number };

const linkEvent = (link: PlacedLink | undefined): RunEvent | undefined =>
  link && { type: 'link', url: link.url, title: link.title };
const callEvent = (call: PlacedCall | undefined): RunEvent | undefined =>
  call && { type: 'tool', call: eventCall(call) };

/** Who has seen a call begin is told how it ended; to the others that is told where it began. */
function tellingOf(calls: readonly PlacedCall[], after: number) {
  const begunAt: number[] = [];
  return {
    begins: (number: number) => callEvent(calls[begunAt.push(number) - 1]),
    goesOn(digits: string): RunEvent | undefined {
      const index = digits === '' ? -1 : Number(digits);
      const at = begunAt[index];
      return at !== undefined && at <= after ? callEvent(calls[index]) : undefined;
    },
  };
}

type KeptLog = Omit<FoldedLog, 'citations'>;

/** The frames of a finished run after the event `after`: exactly the events that were sent while it ran. */
export function unfold(log: KeptLog, usage: RunEvent | null, end: End, after: number): string {
  const frames = keptEvents(log, usage, after).flatMap((event, index) =>
    event && index >= after ? [frameOf(index + 1, event)] : [],
  );
  return `${frames.join('')}${end.number > after ? frameOf(end.number, end.event) : ''}`;
}

const nothing: RunEvent = { type: 'text', text: '' };

/**
 * The frames of an ended run without its end, so that it can go on with the numbers that its readers know. What its marks do not
 * account for, as those of older logs may, is told as a whole.
 */
export function framesToGoOnWith(log: KeptLog, usage: RunEvent | null): { frames: string; last: number } {
  const events = keptEvents(log, usage, Number.POSITIVE_INFINITY).map((event) => event ?? nothing);
  const folded = emptyLog();
  for (const event of events) fold(folded, event);
  const missing = (['reasoning', 'text'] as const).flatMap((type): RunEvent[] =>
    log[type].startsWith(folded[type]) && log[type] !== folded[type]
      ? [{ type, text: log[type].slice(folded[type].length) }]
      : [],
  );
  const all = [...events, ...missing];
  return { frames: all.map((event, index) => frameOf(index + 1, event)).join(''), last: all.length };
}

/** Event n is at n - 1; of a call that went on, only who has seen the events up to `seen` is told. What is lost keeps its place. */
function keptEvents(log: KeptLog, usage: RunEvent | null, seen: number): (RunEvent | null | undefined)[] {
  const events: (RunEvent | null | undefined)[] = [];
  const calls = tellingOf(log.calls, seen);
  const text = inPieces(log.text);
  const reasoning = inPieces(log.reasoning);
  const notes = log.notes.values();
  const sources = log.sources.values();
  const links = log.links.values();
  const toEvent: Record<string, (digits: string) => RunEvent | null | undefined> = {
    t: (digits) => ({ type: 'text', text: text(Number(digits)) }),
    r: (digits) => thoughtEvent(reasoning(Number(digits)), log.thoughtMs),
    n: () => ({ type: 'note', text: notes.next().value ?? '' }),
    s: () => ({ type: 'source', text: sources.next().value ?? '' }),
    f: (digits) => ({ type: 'citation', fileId: Number(digits) }),
    l: () => linkEvent(links.next().value),
    c: () => calls.begins(events.length + 1),
    k: (digits) => calls.goesOn(digits),
    u: () => usage,
  };
  for (const [, kind = '', digits = ''] of log.marks.matchAll(/([trnsflcku])(\d*)/g))
    events.push(toEvent[kind]?.(digits));
  return events;
}

/** The next so many UTF-16 units of a text. */
function inPieces(text: string) {
  let at = 0;
  return (length: number) => {
    const piece = text.slice(at, at + length);
    at += length;
    return piece;
  };
}

/** Without a text it is where thinking ended; all of these are told how long that was at last. */
const thoughtEvent = (text: string, thoughtMs: number | null): RunEvent => ({
  type: 'reasoning',
  text,
  ...(text === '' && thoughtMs !== null && { thoughtMs }),
});
