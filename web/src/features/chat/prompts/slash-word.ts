/** A word after a slash, alone in its line. */
export type SlashWord = { start: number; end: number; word: string };

/** Also the wide slash of East Asian keyboards. */
const slash = /^[/／][\p{L}\p{M}\p{N}-]*$/u;

/** null: the caret is at no such word. */
export function slashWordAt(text: string, caret: number): SlashWord | null {
  const start = text.lastIndexOf('\n', caret - 1) + 1;
  const lineEnd = text.indexOf('\n', caret);
  const written = text.slice(start, caret);
  const after = text.slice(caret, lineEnd < 0 ? text.length : lineEnd);
  return slash.test(written) && after.trim() === '' ? { start, end: caret, word: written.slice(1) } : null;
}
