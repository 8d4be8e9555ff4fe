import type { ThreadTools } from '@roster/contracts/assistants/tools';
import { type ApprovalDecision, chat, type Message, type Run, type Thread } from '@roster/contracts/chat';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { mergeLiveRun } from '#web/api/runs/run-message.ts';
import type { LiveRun } from '#web/api/runs/run-store.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { newClientId } from '#web/lib/client-id.ts';
import { toastError } from '#web/lib/toast.ts';
import { answersQuery } from './answers.ts';
import { forgetSending, sendingOf } from './client-id.ts';
import type { NewMessage } from './composer-state.ts';
import { awaitedAnswer, withBranch, withMessage } from './message-changes.ts';
import type { MessageWindow } from './message-window.ts';
import {
  forgetThread,
  hideThread,
  loadAround,
  loadEnd,
  refreshLists,
  refreshMessages,
  refreshSearches,
  refreshThread,
  showThread,
} from './thread-cache.ts';
import { isRefusal, messagesQuery, threadQuery } from './thread-queries.ts';
import type { ComposerTools } from './thread-tools.ts';
import type { Choice } from './use-assistants.ts';

/** Offline, a call fails with an error instead of waiting silently. */
const atOnce = { networkMode: 'always' } as const;

/** Like `useMutation`, for use outside components; ended sessions are noticed here as well. */
export const carryOut = <Value>(client: QueryClient, mutationFn: () => Promise<Value>): Promise<Value> =>
  client
    .getMutationCache()
    .build<Value, Error, void, unknown>(client, { ...atOnce, mutationFn })
    .execute();

type ThreadChanges = {
  tools?: ThreadTools | null;
  title?: string;
  pinned?: boolean;
  archived?: boolean;
  assistantId?: number | null;
  model?: string | null;
};

async function update(client: QueryClient, id: number, changes: ThreadChanges): Promise<void> {
  showThread(client, await call(chat.updateThread, { params: { id }, body: changes }));
  await refreshLists(client);
}

export const updateThread = (client: QueryClient, id: number, changes: ThreadChanges) =>
  carryOut(client, () => update(client, id, changes));

/** Pending changes of tools, by thread; a question waits for them. */
export const switching = new Map<number, Promise<void>>();

/** Shows tool changes at once and sends them in order. */
function switchTools(client: QueryClient, threadId: number, tools: ThreadTools | null): void {
  const { queryKey } = threadQuery(threadId);
  void client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, (thread) => thread && withTools(thread, tools));
  const before = switching.get(threadId) ?? Promise.resolve();
  const isLast = () => switching.get(threadId) === switched;
  const switched = before
    .catch(() => undefined)
    .then(async () => {
      const thread = await carryOut(client, () =>
        call(chat.updateThread, { params: { id: threadId }, body: { tools } }),
      );
      if (isLast()) showThread(client, thread);
    });
  switching.set(threadId, switched);
  switched
    .catch((error: unknown) => {
      toastError({ title: 'Failed to change the tools', description: errorText(error) });
      return refreshThread(client, threadId);
    })
    .finally(() => isLast() && switching.delete(threadId))
    .catch(reportError);
}

/** Tools of a thread, for its composer. */
export const toolsOf = (client: QueryClient, { id, assistantId, model, tools }: Thread): ComposerTools => ({
  threadId: id,
  assistantId,
  model,
  switched: tools ?? {},
  onSwitch: (next) => switchTools(client, id, next),
});

function withTools({ tools: _, ...thread }: Thread, tools: ThreadTools | null): Thread {
  return tools ? { ...thread, tools } : thread;
}

export function useUpdateThread() {
  const client = useQueryClient();
  return useMutation({
    ...atOnce,
    mutationFn: ({ id, changes }: { id: number; changes: ThreadChanges }) => update(client, id, changes),
  });
}

export function useRemoveThread() {
  return useMutation({
    ...atOnce,
    mutationFn: (id: number) => call(chat.removeThread, { params: { id } }),
  });
}

/** Forgets a removed thread once it is no longer shown; earlier it would be fetched again, and not found. */
export async function leaveRemoved(client: QueryClient, id: number, left: unknown): Promise<void> {
  hideThread(client, id);
  await left;
  await refreshLists(client);
  forgetThread(client, id);
}

/** Shows messages that start a new branch, with the run that continues from them. */
async function showBranch(client: QueryClient, threadId: number, parentId: number | null, added: Message[], run: Run) {
  const { queryKey } = messagesQuery(threadId);
  await client.cancelQueries({ queryKey });
  const window = client.getQueryData(queryKey);
  const next = window && withBranch(window, parentId, added);
  if (next) client.setQueryData<MessageWindow>(queryKey, next);
  else await loadEnd(client, threadId);
  const thread = client.getQueryData(threadQuery(threadId).queryKey);
  const last = added.at(-1);
  if (thread && last) showThread(client, { ...thread, runId: run.id, updatedAt: last.createdAt });
  // Details of the answer (model, branches) come from the server.
  refreshMessages(client, threadId).catch(reportError);
}

export type Destination = {
  threadId: number;
  /** Key of the draft; a retry from the same place is the same message. */
  place: string;
  /** Undefined for the head of the branch that the server shows. */
  parentId: number | null | undefined;
  /** Each of these models answers; if empty, the thread's chat target. */
  models: readonly string[];
};

/** Resolves once the server has stored the message. */
export const sendMessage = (client: QueryClient, { text, files, overBudget }: NewMessage, destination: Destination) =>
  carryOut(client, async () => {
    const { threadId, place, models } = destination;
    await switching.get(threadId);
    const fileIds = files.map(({ id }) => id);
    // The same text with other files or models is another message.
    const beyondText = [fileIds.join(), models.join()].filter((part) => part !== '');
    const { clientId, parentId } = sendingOf(place, [text, ...beyondText].join('\n'), destination.parentId);
    const { message, run, runs } = await call(chat.send, {
      params: { id: threadId },
      body: {
        message: text,
        clientId,
        ...(models.length > 1 && { models: [...models] }),
        ...(fileIds.length > 0 && { fileIds }),
        ...(parentId === undefined ? {} : { parentId }),
        ...(overBudget && { overBudget }),
      },
    }).catch((error: unknown) => {
      if (isRefusal(error)) forgetSending(place);
      throw error;
    });
    forgetSending(place);
    const together = runs.length > 1 ? runs.map(({ messageId }) => messageId) : [];
    const awaited = runs.map((one, index) => awaitedAnswer(message, one, together, models[index] ?? null));
    if (together.length > 0) client.setQueryData(answersQuery(threadId, message.id).queryKey, awaited);
    await showBranch(client, threadId, message.parentId, [message, ...awaited.slice(0, 1)], run);
  });

/** The part of a choice that the server needs. */
export const chosen = ({ assistantId, model }: Choice) => (assistantId === null ? { model } : { assistantId });

type Start = Pick<Destination, 'place' | 'models'> & {
  choice: Choice;
  tools: ThreadTools | null;
  /** Created by an earlier attempt. */
  thread: Thread | null;
  temporary?: boolean;
  projectId?: number | undefined;
};

/** Creates a thread and sends its first message. If that is refused, the thread is removed. */
export async function startThread(client: QueryClient, message: NewMessage, start: Start): Promise<Thread> {
  const { choice, tools, temporary, projectId, place, models } = start;
  const body = { ...chosen(choice), ...(tools && { tools }), ...(temporary && { temporary }), projectId };
  const thread = start.thread ?? (await carryOut(client, () => call(chat.createThread, { body })));
  try {
    await sendMessage(client, message, { threadId: thread.id, parentId: null, place, models });
  } catch (error) {
    // If the message may have arrived, keep the thread for a retry.
    if (!isRefusal(error)) throw new UnfinishedStartError(thread, error);
    await call(chat.removeThread, { params: { id: thread.id } }).catch(() => undefined);
    throw error;
  }
  refreshLists(client).catch(reportError);
  return thread;
}

/** The thread was created, but its first message may not have arrived. */
export class UnfinishedStartError extends Error {
  override name = 'UnfinishedStartError';
  readonly thread: Thread;
  constructor(thread: Thread, cause: unknown) {
    super('The message could not be sent.', { cause });
    this.thread = thread;
  }
}

type Again = { threadId: number; messageId: number; model?: string | undefined; overBudget: boolean };

/** Requests another answer to the same question. */
export const regenerateAnswer = (client: QueryClient, { threadId, messageId, model, overBudget }: Again) =>
  carryOut(client, async () => {
    await switching.get(threadId);
    const { message, run } = await call(chat.regenerate, {
      params: { id: messageId },
      body: { clientId: newClientId(), ...(model !== undefined && { model }), ...(overBudget && { overBudget }) },
    });
    await showBranch(client, threadId, message.parentId, [message], run);
  });

/** Shows the branch through a message. `model`: what answers in it from here on. */
export const selectBranch = (client: QueryClient, threadId: number, messageId: number, model?: string) =>
  carryOut(client, async () => {
    const body = { shownMessageId: messageId, ...(model !== undefined && { model }) };
    const thread = await call(chat.updateThread, { params: { id: threadId }, body });
    await loadAround(client, threadId, messageId);
    showThread(client, thread);
  });

export const stopRun = (client: QueryClient, runId: number) =>
  carryOut(client, () => call(chat.stop, { params: { id: runId } }));

type CallDecision = { runId: number; callId: string; decision: ApprovalDecision; reason?: string };

/** Decides on a call that waits for approval. On a conflict, refetches what others have decided. */
export const decideCall = (client: QueryClient, threadId: number, { runId, callId, ...body }: CallDecision) =>
  carryOut(client, async () => {
    try {
      return await call(chat.approve, { params: { id: runId, callId }, body });
    } finally {
      Promise.all([refreshMessages(client, threadId), refreshThread(client, threadId)]).catch(reportError);
    }
  });

/** Copies the streamed result into the message, so that nothing moves while the rest is fetched. */
export function showRunEnd(client: QueryClient, threadId: number, messageId: number, run: LiveRun | null): void {
  if (run?.end) {
    client.setQueryData(
      messagesQuery(threadId).queryKey,
      (window) => window && withMessage(window, messageId, (message) => mergeLiveRun(message, run)),
    );
  }
  const { queryKey } = threadQuery(threadId);
  const thread = client.getQueryData(queryKey);
  if (thread) {
    const { waitsForApproval: _, ...ended } = thread;
    showThread(client, { ...ended, runId: null });
  }
  Promise.all([refreshMessages(client, threadId), refreshThread(client, threadId), refreshSearches(client)]).catch(
    reportError,
  );
}
