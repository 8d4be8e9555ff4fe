import type { WebLink } from '@roster/contracts/text/web-links';
import type { ToolCall } from '#server/provider/answer-tools';
import type { AnswerPiece, CallEcho } from '#server/provider/provider';

/** A whole answer is at most this much text, in UTF-16 units. */
const answerLimit = 1024 * 1024;

/** PostgreSQL's text cannot hold the character with the number 0. */
const storable = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** Shorter waits are over before a reader could read of them. */
const worthTellingSeconds = 2;

/** A note that the provider asked to wait. It stays with the answer, to explain the delay. */
export const reportWaits = (onPieces: (pieces: AnswerPiece[]) => void) => (seconds: number) => {
  const asked = Math.ceil(seconds);
  if (asked >= worthTellingSeconds)
    onPieces([{ type: 'note', text: `The provider was busy and asked to wait ${asked} seconds before the next try.` }]);
};

/** Collects what arrives in one network packet, joins what belongs together, and passes it on at the packet's end. */
export function collectStream(onPieces: (pieces: AnswerPiece[]) => void) {
  let pieces: AnswerPiece[] = [];
  let length = 0;
  return {
    add(type: 'text' | 'reasoning' | 'note' | 'source', given: unknown) {
      if (typeof given !== 'string' || given === '') return;
      const text = storable(given);
      const last = pieces.at(-1);
      // Each source is a name of its own.
      if (type !== 'source' && last?.type === type) last.text += text;
      else pieces.push({ type, text });
      length += text.length;
    },
    addCitation(fileId: number) {
      pieces.push({ type: 'citation', fileId });
    },
    addLink({ url, title }: WebLink) {
      pieces.push({ type: 'link', url, title });
      length += url.length + title.length;
    },
    addCall(call: ToolCall, echo?: CallEcho) {
      pieces.push({ type: 'tool', call, ...(echo && { echo }) });
      length += call.input.length + (call.output?.length ?? 0);
    },
    passOn() {
      if (pieces.length === 0) return;
      onPieces(pieces);
      pieces = [];
    },
    /** Whether the answer is longer than one may be. */
    isTooLong: (more = 0) => length + more > answerLimit,
  };
}
