import { diffLines, diffWordsWithSpace } from 'diff';

/** A piece of text; `differs` highlights it. */
export type Piece = { text: string; differs: boolean };
/** Corresponding parts of two texts. null: nothing on that side. */
export type Stretch =
  | { kind: 'same'; text: string }
  | { kind: 'changed'; before: Piece[] | null; after: Piece[] | null };

/** Above these edit lengths the texts have little in common, and diffing is slow and useless. */
const maxLines = { maxEditLength: 2_000 };
const maxWords = { maxEditLength: 500 };
const charactersInWords = 20_000;

function besideEachOther(before: string, after: string): Stretch {
  const whole = (text: string): Piece[] | null => (text === '' ? null : [{ text, differs: false }]);
  if (before === '' || after === '' || before.length + after.length > charactersInWords)
    return { kind: 'changed', before: whole(before), after: whole(after) };
  const parts = diffWordsWithSpace(before, after, maxWords);
  if (!parts) return { kind: 'changed', before: whole(before), after: whole(after) };
  const side = (leftOut: 'added' | 'removed') =>
    parts
      .filter((part) => !part[leftOut])
      .map(({ value, added, removed }) => ({ text: value, differs: added || removed }));
  return { kind: 'changed', before: side('added'), after: side('removed') };
}

/** A trailing newline makes no difference. */
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Line diff of two texts, with changed lines paired side by side. */
export function textDifference(before: string, after: string): Stretch[] {
  const parts = diffLines(ended(before), ended(after), maxLines);
  if (!parts) return [besideEachOther(ended(before), ended(after))];
  const stretches: Stretch[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    const next = parts[index + 1];
    if (!part) break;
    if (part.removed && next?.added) {
      stretches.push(besideEachOther(part.value, next.value));
      index += 1;
    } else if (part.removed) stretches.push(besideEachOther(part.value, ''));
    else if (part.added) stretches.push(besideEachOther('', part.value));
    else stretches.push({ kind: 'same', text: part.value });
  }
  return stretches;
}

/** Unchanged lines shown around a change. */
const around = 2;

/** Collapses the middle of long unchanged text; `between` is the number of hidden lines. */
export function collapseUnchanged(text: string): { begin: string; between: number; end: string } {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length <= 2 * around + 2) return { begin: lines.join('\n'), between: 0, end: '' };
  return {
    begin: lines.slice(0, around).join('\n'),
    between: lines.length - 2 * around,
    end: lines.slice(-around).join('\n'),
  };
}
