import type { WebLink } from '@roster/contracts/text/web-links';
import type { ToolCall } from '#server/provider/answer-tools';
import type { AnswerPiece, CallEcho } from '#server/provider/provider';

/** Maximum text of a whole answer, in UTF-16 units. */
const answerLimit = 1024 * 1024;

/** PostgreSQL's text type cannot store U+0000. */
const storable = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** Shorter waits are over before anybody could read the note. */
const worthTellingSeconds = 2;

/** Adds a note that the provider asked to wait. It stays with the answer to explain the delay. */
export const reportWaits = (onPieces: (pieces: AnswerPiece[]) => void) => (seconds: number) => {
  const whole = Math.ceil(seconds);
  if (whole >= worthTellingSeconds)
    onPieces([{ type: 'note', text: `The provider was busy and asked to wait ${whole} seconds before the next try.` }]);
};

/** Collects what arrives in one network packet, merges adjacent pieces, and passes them on at the packet's end. */
export function collectStream(onPieces: (pieces: AnswerPiece[]) => void) {
  let pieces: AnswerPiece[] = [];
  let length = 0;
  return {
    add(type: 'text' | 'reasoning' | 'note' | 'source', given: unknown) {
      if (typeof given !== 'string' || given === '') return;
      const text = storable(given);
      const last = pieces.at(-1);
      // Sources are not merged: each is a separate name.
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
    /** True if the answer exceeds the limit. */
    isTooLong: (more = 0) => length + more > answerLimit,
  };
}
