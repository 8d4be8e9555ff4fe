/** Between these a model thinks aloud at the beginning of its answer, where its server has no field for that. */
const openings = ['<think>', '<thinking>', '<thought>'];

const closings = openings.map((tag) => `</${tag.slice(1)}`);
const atStart = [...openings, ...closings];

/** Behind a line break or the end of a sentence; inside a sentence or in backticks the answer speaks about the tag. */
const unopened = new RegExp(`(?:^|\\n|[.!?:…。！？：])[ \\t]*(${closings.join('|')})`);

/**
 * The thoughts and the answer in a text whose opening tag was part of the prompt, as in the templates of DeepSeek and Qwen, so
 * that only the closing one came. undefined: it has none, or an opening tag or an open code block before it.
 */
function thoughtWithoutOpening(text: string): [thought: string, answer: string] | undefined {
  const found = unopened.exec(text);
  if (!found?.[1]) return undefined;
  const end = found.index + found[0].length;
  const thought = text.slice(0, end - found[1].length);
  const isQuoted =
    openings.some((tag) => thought.includes(tag)) || (thought.match(/^ *(```|~~~)/gm) ?? []).length % 2 === 1;
  return isQuoted ? undefined : [thought, text.slice(end)];
}

/** The length of the longest end of `text` that `mark` begins with. */
function beginningAtEnd(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

/**
 * Tells thoughts and words apart, however they are cut into pieces. A closing tag without an opening one counts only while
 * nothing has been told: in an answer that comes whole, and at the beginning of a stream. Text that was told stays text.
 */
export function thoughtSplitter(tell: (type: 'text' | 'reasoning', text: string) => void) {
  let state: 'undecided' | 'thinking' | 'answering' = 'undecided';
  let closing = '';
  /** What may be the beginning of a tag. */
  let held = '';
  /** Blank lines around a tag are part of it. */
  let isAfterTag = false;

  function say(type: 'text' | 'reasoning', given: string) {
    const text = isAfterTag ? given.trimStart() : given;
    if (text === '') return;
    isAfterTag = false;
    tell(type, text);
  }

  function answerFrom(text: string) {
    state = 'answering';
    const [thought, answer] = thoughtWithoutOpening(text) ?? ['', undefined];
    if (answer === undefined) return say('text', text);
    say('reasoning', thought.trimStart());
    isAfterTag = true;
    say('text', answer);
  }

  function decide(text: string) {
    held += text;
    const begun = held.trimStart();
    if (atStart.some((tag) => tag.length > begun.length && tag.startsWith(begun))) return;
    const tag = openings.find((one) => begun.startsWith(one));
    const rest = tag === undefined ? held : begun.slice(tag.length);
    held = '';
    if (tag === undefined) return answerFrom(rest);
    state = 'thinking';
    closing = `</${tag.slice(1)}`;
    isAfterTag = true;
    think(rest);
  }

  function think(text: string) {
    held += text;
    const end = held.indexOf(closing);
    const length = end < 0 ? held.length - beginningAtEnd(held, closing) : end;
    const thought = held.slice(0, length);
    if (end < 0) {
      held = held.slice(length);
      return say('reasoning', thought);
    }
    const rest = held.slice(end + closing.length);
    held = '';
    say('reasoning', thought);
    state = 'answering';
    isAfterTag = true;
    say('text', rest);
  }

  return {
    add(text: string) {
      if (state === 'answering') say('text', text);
      else if (state === 'thinking') think(text);
      else decide(text);
    },
    /** The answer has ended: what is held was no tag. */
    end() {
      const rest = held;
      held = '';
      if (rest !== '') say(state === 'thinking' ? 'reasoning' : 'text', rest);
    },
  };
}
