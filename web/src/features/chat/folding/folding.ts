import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { CodeFolding } from '#web/ui/markdown/code/code-folding.ts';

/** Which parts of an answer are folded, kept for the visit. `isOpened`: its long code is open unless `codes` differs. */
type Folding = { isFolded: boolean; isOpened: boolean; codes: Readonly<Record<string, boolean>> };

const asSent: Folding = { isFolded: false, isOpened: false, codes: {} };

const foldingQuery = (messageId: number) =>
  queryOptions<Folding>({
    queryKey: ['folding', messageId],
    queryFn: skipToken,
    // The list removes messages that are far away, and their folding has to survive that.
    gcTime: Number.POSITIVE_INFINITY,
  });

function change(client: QueryClient, messageId: number, changes: (before: Folding) => Partial<Folding>) {
  const { queryKey } = foldingQuery(messageId);
  client.setQueryData(queryKey, (before = asSent) => ({ ...before, ...changes(before) }));
}

/** Opens an answer and all of its code. */
export const unfold = (client: QueryClient, messageId: number): void =>
  change(client, messageId, () => ({ isFolded: false, isOpened: true, codes: {} }));

/** The folding of an answer; `codes` is null while it is written, because nothing that grows is folded. */
export function useFolding(messageId: number, isGrowing: boolean) {
  const client = useQueryClient();
  const { data: { isFolded, isOpened, codes } = asSent } = useQuery(foldingQuery(messageId));
  // Code that was read while it was written stays open afterwards.
  useEffect(() => {
    if (isGrowing) unfold(client, messageId);
  }, [client, messageId, isGrowing]);
  const ofCode = useMemo<CodeFolding>(
    () => ({
      isOpen: (key) => codes[key] ?? (isOpened || undefined),
      change: (key, isOpen) => change(client, messageId, (before) => ({ codes: { ...before.codes, [key]: isOpen } })),
    }),
    [client, messageId, isOpened, codes],
  );
  return {
    isFolded: isFolded && !isGrowing,
    fold: (isNowFolded: boolean) => change(client, messageId, () => ({ isFolded: isNowFolded })),
    codes: isGrowing ? null : ofCode,
  };
}

/** Lines of an answer from which it is far longer than a screen, and characters of one line. */
const longFrom = 80;
const lineLength = 90;

/** Estimated from the text: measuring what is drawn would move the list. */
export function isLongAnswer(text: string): boolean {
  if (text.length < longFrom) return false;
  let lines = 0;
  for (let from = 0; from <= text.length && lines < longFrom; ) {
    const end = text.indexOf('\n', from);
    const length = (end < 0 ? text.length : end) - from;
    lines += Math.max(1, Math.ceil(length / lineLength));
    if (end < 0) break;
    from = end + 1;
  }
  return lines >= longFrom;
}
