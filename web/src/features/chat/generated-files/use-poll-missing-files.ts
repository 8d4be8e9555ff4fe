import type { Message } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refreshAnswers, refreshMessages } from '#web/features/chat/shared/thread-cache.ts';

const firstMs = 1_000;
const longestMs = 30_000;

/** Polls with growing intervals while files of a shown answer are being fetched. */
export function usePollMissingFiles({ threadId, unkept = [] }: Message) {
  const client = useQueryClient();
  const isFetching = unkept.some(({ state }) => state === 'fetching');
  useEffect(() => {
    if (!isFetching) return;
    let timer: ReturnType<typeof setTimeout>;
    let wait = firstMs;
    const look = () => {
      timer = setTimeout(() => {
        wait = Math.min(longestMs, wait * 1.5);
        Promise.all([refreshMessages(client, threadId), refreshAnswers(client, threadId)]).catch(reportError);
        look();
      }, wait);
    };
    look();
    return () => clearTimeout(timer);
  }, [client, threadId, isFetching]);
}
