import type { Message } from '@roster/contracts/chat';
import { runsTogether, undecided } from '#web/features/chat/shared/answers.ts';
import type { NewMessage } from '#web/features/chat/shared/composer-state.ts';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import { pendingMessage } from '#web/features/chat/shared/message-changes.ts';
import { isInProgress } from '#web/features/chat/shared/message-window.ts';
import {
  chosen,
  type Destination,
  regenerateAnswer,
  selectBranch,
  sendMessage,
  stopRun,
  updateThread,
} from '#web/features/chat/shared/mutations.ts';
import type { ThreadActions, UnsentEdit } from '#web/features/chat/shared/thread-actions.ts';
import { refreshMessages, refreshThread } from '#web/features/chat/shared/thread-cache.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { showFailure } from '#web/lib/show-failure.ts';

const messagesOf = ({ client, threadId }: OpenThread) => client.getQueryData(messagesQuery(threadId).queryKey);

/** After the messages have been rendered. */
const goToEnd = ({ list }: OpenThread) => requestAnimationFrame(() => list.current?.goToEnd());

/** Shows a message at once; resolves to whether the server has it. */
async function showAndSend(
  open: OpenThread,
  message: NewMessage,
  destination: Omit<Destination, 'threadId'>,
  sendAnyway: (() => void) | null,
) {
  const { client, threadId, change } = open;
  change({ failure: null, pending: pendingMessage(messagesOf(open), message, destination.parentId) });
  try {
    await sendMessage(client, message, { threadId, ...destination });
    goToEnd(open);
    return true;
  } catch (error) {
    change({ failure: { error, sendAnyway } });
    // This page's view of the thread was outdated.
    if (error instanceof ApiError && (error.status === 409 || error.status === 404)) {
      void refreshThread(client, threadId);
      void refreshMessages(client, threadId);
    }
    return false;
  } finally {
    change({ pending: null });
  }
}

const answerNotChosenError = () =>
  new ApiError('First choose an answer with ‘Continue with this answer’.', {
    status: 0,
    code: 'not_chosen',
    hasServerMessage: true,
  });

/** Follows the head shown on this page, so that a branch selected in another tab does not matter. */
export async function submitMessage(
  open: OpenThread,
  message: NewMessage,
  models: readonly string[],
  runId: number | null,
): Promise<boolean> {
  if (runId !== null)
    return (await import('#web/features/chat/queue/queue-actions.ts')).queueMessage(open, message, models);
  const window = messagesOf(open);
  if (undecided(window)) {
    open.change({ failure: { error: answerNotChosenError(), sendAnyway: null } });
    return false;
  }
  const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
  const parentId = last && !isInProgress(last) ? last.id : undefined;
  const destination = { place: `chat:${open.threadId}`, parentId, models };
  if (!(await showAndSend(open, message, destination, null))) return false;
  // Only once: the conversation continues with one of them.
  open.change({ selectedModels: [] });
  return true;
}

function edit({ change, list }: OpenThread, messageId: number) {
  change({ editingId: messageId });
  list.current?.show(messageId);
}

export function editLast(open: OpenThread): void {
  const last = messagesOf(open)?.items.findLast((message) => message.role === 'user');
  if (last) edit(open, last.id);
}

function endRun({ client, threadId, change }: OpenThread, id: number) {
  stopRun(client, id).then(
    () => refreshThread(client, threadId),
    (error: unknown) => {
      change({ stoppingRun: null });
      showFailure('Failed to stop the answer')(error);
    },
  );
}

/** Stops the running answer and its parallel answers. */
export function stopAnswers(open: OpenThread, runId: number): void {
  open.change({ stoppingRun: runId });
  const beside = undecided(messagesOf(open));
  const runs = beside ? runsTogether(open.client, open.threadId, beside) : [];
  for (const id of new Set([runId, ...runs])) endRun(open, id);
}

function regenerate(open: OpenThread, messageId: number, model?: string, overBudget = false) {
  const { client, threadId, change } = open;
  change({ failure: null });
  regenerateAnswer(client, { threadId, messageId, model, overBudget }).then(
    () => goToEnd(open),
    (error: unknown) => {
      const sendAnyway = () => regenerate(open, messageId, model, true);
      if (isBudgetError(error)) change({ failure: { error, sendAnyway } });
      else showFailure('Failed to start a new answer')(error);
    },
  );
}

/** Loaded on demand: rarely needed. */
const continueLater = (open: OpenThread, answer: Message) =>
  void import('./continue-answer.ts').then(
    (part) => part.continueOpen(open, answer),
    showFailure('Failed to continue the answer'),
  );

/** Only the head can be continued, and only if it has partial text. */
function canContinue(open: OpenThread, { id, parentId, state, endedEarly, text }: Message): boolean {
  const window = messagesOf(open);
  const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
  const isWhole = state === 'complete' && endedEarly === null;
  const isLast = last?.id === id || (last?.parentId === parentId && last.together.includes(id));
  return isLast && !isWhole && text.trim() !== '';
}

function showBranch({ client, threadId, list }: OpenThread, messageId: number) {
  selectBranch(client, threadId, messageId).then(
    () => requestAnimationFrame(() => list.current?.show(messageId)),
    showFailure('Failed to show the other version'),
  );
}

/** `model`: what answers from here on, unless an assistant does. */
function continueWith(open: OpenThread, answer: Message, model: string | undefined) {
  const { client, threadId, change, list, box } = open;
  change({ failure: null });
  const shown = () => {
    list.current?.goToEnd();
    focusUnlessTouch(box.current);
  };
  selectBranch(client, threadId, answer.id, model).then(
    () => requestAnimationFrame(shown),
    showFailure('Failed to continue with this answer'),
  );
}

/** Closes the editor; if the server refuses, it reopens with the edited text. */
function createEditing(open: OpenThread) {
  const { threadId, change } = open;
  let unsent: UnsentEdit | null = null;
  return {
    stopEditing() {
      unsent = null;
      change({ editingId: null });
    },
    unsentEdit: (messageId: number) => (unsent?.messageId === messageId ? unsent : null),
    sendEdited({ messageId, parentId, text, files }: UnsentEdit & { parentId: number | null }) {
      const destination = { place: `chat:${threadId}:edit:${messageId}`, parentId, models: [] };
      const attempt = async (overBudget: boolean) => {
        change({ editingId: null });
        unsent = { messageId, text, files };
        if (await showAndSend(open, { text, files, overBudget }, destination, () => void attempt(true))) unsent = null;
        else change({ editingId: messageId });
      };
      void attempt(false);
    },
  };
}

/** Actions of an open thread. */
export function threadActions(open: OpenThread) {
  const { client, threadId, change } = open;
  const fixed = {
    threadId,
    ...createEditing(open),
    regenerate: (messageId: number, model?: string) => regenerate(open, messageId, model),
    edit: (messageId: number) => edit(open, messageId),
    correct: (correcting: Message | null) => change({ correcting }),
    showBranch: (messageId: number) => showBranch(open, messageId),
    choose: (choice: Choice) => {
      updateThread(client, threadId, chosen(choice)).catch(showFailure('Failed to change the model'));
    },
    stopRun: (runId: number) => endRun(open, runId),
  };
  return (choice: Choice, blockedReason: string | undefined, isOfProgram: boolean): ThreadActions => ({
    ...fixed,
    choice,
    blockedReason,
    continuing: (answer) => (!isOfProgram && canContinue(open, answer) ? () => continueLater(open, answer) : undefined),
    continueWith: (answer) => {
      // An assistant keeps its model; otherwise the chosen answer's model answers from here on.
      const next = choice.assistantId === null ? answer.model : null;
      continueWith(open, answer, next ?? undefined);
    },
  });
}
