import type { ConversationTurn } from '#server/provider/provider';

/** Asks a model for the rest of its last answer. The simulator knows it by its first words. */
const instruction =
  'Continue your last answer exactly where it stopped. Begin with the very next character: repeat nothing that is there already, and add no introduction. If it stopped inside a code block, go on with the code and do not open a new block.';

/** The answer so far, and what asks for the rest. `turns`: a history that ends with the answer. */
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

/** More than this is not repeated. */
const repeatedAtMost = 2_000;
/** Shorter ones are taken for chance, unless they are the whole line or word that the text broke off in. */
const repeatedAtLeast = 16;

/** How the code block was opened that the text ends in; null: it ends in none. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const [, fence = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === '') open = null;
  }
  return open;
}

/** The same words or numbers again and again: that they go on so is no repetition of what was said. */
function isMonotonous(text: string): boolean {
  for (let period = 1; period <= text.length / 3; period++) if (text.startsWith(text.slice(period))) return true;
  return false;
}

const lastLine = (text: string) => text.slice(text.lastIndexOf('\n') + 1);
const lastWord = (text: string) => /\p{L}[\p{L}\p{N}_]{2,}$/u.exec(text)?.[0] ?? '';

/**
 * How much of the beginning of `more` stands at the end of `text` already. Models that are asked to go on often begin with
 * the sentence, line or word that they broke off in.
 */
export function repeatedLength(text: string, more: string): number {
  for (let length = Math.min(repeatedAtMost, text.length, more.length); length >= repeatedAtLeast; length--) {
    const repeated = more.slice(0, length);
    if (text.endsWith(repeated) && !isMonotonous(repeated)) return length;
  }
  const whole = [lastLine(text), lastWord(text)].filter((part) => part.trim().length > 2 && !isMonotonous(part));
  return whole.find((part) => more.startsWith(part))?.length ?? 0;
}

/** Whether `more`, with what is still to come, may be a repetition of the end of `text`. */
function mayRepeat(text: string, more: string): boolean {
  const tail = text.slice(-repeatedAtMost);
  const at = tail.indexOf(more);
  return at >= 0 && at + more.length < tail.length;
}

/** How long the line is with which `more` opens the code block again that is open already; undefined: that is not known yet. */
function reopeningLength(fence: string, more: string): number | undefined {
  const [line, mark = ''] = /^\s*(`{3,}|~{3,})[^\n]*\n/.exec(more) ?? [];
  // One without a language closes the block.
  if (line !== undefined) return mark[0] === fence[0] && line.trim() !== mark ? line.length : 0;
  return /^\s*(?:[`~][^\n]*)?$/.test(more) ? undefined : 0;
}

/** Where new text meets the text of an answer that is continued: what the model repeats of it is left out. */
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
    /** What can be told by now, with the piece of text that has come. */
    take(more: string): string {
      if (isSettled) return more;
      held += more;
      const reopened = reopening();
      const isOpen = reopened === undefined || mayRepeat(text, held.slice(reopened));
      return isOpen && held.length < repeatedAtMost ? '' : settle();
    },
    /** What was held back; nothing more will come. */
    rest: () => (isSettled || held === '' ? '' : settle()),
  };
}

export type Joint = ReturnType<typeof jointTo>;
