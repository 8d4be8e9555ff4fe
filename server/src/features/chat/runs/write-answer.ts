import { calledNote, type RunEvent } from '@roster/contracts/chat';
import { leftOutNotes } from '#server/features/chat/messages/history';
import { ProviderError } from '#server/provider/error';
import type { AnswerEnd, AnswerPiece, Provider } from '#server/provider/provider';
import { functionsCalled } from './event-log.ts';
import type { LiveRun, PreparedRequest } from './live-run.ts';

type Writing = { provider: Pick<Provider, 'answer'>; publish: (events: RunEvent[]) => void };

/** Gathers what the provider is asked for, and has it write the answer. */
export async function writeAnswer(run: LiveRun, { provider, publish }: Writing): Promise<AnswerEnd> {
  const { signal } = run.controller;
  run.prepared = await untilAborted(run.order.prepare(signal), signal);
  const end = await asMuchAsFits(run, run.prepared, { provider, publish });
  const called = functionsCalled(run.log);
  if (called.length > 0) publish([{ type: 'note', text: calledNote(called.map(({ name }) => name)) }]);
  else if (run.log.text.trim() === '') publish([wordless(end)]);
  return end;
}

/**
 * Where the provider finds the conversation too long, it is tried again with the newer half. What was left out in the
 * end is said once, before the answer.
 */
async function asMuchAsFits(
  run: LiveRun,
  prepared: PreparedRequest,
  { provider, publish }: Writing,
): Promise<AnswerEnd> {
  const { turns } = prepared.request;
  const onAsking = (isAsked: boolean) => {
    run.isAsked = isAsked;
  };
  for (let kept = turns; ; kept = kept.slice(Math.ceil(kept.length / 2))) {
    const leftOut = prepared.leftOut + turns.length - kept.length;
    let notes: AnswerPiece[] = [
      ...prepared.notes.map((text) => ({ type: 'note' as const, text })),
      ...leftOutNotes(leftOut, prepared.filesLeftOut),
    ];
    const onPieces = (pieces: AnswerPiece[]) => {
      // Not yet, if there are only notes: more may have to be left out.
      const begins = pieces.some(({ type }) => type !== 'note');
      publish(begins ? [...notes, ...pieces] : pieces);
      if (begins) notes = [];
    };
    try {
      return await provider.answer({ ...prepared.request, turns: kept, onAsking }, onPieces, run.controller.signal);
    } catch (error) {
      const isTooLong = error instanceof ProviderError && error.code === 'context_too_long' && run.log.text === '';
      if (!isTooLong || kept.length < 2) throw error;
    }
  }
}

/** Shown in place of an answer without text: the model only reasoned, or called a tool that does not exist. */
const wordless = ({ reason }: AnswerEnd): RunEvent => ({ type: 'note', text: wordlessNotes[reason] });
const wordlessNotes: Record<AnswerEnd['reason'], string> = {
  complete: 'The model ended without writing an answer. Ask for a new one, or put the question differently.',
  length: 'The model reached its limit before it had written anything. Ask for a new answer, or use less reasoning.',
  content_filter: 'The provider’s content filter let nothing of the answer through. Put the question differently.',
};

/** A stopped run does not wait until its request has been gathered. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}
