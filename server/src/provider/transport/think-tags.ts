/** Models think between these tags at the start of an answer if the server has no field for it. */
const openings = ['<think>', '<thinking>', '<thought>'];

const closings = openings.map((tag) => `</${tag.slice(1)}`);
const atStart = [...openings, ...closings];

/** After a line break or the end of a sentence; inside a sentence or backticks the answer is about the tag itself. */
const unopened = new RegExp(`(?:^|\\n|[.!?:…。！？：])[ \\t]*(${closings.join('|')})`);

/**
 * Splits reasoning from the answer if the opening tag was part of the prompt, as in the templates of DeepSeek and Qwen.
 * undefined: no closing tag, or an opening tag or an open code block before it.
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

/** The length of the longest suffix of `text` that is a prefix of `mark`. */
function beginningAtEnd(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

/**
 * Separates reasoning from the answer, however the text is cut. A lone closing tag counts only while nothing has been
 * delivered: in a whole answer, and at the start of a stream. Delivered text is never reclassified.
 */
export function createReasoningSplitter(tell: (type: 'text' | 'reasoning', text: string) => void) {
  let state: 'undecided' | 'thinking' | 'answering' = 'undecided';
  let closing = '';
  /** May be the start of a tag. */
  let held = '';
  /** Blank lines around a tag belong to it. */
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
    const started = held.trimStart();
    if (atStart.some((tag) => tag.length > started.length && tag.startsWith(started))) return;
    const tag = openings.find((one) => started.startsWith(one));
    const rest = tag === undefined ? held : started.slice(tag.length);
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
    /** The answer has ended: held text was not a tag. */
    end() {
      const rest = held;
      held = '';
      if (rest !== '') say(state === 'thinking' ? 'reasoning' : 'text', rest);
    },
  };
}
