import type { HeldReason, QueuedMessage } from '@roster/contracts/message-queue';
import { useQuery } from '@tanstack/react-query';
import { Paperclip, Pencil, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { composerAt } from '#web/features/chat/shared/composer-state.ts';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { changeQueued, queueQuery, refresh, removeQueued, sendQueued } from './queue-actions.ts';
import { QueuedEditor } from './queued-editor.tsx';

/** Between the end of an answer and the start of the next one. */
const pollIntervalMs = 700;

const heldTexts: Record<HeldReason, string> = {
  stopped: 'The answer was stopped, so these messages wait.',
  failed: 'The answer failed, so these messages wait.',
  choice: 'Choose the answer to continue with, then send.',
  over_budget: 'Your budget is used up, so these messages wait.',
  refused: 'The next message could not be sent.',
  editing: 'The next message is being edited.',
};

function stateOf({ held, problem }: QueuedMessage): string {
  if (held === null) return 'Sent when the answer is complete';
  return problem ?? heldTexts[held];
}

type MessageQueueProps = { open: OpenThread; runId: number | null };

/** The messages that are sent when the answer being written has ended. */
export function MessageQueue({ open, runId }: MessageQueueProps) {
  const { client, threadId } = open;
  const { data: items = [] } = useQuery(queueQuery(threadId));
  const [editingId, setEditingId] = useState<number | null>(null);
  const stateId = useId();
  const [first] = items;
  const isNext = first?.held === null && runId === null;

  // No event tells that the server has started the next answer.
  useEffect(() => {
    if (!isNext) return;
    const timer = setInterval(() => void refresh(client, threadId), pollIntervalMs);
    return () => clearInterval(timer);
  }, [client, threadId, isNext]);

  if (!first) return null;
  const canSend = first.held !== null && runId === null && first.id !== editingId;
  return (
    <section aria-label="Queued messages" className="shrink-0 px-4 pb-2 max-md:px-3">
      <div className="mx-auto max-h-[30dvh] max-w-[760px] overflow-y-auto rounded-lg border border-border bg-card p-1.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1 text-muted-foreground text-sm">
          <output id={stateId} className="wrap-anywhere min-w-0 flex-1 basis-52">
            {stateOf(first)}
          </output>
          {canSend && (
            <Button size="sm" className="max-md:h-10" onClick={() => sendNow(open, first)}>
              {first.held === 'over_budget' ? 'Send anyway' : 'Send'}
            </Button>
          )}
        </div>
        <ol aria-describedby={stateId} className="divide-y divide-border">
          {items.map((message) => (
            <li key={message.id} className="px-2 py-1.5">
              {message.id === editingId ? (
                <QueuedEditor
                  message={message}
                  onSave={(text) => save(open, message, text, () => setEditingId(null))}
                  onCancel={() => {
                    setEditingId(null);
                    void changeQueued(open, message.id, { editing: false }).catch(showFailure('Failed to end editing'));
                    focusUnlessTouch(open.box.current);
                  }}
                />
              ) : (
                <Waiting message={message} open={open} runId={runId} onEdit={() => setEditingId(message.id)} />
              )}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function sendNow(open: OpenThread, { id, held }: QueuedMessage) {
  sendQueued(open, id, held === 'over_budget').catch(showFailure('Failed to send the message'));
  focusUnlessTouch(open.box.current);
}

/** If the message has been sent meanwhile, the new text returns to the composer. */
function save(open: OpenThread, { id }: QueuedMessage, text: string, done: () => void) {
  changeQueued(open, id, { message: text, editing: false }).then(
    () => {
      done();
      focusUnlessTouch(open.box.current);
    },
    (error: unknown) => {
      const composer = composerAt(`chat:${open.threadId}`);
      const { text: written } = composer.get();
      composer.set({ text: written === '' ? text : `${text}\n\n${written}` });
      done();
      showFailure('Failed to save the change')(error);
    },
  );
}

type WaitingProps = { message: QueuedMessage; open: OpenThread; runId: number | null; onEdit: () => void };

function Waiting({ message, open, runId, onEdit }: WaitingProps) {
  const { id, text, files, models } = message;
  const edit = () => {
    onEdit();
    changeQueued(open, id, { editing: true }).catch(showFailure('Failed to edit the message'));
  };
  const remove = () => {
    removeQueued(open, id).catch(showFailure('Failed to remove the message'));
    focusUnlessTouch(open.box.current);
  };
  return (
    <div className="flex flex-wrap items-start justify-end gap-x-2">
      <div className="min-w-0 flex-1 basis-52 py-1">
        <p dir="auto" className="wrap-anywhere line-clamp-3 whitespace-pre-line">
          {text}
        </p>
        {files.length > 0 && (
          <p className="wrap-anywhere mt-0.5 flex items-center gap-1.5 text-muted-foreground text-sm">
            <Paperclip aria-hidden className="size-3.5 shrink-0" />
            <span className="sr-only">Attached: </span>
            {files.map(({ filename }) => filename).join(', ')}
          </p>
        )}
        {models.length > 0 && (
          <p className="wrap-anywhere mt-0.5 text-muted-foreground text-sm">To {models.join(', ')}</p>
        )}
      </div>
      <div className="flex items-center gap-1">
        {runId !== null && (
          <Button size="sm" variant="ghost" className="max-md:h-10" onClick={() => sendNow(open, message)}>
            Send now
          </Button>
        )}
        <IconButton label="Edit message" icon={Pencil} size="sm" className="max-md:size-10" onClick={edit} />
        <IconButton label="Remove from queue" icon={X} size="sm" className="max-md:size-10" onClick={remove} />
      </div>
    </div>
  );
}
