/** A part of a prompt that is filled in each time the prompt is used. */
export type PromptVariable = { name: string } & (
  | { kind: 'text'; default: string | null }
  /** The first option is the default. */
  | { kind: 'choice'; options: string[] }
  /** The default is the day on which the prompt is used. */
  | { kind: 'date' }
);

/** The sources of all pieces, in order, are the whole text. */
type PromptPiece = { source: string; variable: PromptVariable | null };

/** Braces and line breaks end the search, so each character is read at most twice. */
const braced = /\{\{([^{}\r\n]{1,2000})\}\}/g;
/** Letters and digits of any language, with spaces, hyphens, underscores and dots between them. */
const namePattern = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_ .-]{0,58}[\p{L}\p{M}\p{N}_])?$/u;

function toVariable(inside: string): PromptVariable | null {
  const [, written = '', sign = '', rest = ''] = /^([^=:]*)([=:]?)(.*)$/.exec(inside) ?? [];
  const name = written.trim();
  if (!namePattern.test(name)) return null;
  if (sign === '') return { name, kind: 'text', default: null };
  if (sign === '=') return { name, kind: 'text', default: rest.trim() };
  if (rest.trim().toLowerCase() === 'date') return { name, kind: 'date' };
  const options = rest.split('|').map((option) => option.trim());
  return options.every(Boolean) ? { name, kind: 'choice', options: [...new Set(options)] } : null;
}

/**
 * Splits a prompt into text and variables: `{{topic}}`, `{{topic=default}}`, `{{tone: friendly | formal}}` and
 * `{{day: date}}`. Braces that are not closed, or hold something else, are text.
 */
export function parsePrompt(text: string): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let from = 0;
  const addText = (to: number) => {
    if (to > from) pieces.push({ source: text.slice(from, to), variable: null });
  };
  for (const { 0: source, 1: inside = '', index } of text.matchAll(braced)) {
    const variable = toVariable(inside);
    if (!variable) continue;
    addText(index);
    pieces.push({ source, variable });
    from = index + source.length;
  }
  addText(text.length);
  return pieces;
}

/** The variables of a prompt, each name once as it is first written. */
export function promptVariables(text: string): PromptVariable[] {
  const byName = new Map<string, PromptVariable>();
  for (const { variable } of parsePrompt(text))
    if (variable && !byName.has(variable.name)) byName.set(variable.name, variable);
  return [...byName.values()];
}

/** The value of a variable that nobody filled in; null: there is none. `today` is the user's day, as YYYY-MM-DD. */
export function defaultValue(variable: PromptVariable, today: string): string | null {
  if (variable.kind === 'date') return today;
  return variable.kind === 'choice' ? (variable.options[0] ?? null) : variable.default;
}
