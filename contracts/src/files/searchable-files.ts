/** What a file search reads at the provider, by the endings of names (its documentation, November 2026). */
export const searchableExtensions =
  '.c .cpp .cs .css .doc .docx .go .html .java .js .json .md .pdf .php .pptx .py .rb .sh .tex .ts .txt'.split(' ');
const searched = new Set(searchableExtensions);
const tables = new Set(['.csv', '.tsv', '.xls', '.xlsx', '.jsonl', '.parquet', '.ods']);

/** Why a file cannot be searched, and what to do instead; undefined: it can be tried. */
export function unsearchableReason(filename: string): string | undefined {
  const ending = /[^.]+(\.[^.]*)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  if (searched.has(ending)) return undefined;
  const instead = 'Attach it to a message instead.';
  if (tables.has(ending)) return `Tables and data files (${ending}) cannot be searched. ${instead}`;
  return `Files of this kind cannot be searched: PDF, Word, PowerPoint, Markdown, plain text and source code can. ${instead}`;
}
