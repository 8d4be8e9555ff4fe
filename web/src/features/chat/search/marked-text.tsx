import { searchPattern } from '@roster/contracts/text/search-query';

export type MarkedTextProps = { text: string; query: string; of: 'title' | 'message' };

/** Text with search hits highlighted. */
export function MarkedText({ text, query, of }: MarkedTextProps) {
  const pattern = searchPattern(query, of);
  if (!pattern) return text;
  return text.split(pattern).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part's only identity is its place
      <mark key={index} className="rounded-xs bg-warning/25 text-foreground">
        {part}
      </mark>
    ),
  );
}
