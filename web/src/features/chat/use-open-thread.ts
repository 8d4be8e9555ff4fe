import type { Message } from '@roster/contracts/chat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useNotifyFinished } from '#web/data/finished.ts';
import { type RunEnd, watchRun } from '#web/data/runs/run-store.ts';
import { ApiError, errorText } from '#web/lib/api.ts';
import { isOverBudget } from '#web/lib/over-budget.ts';
import { toast } from '#web/lib/toast.ts';
import { markGoneOn, runsTogether, undecided } from './answers.ts';
import type { StoredFile } from './attachments.ts';
import { focusUnlessTouch } from './focus-unless-touch.ts';
import type { MessageListHandle } from './message-list.tsx';
import { endOf, isUnderWay, type PendingMessage, pendingMessage, runUnderWay } from './message-window.ts';
import { chosen, showRunEnd, useRegenerate, useSend, useShowBranch, useStop, useUpdateThread } from './mutations.ts';
import { messagesQuery, refreshMessages, refreshThread, showThread, threadQuery } from './queries.ts';
import type { ThreadActions, UnsentEdit } from './thread-actions.ts';

const complain = (title: string) => (error: Error) =>
  toast({ title, description: errorText(error), variant: 'destructive' });

/** What to tell someone who is elsewhere; nothing where they ended it themselves. */
function finishedText(end: RunEnd): string | undefined {
  if (end.state === 'stopped') return undefined;
  if (end.state === 'complete') return 'The answer is complete.';
  return end.error ? `The answer failed. ${end.error.message}` : 'The answer failed.';
}

/** Follows the run that writes the last message, and what other tabs do in the thread. */
function useFollowedThread(threadId: number) {
  const client = useQueryClient();
  const thread = useQuery(threadQuery(threadId));
  const run = useQuery({ ...messagesQuery(threadId), select: runUnderWay }).data ?? null;
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
      // A reading of the messages may have come before the stream's own word.
      const end = hasEnded ? undefined : endOf(client.getQueryData(messagesQuery(threadId).queryKey), answerId);
      if (!end) return;
      showRunEnd(client, threadId, answerId, null);
      tell(end);
    };
  }, [client, notify, threadId, runId, answerId]);

  // Another tab has written here, or a run of ours ended unseen.
  const { runId: toldRun, updatedAt: toldTime } = thread.data ?? {};
  const known = useRef<string | null>(null);
  useEffect(() => {
    if (toldTime === undefined) return;
    const state = `${toldRun} ${toldTime}`;
    if (known.current !== null && known.current !== state) void refreshMessages(client, threadId);
    known.current = state;
  }, [client, threadId, toldRun, toldTime]);

  // A title that was suggested or changed elsewhere belongs in the list too.
  const { data } = thread;
  useEffect(() => {
    if (data) showThread(client, data);
  }, [client, data]);

  return { thread, runId: runId ?? thread.data?.runId ?? null };
}

/** Why something was not sent. `insist` sends it over a budget, where it is not the composer's text. */
type SendProblem = { error: unknown; insist: (() => void) | null };

type Draft = {
  place: string;
  text: string;
  files: readonly StoredFile[];
  parentId: number | null | undefined;
  models: readonly string[];
};

const notChosen = () =>
  new ApiError('Choose the answer to go on with first: ‘Go on with this one’.', {
    status: 0,
    code: 'not_chosen',
    hasServerMessage: true,
  });

/** The open thread, and all that can be done in it. */
export function useOpenThread(
  threadId: number,
  list: RefObject<MessageListHandle | null>,
  box: RefObject<HTMLTextAreaElement | null>,
) {
  const client = useQueryClient();
  const { thread, runId } = useFollowedThread(threadId);
  const [improving, setImproving] = useState<Message | null>(null);
  const [editingId, setEditingId] = useState<number | null>(null);
  const [pending, setPending] = useState<PendingMessage | null>(null);
  const unsentEdit = useRef<UnsentEdit | null>(null);
  /** The models that the next question goes to, where it goes to several. */
  const [several, setSeveral] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<SendProblem | null>(null);
  const [stoppingRun, setStoppingRun] = useState<number | null>(null);
  const { mutateAsync: sendAsync, isPending: sending } = useSend();
  const { mutate: startAgain } = useRegenerate(threadId);
  const { mutate: branch } = useShowBranch(threadId);
  const { mutate: stopRun } = useStop();
  const { mutate: update } = useUpdateThread();
  const assistantId = thread.data?.assistantId ?? null;
  const model = thread.data?.model ?? null;

  const messagesNow = useCallback(() => client.getQueryData(messagesQuery(threadId).queryKey), [client, threadId]);

  const sendFrom = useCallback(
    async (draft: Draft, overBudget = false, insist: (() => void) | null = null) => {
      setFailure(null);
      setPending(pendingMessage(messagesNow(), draft));
      try {
        await sendAsync({ threadId, ...draft, overBudget });
        // After the messages are on the page.
        requestAnimationFrame(() => list.current?.goToEnd());
        return true;
      } catch (error) {
        setFailure({ error, insist });
        // What this page believed about the thread was wrong.
        if (error instanceof ApiError && (error.status === 409 || error.status === 404)) {
          void refreshThread(client, threadId);
          void refreshMessages(client, threadId);
        }
        return false;
      } finally {
        setPending(null);
      }
    },
    [client, list, messagesNow, sendAsync, threadId],
  );

  /** The end that is on this page, so that a branch shown in another tab changes nothing here. */
  const send = async (text: string, overBudget: boolean, files: readonly StoredFile[]) => {
    const window = messagesNow();
    if (undecided(window)) {
      setFailure({ error: notChosen(), insist: null });
      return false;
    }
    const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
    const parentId = last && !isUnderWay(last) ? last.id : undefined;
    const place = `chat:${threadId}`;
    if (!(await sendFrom({ place, text, files, parentId, models: several }, overBudget))) return false;
    // Once: what follows is the conversation with one of them.
    setSeveral([]);
    return true;
  };

  const edit = useCallback(
    (messageId: number) => {
      setEditingId(messageId);
      list.current?.show(messageId);
    },
    [list],
  );
  const editLast = () => {
    const last = messagesNow()?.items.findLast((message) => message.role === 'user');
    if (last && runId === null) edit(last.id);
  };

  const endRun = useCallback(
    (id: number) =>
      stopRun(id, {
        onError: (error) => {
          setStoppingRun(null);
          complain('The answer was not stopped')(error);
        },
        onSuccess: () => refreshThread(client, threadId),
      }),
    [client, stopRun, threadId],
  );
  const stop = useCallback(() => {
    if (runId === null) return;
    setStoppingRun(runId);
    const beside = undecided(messagesNow());
    for (const id of new Set([runId, ...(beside ? runsTogether(client, threadId, beside) : [])])) endRun(id);
  }, [client, endRun, messagesNow, runId, threadId]);

  const regenerate = useCallback(
    function begin(messageId: number, model?: string, overBudget = false) {
      setFailure(null);
      startAgain(
        { messageId, model, overBudget },
        {
          onSuccess: () => requestAnimationFrame(() => list.current?.goToEnd()),
          onError: (error) => {
            if (isOverBudget(error)) setFailure({ error, insist: () => begin(messageId, model, true) });
            else complain('No new answer was begun')(error);
          },
        },
      );
    },
    [list, startAgain],
  );

  const blockedReason = runId === null ? undefined : 'Wait for the answer, or stop it first.';
  const actions = useMemo<ThreadActions>(
    () => ({
      threadId,
      choice: { assistantId, model },
      blockedReason,
      regenerate: (messageId, other) => regenerate(messageId, other),
      edit,
      stopEditing: () => {
        unsentEdit.current = null;
        setEditingId(null);
      },
      unsentEdit: (messageId) => (unsentEdit.current?.messageId === messageId ? unsentEdit.current : null),
      sendEdited: ({ messageId, parentId, text, files }) => {
        const draft = { place: `chat:${threadId}:edit:${messageId}`, text, files, parentId, models: [] };
        const attempt = async (overBudget: boolean) => {
          setEditingId(null);
          unsentEdit.current = { messageId, text, files };
          if (await sendFrom(draft, overBudget, () => void attempt(true))) unsentEdit.current = null;
          else setEditingId(messageId);
        };
        void attempt(false);
      },
      improve: setImproving,
      showBranch: (messageId) =>
        branch(
          { messageId },
          {
            onSuccess: () => requestAnimationFrame(() => list.current?.show(messageId)),
            onError: complain('The other version could not be shown'),
          },
        ),
      choose: (choice) =>
        update({ id: threadId, changes: chosen(choice) }, { onError: complain('The model was not changed') }),
      goOnWith: (answer) => {
        if (answer.parentId !== null) markGoneOn(answer.parentId);
        setFailure(null);
        // An assistant keeps its own model; without one, the model that is gone on with answers from here on.
        const next = assistantId === null && answer.model !== null ? { model: answer.model } : {};
        branch(
          { messageId: answer.id, ...next },
          {
            onSuccess: () =>
              requestAnimationFrame(() => {
                list.current?.goToEnd();
                focusUnlessTouch(box.current);
              }),
            onError: complain('The answer could not be gone on with'),
          },
        );
      },
      stopRun: endRun,
    }),
    [threadId, assistantId, model, box, endRun, blockedReason, edit, sendFrom, regenerate, branch, update, list],
  );

  return {
    thread,
    actions,
    improving,
    editingId,
    runId,
    stop,
    stopping: runId !== null && stoppingRun === runId,
    failure,
    pending,
    several,
    setSeveral,
    sending,
    send,
    editLast,
  };
}
