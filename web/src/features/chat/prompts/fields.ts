import { defaultValue, type PromptVariable, parsePrompt } from '@roster/contracts/prompts/variables';

/** A variable of an inserted prompt, at its place in the message. */
export type PromptField = { start: number; end: number; source: string; variable: PromptVariable };

type Change = { start: number; oldEnd: number; newEnd: number };

/** Fields of a prompt that was inserted at `from`. */
export function fieldsOf(text: string, from: number): PromptField[] {
  let at = from;
  return parsePrompt(text).flatMap(({ source, variable }) => {
    const start = at;
    at += source.length;
    return variable ? [{ start, end: at, source, variable }] : [];
  });
}

/** The part that differs. `caret`: where it is after the change, which tells repeated characters apart. */
function changeBetween(before: string, after: string, caret: number): Change {
  const shortest = Math.min(before.length, after.length);
  let kept = after.length - caret;
  if (kept > before.length || before.slice(before.length - kept) !== after.slice(caret)) {
    kept = 0;
    while (kept < shortest && before.at(-1 - kept) === after.at(-1 - kept)) kept++;
  }
  const most = Math.min(before.length, after.length) - kept;
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  return { start: Math.min(start, Math.max(0, most)), oldEnd: before.length - kept, newEnd: after.length - kept };
}

/**
 * Moves the fields along with a change of the message. A field grows with what is typed in it; one that is partly
 * overwritten is dropped. `active`: which of two adjoining fields is being filled in.
 */
export function moveFields(
  fields: readonly PromptField[],
  { before, after, caret, active }: { before: string; after: string; caret: number; active: PromptField | undefined },
): { fields: PromptField[]; active: PromptField | undefined } {
  if (before === after) return { fields: [...fields], active };
  const { start, oldEnd, newEnd } = changeBetween(before, after, caret);
  const grownBy = newEnd - oldEnd;
  const contains = (field: PromptField) => field.start <= start && oldEnd <= field.end;
  // Text typed right before or after another field does not belong to it.
  const isInside = (field: PromptField) =>
    contains(field) && (start < oldEnd || (field.start < start && start < field.end));
  const grown = active && contains(active) ? active : fields.find(isInside);
  let nowActive: PromptField | undefined;
  const moved = fields.flatMap((field) => {
    const next =
      field === grown
        ? { ...field, end: field.end + grownBy }
        : field.start >= oldEnd
          ? { ...field, start: field.start + grownBy, end: field.end + grownBy }
          : field.end <= start
            ? field
            : null;
    if (next && field === active) nowActive = next;
    return next ?? [];
  });
  return { fields: moved, active: nowActive };
}

export const textIn = (text: string, { start, end }: PromptField): string => text.slice(start, end);

export const isUnfilled = (text: string, field: PromptField): boolean => textIn(text, field) === field.source;

/** The fields that Tab stops at: of those with one name, the first. */
export const stopsOf = (fields: readonly PromptField[]): PromptField[] =>
  fields.filter((field, index) => fields.findIndex(({ variable }) => variable.name === field.variable.name) === index);

/**
 * Fills in what is left: from an earlier field with the same name, else the default. `missing`: the first field that
 * has neither.
 */
export function fillDefaults(
  text: string,
  fields: readonly PromptField[],
  today: string,
): { text: string; missing: PromptField | undefined } {
  const values = new Map<string, string>();
  for (const { variable, ...place } of fields) {
    const field = { ...place, variable };
    const value = isUnfilled(text, field) ? defaultValue(variable, today) : textIn(text, field);
    if (value !== null && !values.has(variable.name)) values.set(variable.name, value);
  }
  let filled = text;
  let missing: PromptField | undefined;
  for (const field of fields.toReversed()) {
    if (!isUnfilled(text, field)) continue;
    const value = values.get(field.variable.name);
    if (value === undefined) missing = field;
    else filled = filled.slice(0, field.start) + value + filled.slice(field.end);
  }
  return { text: filled, missing };
}
