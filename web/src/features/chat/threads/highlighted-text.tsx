import { searchPattern } from '#web/lib/search-pattern.ts';

/** Text with search hits highlighted. */
export function HighlightedText({ text, query }: { text: string; query: string }) {
  const pattern = searchPattern(query);
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
