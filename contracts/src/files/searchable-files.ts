/** File extensions that the provider’s file search reads (its documentation, November 2026). */
export const searchableExtensions =
  '.c .cpp .cs .css .doc .docx .go .html .java .js .json .md .pdf .php .pptx .py .rb .sh .tex .ts .txt'.split(' ');
const searched = new Set(searchableExtensions);
const tables = new Set(['.csv', '.tsv', '.xls', '.xlsx', '.jsonl', '.parquet', '.ods']);

/** Why a file cannot be searched, and what to do instead; undefined: it may be searchable. */
export function unsearchableReason(filename: string): string | undefined {
  const ending = /[^.]+(\.[^.]*)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  if (searched.has(ending)) return undefined;
  const instead = 'Attach it to a message instead.';
  if (tables.has(ending)) return `Tables and data files (${ending}) cannot be searched. ${instead}`;
  return `Files of this kind cannot be searched: PDF, Word, PowerPoint, Markdown, plain text and source code can. ${instead}`;
}
