import { searchPattern } from '@roster/contracts/text/search-query';
import { type RefObject, useMemo, useState } from 'react';
import type { MessageListHandle } from '#web/features/chat/shared/thread-state.ts';
import { reveal } from './highlights.ts';
import { useHighlights } from './use-highlights.ts';

type FoundWordsProps = { list: RefObject<MessageListHandle | null>; messageId: number; query: string };

/** Highlights the hits of the global search in the message it opened. */
export function SearchHighlights({ list, messageId, query }: FoundWordsProps) {
  const pattern = useMemo(() => searchPattern(query), [query]);
  const [shown, setShown] = useState<string | null>(null);
  const wanted = `${messageId} ${query}`;
  useHighlights({
    list,
    pattern,
    only: messageId,
    here: null,
    onDrawn(drawn, area) {
      const first = drawn.get(messageId)?.[0];
      if (!first || shown === wanted) return;
      reveal(first, area);
      setShown(wanted);
    },
  });
  return null;
}
