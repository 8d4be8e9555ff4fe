import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { awaitsApproval, type RunEnd, useLiveRun, watchRun } from '#web/api/runs/run-store.ts';
import { useNotifyFinished } from '#web/api/use-notify.ts';
import { endOf } from '#web/features/chat/shared/message-changes.ts';
import { activeRun } from '#web/features/chat/shared/message-window.ts';
import { showRunEnd } from '#web/features/chat/shared/mutations.ts';
import { refreshMessages, refreshThread, showThread } from '#web/features/chat/shared/thread-cache.ts';
import { messagesQuery, threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import { endedEarlyTexts } from './ended-early-texts.ts';

/** Text of the notification; none if the user stopped the answer. */
function finishedText(end: RunEnd): string | undefined {
  if (end.state === 'stopped') return undefined;
  if (end.endedEarly) return endedEarlyTexts[end.endedEarly];
  if (end.state === 'complete') return 'The answer is complete.';
  return end.error ? `The answer failed. ${end.error.message}` : 'The answer failed.';
}

/** Marks a conversation with a pending approval in the list, and notifies the user. */
function useApprovalRequests(threadId: number, asked: string, notify: ReturnType<typeof useNotifyFinished>) {
  const client = useQueryClient();
  const before = useRef({ threadId, asked: '' });
  useEffect(() => {
    const known = before.current.threadId === threadId ? before.current.asked : '';
    before.current = { threadId, asked };
    if (known === asked) return;
    void refreshThread(client, threadId);
    if (asked === '') return;
    const title = client.getQueryData(threadQuery(threadId).queryKey)?.title ?? 'Your conversation';
    notify({ title, body: 'The answer is waiting for your approval.', path: `/chat/${threadId}` });
  }, [client, notify, threadId, asked]);
}

/** Watches the run of the last message, and changes from other tabs. */
export function useThreadUpdates(threadId: number) {
  const client = useQueryClient();
  const thread = useQuery(threadQuery(threadId));
  const run = useQuery({ ...messagesQuery(threadId), select: activeRun }).data ?? null;
  const runId = run?.id ?? null;
  const answerId = run?.messageId ?? null;

  const notify = useNotifyFinished();
  useEffect(() => {
    if (runId === null || answerId === null) return;
    const tell = (end: RunEnd) => {
      const title = client.getQueryData(threadQuery(threadId).queryKey)?.title ?? 'Your conversation';
      const body = finishedText(end);
      if (body) notify({ title, body, path: `/chat/${threadId}` });
    };
    let hasEnded = false;
    const unwatch = watchRun(runId, (run) => {
      hasEnded = run !== null;
      showRunEnd(client, threadId, answerId, run);
      if (run?.end) tell(run.end);
    });
    return () => {
      unwatch();
      // A refetch may report the end before the stream does.
      const end = hasEnded ? undefined : endOf(client.getQueryData(messagesQuery(threadId).queryKey), answerId);
      if (!end) return;
      showRunEnd(client, threadId, answerId, null);
      tell(end);
    };
  }, [client, notify, threadId, runId, answerId]);

  const asked =
    useLiveRun(runId)
      ?.calls.filter(awaitsApproval)
      .map(({ callId }) => callId) ?? [];
  useApprovalRequests(threadId, asked.join(' '), notify);

  // Another tab has written here, or one of our runs ended unnoticed.
  const { runId: updatedRunId, updatedAt } = thread.data ?? {};
  const known = useRef<string | null>(null);
  useEffect(() => {
    if (updatedAt === undefined) return;
    const state = `${updatedRunId} ${updatedAt}`;
    if (known.current !== null && known.current !== state) void refreshMessages(client, threadId);
    known.current = state;
  }, [client, threadId, updatedRunId, updatedAt]);

  // Keeps the list in sync with titles that were suggested or changed elsewhere.
  const { data } = thread;
  useEffect(() => {
    if (data) showThread(client, data);
  }, [client, data]);

  return thread;
}
