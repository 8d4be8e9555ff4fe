import { withoutDirectives } from '../faults/directives.ts';

const FILLER = new Set(
  'a about all am an and any are as at be by can could do does for from give had has have hello help hey hi how i in is it its just let like make me my of on one or please show so some tell that the them there these this to up us want was we were what when where which who why will with would write you your'.split(
    ' ',
  ),
);

/** The significant words of a text, in order. */
export function keywords(text: string, most: number): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const [word] of withoutDirectives(text).matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’+#.-]*/gu)) {
    const plain = word.replace(/[.'’-]+$/u, '');
    const lower = plain.toLowerCase();
    if (plain === '' || FILLER.has(lower) || seen.has(lower)) continue;
    seen.add(lower);
    found.push(plain);
    if (found.length === most) break;
  }
  return found;
}

/** True if a title is requested instead of an answer. */
export function asksForTitle(instructions: string): boolean {
  return (
    instructions.length < 1_500 &&
    /\btitle\b/i.test(instructions) &&
    /\b(words?|short|brief|concise)\b/i.test(instructions)
  );
}

/**
 * Title requests often contain the exchange as `User: ...` and `Assistant: ...`; the title is made of the user's words.
 */
function usersWords(text: string): string {
  return /^\s*(?:user|question|message)\s*:[^\S\n]*(\S.*)$/im.exec(text)?.[1] ?? text;
}

export function titleFor(text: string): string {
  const words = keywords(usersWords(text), 5);
  if (words.length === 0) return 'Friendly greeting';
  const title = words.join(' ').slice(0, 60).trim();
  return title.charAt(0).toUpperCase() + title.slice(1);
}
