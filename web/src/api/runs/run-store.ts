import type { DisplayedToolCall, Message, RunEvent, ToolCall, Usage } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { PlacedLink } from '@roster/contracts/text/web-links';
import { deferWhilePressed } from '#web/lib/keyboard/defer-while-pressed.ts';
import { useStore } from '#web/lib/store.ts';
import { readRunEvents } from './run-events.ts';

/** Streamed state of an answer. */
export type LiveRun = {
  text: string;
  reasoning: string;
  notes: readonly string[];
  sources: readonly string[];
  links: readonly PlacedLink[];
  calls: readonly DisplayedToolCall[];
  /** How long the model thought, in milliseconds; null while it is thinking, or if it never did. */
  thoughtMs: number | null;
  usage: Usage | null;
  connection: 'connecting' | 'open' | 'lost';
  end: RunEnd | null;
};

export type RunEnd = {
  state: Exclude<Message['state'], 'queued' | 'running' | 'waiting'>;
  error: RunError | null;
  endedEarly: Message['endedEarly'];
};

const nothingYet: LiveRun = {
  text: '',
  reasoning: '',
  notes: [],
  sources: [],
  links: [],
  calls: [],
  thoughtMs: null,
  usage: null,
  connection: 'connecting',
  end: null,
};

/** True if the run waits for the user's decision on this call. */
export const awaitsApproval = ({ kind, state, output }: Pick<ToolCall, 'kind' | 'state' | 'output'>) =>
  kind === 'server' && output === null && (state === 'waiting' || state === 'uncertain');

/** A call keeps the text position at which it started. */
function withCall({ calls, text }: LiveRun, call: ToolCall): readonly DisplayedToolCall[] {
  const before = calls.find(({ callId }) => callId === call.callId);
  if (!before) return [...calls, { ...call, at: text.length }];
  return calls.map((one) => (one === before ? { ...call, at: one.at } : one));
}

/** Returns the run's state after an event. */
export function applyEvent(run: LiveRun, event: RunEvent): LiveRun {
  switch (event.type) {
    case 'text':
      return { ...run, text: run.text + event.text };
    case 'reasoning':
      return {
        ...run,
        reasoning: run.reasoning + event.text,
        thoughtMs: event.thoughtMs ?? run.thoughtMs,
      };
    case 'note':
      return { ...run, notes: [...run.notes, event.text] };
    case 'source':
      return { ...run, sources: [...run.sources, event.text] };
    case 'link':
      return { ...run, links: [...run.links, { url: event.url, title: event.title, at: run.text.length }] };
    case 'tool':
      return { ...run, calls: withCall(run, event.call) };
    case 'citation':
      // Files of a search are shown as sources.
      return run;
    case 'usage': {
      const { type: _, ...usage } = event;
      return { ...run, usage };
    }
    case 'finished': {
      const { reason } = event;
      const endedEarly = reason === 'length' || reason === 'content_filter' ? reason : null;
      return { ...run, end: { state: reason === 'stopped' ? 'stopped' : 'complete', error: null, endedEarly } };
    }
    case 'failed': {
      const state = event.error.code === 'interrupted' ? 'interrupted' : 'failed';
      return { ...run, end: { state, error: event.error, endedEarly: null } };
    }
  }
}

/**
 * Runs that this page watches. Kept outside the query cache: text arrives many times a second, and only the answer that
 * shows it may rerender, once per frame.
 */
const shown = new Map<number, LiveRun>();
const listeners = new Map<number, Set<() => void>>();

function show(runId: number, run: LiveRun) {
  shown.set(runId, run);
  for (const listener of listeners.get(runId) ?? []) listener();
}

/** Watches a run until it ends or the returned function is called. */
export function watchRun(runId: number, onEnd: (run: LiveRun | null) => void): () => void {
  const leaving = new AbortController();
  let current = nothingYet;
  let frame: number | null = null;
  const paint = () => {
    frame = null;
    if (!leaving.signal.aborted) show(runId, current);
  };
  const change = (next: LiveRun) => {
    current = next;
    frame ??= requestAnimationFrame(() => deferWhilePressed(paint));
  };
  show(runId, current);
  const reading = readRunEvents(
    runId,
    {
      onEvent: (event) => change(applyEvent(current, event)),
      onConnection: (connection) => change({ ...current, connection }),
      onRefused: () => onEnd(null),
    },
    leaving.signal,
  );
  const end = () => {
    if (leaving.signal.aborted || !current.end) return;
    // Animation frames pause in a hidden tab, but the end must be published anyway.
    if (frame !== null) cancelAnimationFrame(frame);
    paint();
    onEnd(current);
  };
  reading.then(() => deferWhilePressed(end), reportError);
  return () => {
    leaving.abort();
    if (frame !== null) cancelAnimationFrame(frame);
    shown.delete(runId);
  };
}

/** Streamed state of a run that this page watches, otherwise null. */
export function useLiveRun(runId: number | null): LiveRun | null {
  return useStore({
    get: () => (runId === null ? null : (shown.get(runId) ?? null)),
    subscribe(listener) {
      if (runId === null) return () => undefined;
      const all = listeners.get(runId) ?? new Set();
      listeners.set(runId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(runId);
      };
    },
  });
}
