import { listedLineLimit } from '@roster/contracts/fine-tuning/training-files';
import type { JsonObject } from '#server/lib/is-object';

/** Text around the pairs of a file that old models needed, and that conversations leave out. */
export type Trimming = {
  /** Ends every prompt. */
  promptEnd: string;
  /** Begins every completion. */
  completionStart: '' | ' ';
  /** Ends every completion. */
  completionEnd: string;
};

/** Lines that are no pair. */
type LeftOut = { lines: number; first: number[] };

export type PairsFound = { pairs: number; leftOut: LeftOut; trimming: Trimming };

type Pair = { prompt: string; completion: string };

/**
 * Separators and stop sequences of the provider's guide to that format, and of its `prepare_data` tool, the longer ones
 * first.
 */
const promptEnds = ['\n\n###\n\n', '\n\n---\n\n', '\n\n===\n\n', '\n###\n', '###', ' ->', '->'];
const completionEnds = ['\n\n###\n\n', '\n###\n', ' ###', '###', ' END', '\nEND', '<|endoftext|>'];

/** A story's ' THE END' is part of its text, not a stop sequence after 'THE'. */
const endsStory = (text: string) => /\bTHE\s+END$/i.test(text);

/** The pair on a line; undefined if it cannot be converted. */
export function parsePair({ prompt, completion }: JsonObject): Pair | undefined {
  if (typeof prompt !== 'string' || typeof completion !== 'string' || completion.trim() === '') return undefined;
  return { prompt, completion };
}

function note(leftOut: LeftOut, line: number) {
  leftOut.lines++;
  if (leftOut.first.length < listedLineLimit) leftOut.first.push(line);
}

const without = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, text.length - end.length) : text);

/** True if the completion has no answer before this end. */
const isBare = (completion: string, end: string) => completion.endsWith(end) && without(completion, end).trim() === '';

/**
 * Finds the common ending of all prompts, and of all completions, of a file. An ending that only some have is part of
 * the text.
 */
export function createPairInspection() {
  let pairs = 0;
  const leftOut: LeftOut = { lines: 0, first: [] };
  /** By the end of completions: the pairs whose completion is nothing else. */
  const bare = new Map(completionEnds.map((end): [string, LeftOut] => [end, { lines: 0, first: [] }]));
  let [ofPrompts, ofCompletions] = [promptEnds, completionEnds];
  let [areAllSpaced, isOneSpacedOnce] = [true, false];
  return {
    see({ prompt, completion }: Pair, line: number) {
      pairs++;
      for (const [end, found] of bare) if (isBare(completion, end)) note(found, line);
      areAllSpaced &&= completion.startsWith(' ');
      isOneSpacedOnce ||= /^ \S/.test(completion);
      ofPrompts = ofPrompts.filter((end) => prompt.endsWith(end));
      ofCompletions = ofCompletions.filter(
        (end) => completion.endsWith(end) && !(end.endsWith('END') && endsStory(completion)),
      );
    },
    seeOther(line: number) {
      note(leftOut, line);
    },
    result: (): PairsFound => {
      const [promptEnd = '', completionEnd = ''] = [ofPrompts[0], ofCompletions[0]];
      // Several spaces before all completions are the indentation of code.
      const completionStart = areAllSpaced && isOneSpacedOnce ? ' ' : '';
      const { lines, first } = bare.get(completionEnd) ?? { lines: 0, first: [] };
      const named = [...leftOut.first, ...first].sort((a, b) => a - b).slice(0, listedLineLimit);
      return {
        pairs: pairs - lines,
        leftOut: { lines: leftOut.lines + lines, first: named },
        trimming: { promptEnd, completionStart, completionEnd },
      };
    },
  };
}

/**
 * Removes what the whole file has around its pairs. Other blanks belong to the text, such as the indentation of code.
 * Returns undefined if no answer is left.
 */
export function toConversation({ prompt, completion }: Pair, trimming: Trimming): string | undefined {
  const { promptEnd, completionStart, completionEnd } = trimming;
  const question = without(prompt, promptEnd);
  const text = without(completion, completionEnd);
  if (text.trim() === '') return undefined;
  const answer = text.startsWith(completionStart) ? text.slice(completionStart.length) : text;
  return JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  });
}
