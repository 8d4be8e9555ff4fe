import type { DisplayedToolCall, Message } from '@roster/contracts/chat';
import type { PlacedLink } from '@roster/contracts/text/web-links';
import type { LiveRun } from './run-store.ts';

/** The longer of the two: stored text is ahead until the stream catches up. */
const longer = <Part extends { readonly length: number }>(stored: Part, arrived: Part): Part =>
  arrived.length >= stored.length ? arrived : stored;

/** Merges streamed parts into a message, so that a growing answer looks as it will at its end. */
export function mergeLiveRun(message: Message, run: LiveRun | null): Message {
  if (!run) return message;
  // Every field of a run must exist on the message under the same name, or this does not compile.
  const arrived: Pick<Message, Exclude<keyof LiveRun, 'connection' | 'end'>> = {
    text: longer(message.text, run.text),
    reasoning: longer(message.reasoning, run.reasoning),
    notes: [...longer<readonly string[]>(message.notes, run.notes)],
    sources: [...longer<readonly string[]>(message.sources, run.sources)],
    ...(run.links.length > 0 && { links: [...longer<readonly PlacedLink[]>(message.links ?? [], run.links)] }),
    ...(run.calls.length > 0 && { calls: [...longer<readonly DisplayedToolCall[]>(message.calls ?? [], run.calls)] }),
    usage: run.usage ?? message.usage,
    ...(run.thoughtMs !== null && { thoughtMs: run.thoughtMs }),
  };
  const { end } = run;
  // Text has arrived before the new state: show it as writing.
  const isWriting =
    message.state === 'queued' &&
    (arrived.text !== message.text || arrived.reasoning !== message.reasoning || run.calls.length > 0);
  return {
    ...message,
    ...arrived,
    ...(isWriting && { state: 'running' as const }),
    ...(end && { ...end, run: message.run && { ...message.run, state: end.state } }),
  };
}
