import { listedLineLimit } from '@roster/contracts/fine-tuning/training-files';
import type { JsonObject } from '#server/lib/is-object';

/** What stands around the pairs of a file because the old models needed it, and is left out of conversations. */
export type Trimming = {
  /** Ends every prompt. */
  promptEnd: string;
  /** Begins every completion. */
  completionStart: '' | ' ';
  /** Ends every completion. */
  completionEnd: string;
};

/** Of lines that are no pair. */
export type LeftOut = { lines: number; first: number[] };

export type PairsFound = { pairs: number; leftOut: LeftOut; trimming: Trimming };

type Pair = { prompt: string; completion: string };

/**
 * The separators and stop sequences of the provider's guide to that format and of its `prepare_data` tool, the longer
 * ones first.
 */
const promptEnds = ['\n\n###\n\n', '\n\n---\n\n', '\n\n===\n\n', '\n###\n', '###', ' ->', '->'];
const completionEnds = ['\n\n###\n\n', '\n###\n', ' ###', '###', ' END', '\nEND', '<|endoftext|>'];

/** A story's ' THE END' is its text, and no stop sequence behind 'THE'. */
const endsStory = (text: string) => /\bTHE\s+END$/i.test(text);

/** The pair on a line; undefined where there is none that can be converted. */
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

/** What every prompt, and every completion, of a file ends with. A word that only some end with is part of the text. */
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

/** Leaves out what the whole file has around its pairs. All other blanks are the text's own, as the indentation of code. undefined: no answer is left. */
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
