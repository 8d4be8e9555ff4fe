import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import { type PlacedLink, webLinksLimit } from '@roster/contracts/text/web-links';
import type { Citation } from '#server/conversation/content';
import { isOpenCall, type PlacedCall } from '#server/features/chat/shared/tool-call-repository';

/** An event in the format of server-sent events. */
export function frameOf(number: number, event: RunEvent): string {
  return `id: ${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

type NumberedEvent = { number: number; event: RunEvent };

/** Parses frames that `frameOf` has written. */
export function parseFrames(frames: string): NumberedEvent[] {
  return frames
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [id = '', , data = ''] = frame.split('\n');
      const event: RunEvent = JSON.parse(data.slice('data: '.length));
      return { number: Number(id.slice('id: '.length)), event };
    });
}

/** The frames after event `after`. */
export function framesAfter(frames: string, after: number): string {
  if (after === 0) return frames;
  return parseFrames(frames)
    .filter(({ number }) => number > after)
    .map(({ number, event }) => frameOf(number, event))
    .join('');
}

/**
 * The batches up to the first gap after event `after`. After a lost connection a batch may be stored when the end of
 * its run has deleted those before it: the batches after the gap are dropped, because the end includes them.
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

/**
 * A folded log. The text is stored once, in the message; `marks` says how it splits into events: `t5` five UTF-16 units
 * of text, `r3` three of reasoning, `n` the next note, `s` the next source, `f9` a citation of file 9, `l` the next
 * cited web page, `c` the next tool call, `k2` a change of call 2 (without a number in older logs), `u` the usage. The
 * end of the run has no mark; its number is `lastEvent`.
 */
export type FoldedLog = {
  text: string;
  reasoning: string;
  notes: string[];
  sources: string[];
  /** Positions in the text where files are cited. */
  citations: Citation[];
  /** Positions in the text where web pages are cited. */
  links: PlacedLink[];
  calls: PlacedCall[];
  /** Thinking time in milliseconds; null: none known. */
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

/** Without the position, which readers know from the order of events. */
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

/** The calls that an API client has to answer. */
export const clientFunctionCalls = <Call extends ToolCall>({ calls }: { calls: readonly Call[] }) =>
  calls.filter(({ kind }) => kind === 'function');

/** True if there are any events. */
export const hasStarted = ({ marks }: FoldedLog) => marks !== '';

/** Adds an event to the log; the end event adds nothing. */
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
      // Events beyond the limit keep their numbers, so the mark is added anyway.
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

/** Adds or updates a call. Returns its mark. */
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

const neverCalled = 'The tool was not called because the answer ended first.';
const mayHaveRun = 'The tool may have run. The answer ended before the tool responded.';

/**
 * Final states of calls that were open when their run ended. `made`: ids of connected tools' calls that were running.
 */
export const cutCalls = ({ calls }: FoldedLog, made: ReadonlySet<string>): PlacedCall[] =>
  calls.flatMap((call): PlacedCall[] => {
    if (isOpenCall(call))
      return made.has(call.callId) || call.state === 'uncertain'
        ? [{ ...call, state: 'uncertain', output: mayHaveRun }]
        : [{ ...call, state: 'failed', output: neverCalled }];
    return call.state === 'running' ? [{ ...call, state: 'failed' }] : [];
  });

/** Folds stored batches. Unreadable batches are skipped, so that a damaged log cannot keep the server from starting. */
export function foldBatches(batches: { frames: string }[]): FoldedLog {
  const log = emptyLog();
  for (const { frames } of batches) for (const { event } of readable(frames)) fold(log, event);
  return log;
}

function readable(frames: string): NumberedEvent[] {
  try {
    return parseFrames(frames);
  } catch {
    return [];
  }
}

export function endEvent({ reason, error }: { reason: string | null; error: RunError | null }): RunEvent {
  if (error) return { type: 'failed', error };
  const outcome = (['complete', 'stopped', 'length', 'content_filter'] as const).find((name) => name === reason);
  return { type: 'finished', reason: outcome ?? 'complete' };
}

type End = { event: RunEvent; number: number };

const linkEvent = (link: PlacedLink | undefined): RunEvent | undefined =>
  link && { type: 'link', url: link.url, title: link.title };
const callEvent = (call: PlacedCall | undefined): RunEvent | undefined =>
  call && { type: 'tool', call: eventCall(call) };

/** Readers that saw the call start get a separate end event; others get the final state at its start. */
function tellingOf(calls: readonly PlacedCall[], after: number) {
  const startedAt: number[] = [];
  return {
    begins: (number: number) => callEvent(calls[startedAt.push(number) - 1]),
    goesOn(digits: string): RunEvent | undefined {
      const index = digits === '' ? -1 : Number(digits);
      const at = startedAt[index];
      return at !== undefined && at <= after ? callEvent(calls[index]) : undefined;
    },
  };
}

type KeptLog = Omit<FoldedLog, 'citations'>;

/** The frames of a finished run after event `after`: exactly the events that were sent while it ran. */
export function unfold(log: KeptLog, usage: RunEvent | null, end: End, after: number): string {
  const frames = keptEvents(log, usage, after).flatMap((event, index) =>
    event && index >= after ? [frameOf(index + 1, event)] : [],
  );
  return `${frames.join('')}${end.number > after ? frameOf(end.number, end.event) : ''}`;
}

const nothing: RunEvent = { type: 'text', text: '' };

/**
 * The frames of an ended run without its end, so that a continuation can go on with the same numbers. Text that the
 * marks of older logs do not cover becomes one event.
 */
export function framesToContinue(log: KeptLog, usage: RunEvent | null): { frames: string; last: number } {
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

/**
 * Event n is at index n - 1. Changes of a call are only included if the reader saw it start, by `seen`. Unknown events
 * keep their place.
 */
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

/** Returns the next `length` UTF-16 units at each call. */
function inPieces(text: string) {
  let at = 0;
  return (length: number) => {
    const piece = text.slice(at, at + length);
    at += length;
    return piece;
  };
}

/** An empty text marks the end of thinking; each such event carries the final time. */
const thoughtEvent = (text: string, thoughtMs: number | null): RunEvent => ({
  type: 'reasoning',
  text,
  ...(text === '' && thoughtMs !== null && { thoughtMs }),
});
