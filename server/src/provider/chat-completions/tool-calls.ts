import { z } from 'zod';
import type { CallReader } from '#server/provider/answer-tools';

/** The calls in a piece of the answer: a name and an id once, the arguments in pieces. */
export const CallPieces = z
  .array(
    z.object({
      index: z.number().int().min(0).max(1_000).catch(0),
      id: z.string().nullish().catch(null),
      function: z
        .object({ name: z.string().nullish().catch(null), arguments: z.string().nullish().catch(null) })
        .nullish()
        .catch(null),
    }),
  )
  .nullish()
  .catch(null);

/** Puts calls together that come in pieces, and takes them at the end. */
export function callCollector(calls: CallReader) {
  const open = new Map<number, { callId: string; name: string; input: string }>();
  return {
    add(pieces: z.output<typeof CallPieces>) {
      for (const { index, id, function: called } of pieces ?? []) {
        const call = open.get(index) ?? { callId: '', name: '', input: '' };
        call.callId ||= id ?? '';
        call.name ||= called?.name ?? '';
        call.input += called?.arguments ?? '';
        open.set(index, call);
      }
    },
    /** How much has been collected, in UTF-16 units. */
    length: () => [...open.values()].reduce((sum, { input }) => sum + input.length, 0),
    takeAll() {
      for (const call of open.values())
        calls.take('function', { ...call, input: call.input === '' ? '{}' : call.input, output: null });
      open.clear();
    },
  };
}
