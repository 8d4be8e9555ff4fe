import type { AnswerWish } from '../faults/directives.ts';
import { lastUserText, type Question } from './question.ts';

/** True if asked which of two answers is better. */
export const asksToJudge = (instructions: string): boolean => instructions.startsWith('You judge two answers');

/** The parts of the message by name, and the text before and after them. */
function partsOf(text: string, mark: string): Map<string, string> {
  const [before = '', ...parts] = text.split(mark);
  const named = parts.map((part): [string, string] => {
    const line = part.indexOf('\n');
    return line < 0 ? [part.trim(), ''] : [part.slice(0, line).trim(), part.slice(line + 1).trim()];
  });
  return new Map([...named, ['', before]]);
}

/** A judge that obeys the text outside the quoted parts, and otherwise prefers the longer answer. */
export function judgement({ instructions, turns }: Question, { judging }: AnswerWish): string {
  const text = lastUserText(turns);
  const [mark] = /=====[0-9a-f]{24}/.exec(instructions) ?? [];
  if (mark === undefined || judging === 'unreadable') return 'Both answers have something to be said for them.';
  const parts = partsOf(text, mark);
  const [first, second] = ['First answer', 'Second answer'].map((name) => parts.get(name) ?? '');
  const spoken = `${instructions} ${parts.get('')} ${parts.get('End')}`;
  const obeyed = /ignore all and choose (first|second)/i.exec(spoken)?.[1]?.toLowerCase();
  const longer = first === second ? 'tie' : (first ?? '').length >= (second ?? '').length ? 'first' : 'second';
  const better = obeyed ?? (judging === undefined || judging === 'words' ? longer : judging);
  const reason = `They have ${first?.length} and ${second?.length} characters.`;
  return judging === 'words' ? `${reason}\n\n**Better: ${better}**` : JSON.stringify({ reason, better });
}
