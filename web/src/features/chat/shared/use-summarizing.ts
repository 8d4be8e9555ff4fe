import type { Message } from '@roster/contracts/chat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refreshMessages } from './thread-cache.ts';
import { messagesQuery } from './thread-queries.ts';

const pollIntervalMs = 1500;

/** True while an answer waits for the summary that its question has started; both are of the same moment. */
export function useSummarizing({ threadId, createdAt }: Message): boolean {
  const client = useQueryClient();
  const { data } = useQuery({ ...messagesQuery(threadId), enabled: false });
  const isSummarizing =
    data?.items.some(({ summary }) => summary?.state === 'writing' && summary.createdAt === createdAt) ?? false;
  useEffect(() => {
    if (!isSummarizing) return;
    const timer = setInterval(() => void refreshMessages(client, threadId), pollIntervalMs);
    return () => clearInterval(timer);
  }, [client, threadId, isSummarizing]);
  return isSummarizing;
}
