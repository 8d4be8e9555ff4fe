import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
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
 * What is kept of a finished log. The words are stored once, in the message; `marks` says how they fall into events:
 * `t5` five characters (UTF-16 units) of text, `r3` three of reasoning, `n` the next note, `s` the next source, `f9` the file 9 cited, `c`
 * the next call of a tool, `u` the usage. The last event has no mark: it is the run's end, numbered `lastEvent`.
 */
export type FoldedLog = {
  text: string;
  reasoning: string;
  notes: string[];
  sources: string[];
  /** Where in the text a file is cited. */
  citations: Citation[];
  calls: ToolCall[];
  marks: string;
};

export function emptyLog(): FoldedLog {
  return { text: '', reasoning: '', notes: [], sources: [], citations: [], calls: [], marks: '' };
}

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
    case 'tool':
      log.calls.push(event.call);
      log.marks += 'c';
      return;
    case 'usage':
      log.marks += 'u';
      return;
    default:
      return;
  }
}

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

/** The frames of a finished run after the event `after`: exactly the events that were sent while it ran. */
export function unfold(log: Omit<FoldedLog, 'citations'>, usage: RunEvent | null, end: End, after: number): string {
  const frames: string[] = [];
  let number = 0;
  let textAt = 0;
  let reasoningAt = 0;
  let noteAt = 0;
  let sourceAt = 0;
  let callAt = 0;
  /** What is lost keeps its number. */
  const add = (event: RunEvent | null | undefined) => event && number > after && frames.push(frameOf(number, event));
  for (const [, kind = '', digits = ''] of log.marks.matchAll(/([trnsfcu])(\d*)/g)) {
    number++;
    const length = Number(digits);
    if (kind === 't') {
      add({ type: 'text', text: log.text.slice(textAt, textAt + length) });
      textAt += length;
    } else if (kind === 'r') {
      add({ type: 'reasoning', text: log.reasoning.slice(reasoningAt, reasoningAt + length) });
      reasoningAt += length;
    } else if (kind === 'n') add({ type: 'note', text: log.notes[noteAt++] ?? '' });
    else if (kind === 's') add({ type: 'source', text: log.sources[sourceAt++] ?? '' });
    else if (kind === 'f') add({ type: 'citation', fileId: length });
    else if (kind === 'c') {
      const call = log.calls[callAt++];
      add(call && { type: 'tool', call });
    } else add(usage);
  }
  if (end.number > after) frames.push(frameOf(end.number, end.event));
  return frames.join('');
}
