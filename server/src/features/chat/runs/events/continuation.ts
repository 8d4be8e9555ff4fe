import type { ConversationTurn } from '#server/provider/provider';

/** The simulator recognizes this instruction by its first words. */
const instruction =
  'Continue your last answer exactly where it stopped. Begin with the very next character: repeat nothing that is there already, and add no introduction. If it stopped inside a code block, go on with the code and do not open a new block.';

/** Splits a history that ends with the answer, and adds the instruction to continue. */
export function continuedTurns(turns: readonly ConversationTurn[]): {
  before: ConversationTurn[];
  soFar: ConversationTurn[];
} {
  const answerAt = turns.findLastIndex(({ role }) => role === 'user') + 1;
  return {
    before: turns.slice(0, answerAt),
    soFar: [...turns.slice(answerAt), { role: 'user', text: instruction }],
  };
}

/** Characters; longer repetitions are not looked for. */
const maxRepeated = 2_000;
/** Characters; a shorter match counts only if it is the whole line or word that the text broke off in. */
const repeatedAtLeast = 16;

/** The fence of the code block that the text ends in; null: none. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const [, fence = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === '') open = null;
  }
  return open;
}

/** True if the text is periodic, such as a table of zeros: more of the same is then not a repetition. */
function isMonotonous(text: string): boolean {
  for (let period = 1; period <= text.length / 3; period++) if (text.startsWith(text.slice(period))) return true;
  return false;
}

const lastLine = (text: string) => text.slice(text.lastIndexOf('\n') + 1);
const lastWord = (text: string) => /\p{L}[\p{L}\p{N}_]{2,}$/u.exec(text)?.[0] ?? '';

/**
 * Length of the start of `more` that repeats the end of `text`. Models often start again with the sentence, line or
 * word that they broke off in.
 */
function repeatedLength(text: string, more: string): number {
  for (let length = Math.min(maxRepeated, text.length, more.length); length >= repeatedAtLeast; length--) {
    const repeated = more.slice(0, length);
    if (text.endsWith(repeated) && !isMonotonous(repeated)) return length;
  }
  const whole = [lastLine(text), lastWord(text)].filter((part) => part.trim().length > 2 && !isMonotonous(part));
  return whole.find((part) => more.startsWith(part))?.length ?? 0;
}

/** True if `more`, with text still to come, may repeat the end of `text`. */
function mayRepeat(text: string, more: string): boolean {
  const tail = text.slice(-maxRepeated);
  const at = tail.indexOf(more);
  return at >= 0 && at + more.length < tail.length;
}

/** Length of the line with which `more` reopens a code block that is already open; undefined: not known yet. */
function reopeningLength(fence: string, more: string): number | undefined {
  const [line, mark = ''] = /^\s*(`{3,}|~{3,})[^\n]*\n/.exec(more) ?? [];
  // A fence without a language closes the block.
  if (line !== undefined) return mark[0] === fence[0] && line.trim() !== mark ? line.length : 0;
  return /^\s*(?:[`~][^\n]*)?$/.test(more) ? undefined : 0;
}

/** Joins a continuation to the text before it, without what the model repeats. */
export function jointTo(text: string) {
  const fence = openFence(text);
  let held = '';
  let isSettled = false;

  const reopening = () => (fence === null ? 0 : reopeningLength(fence, held));

  function settle(): string {
    isSettled = true;
    const reopened = reopening() ?? 0;
    const rest = held.slice(reopened);
    const repeated = repeatedLength(text, rest);
    const isNewLine = reopened > 0 && repeated === 0 && !text.endsWith('\n');
    return `${isNewLine ? '\n' : ''}${rest.slice(repeated)}`;
  }

  return {
    /** Takes the next piece; returns the text that can be published. */
    take(more: string): string {
      if (isSettled) return more;
      held += more;
      const reopened = reopening();
      const isOpen = reopened === undefined || mayRepeat(text, held.slice(reopened));
      return isOpen && held.length < maxRepeated ? '' : settle();
    },
    /** The text that was held back; call at the end. */
    rest: () => (isSettled || held === '' ? '' : settle()),
  };
}

export type Joint = ReturnType<typeof jointTo>;
