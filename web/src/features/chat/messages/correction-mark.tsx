import type { Message } from '@roster/contracts/chat';
import { useId, useState } from 'react';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';
import { useRating } from './rating-mutation.ts';

/** Marks an answer that has a correction, and shows it on request. */
export function CorrectionMark({ message, correction }: { message: Message; correction: string }) {
  const [open, setOpen] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { correct } = useThreadActions();
  const rating = useRating(message);
  const panelId = useId();
  const close = () => setRemoving(false);
  return (
    <div className="mt-2 border-border-strong border-s-2 ps-3">
      <div className="flex flex-wrap items-center gap-x-1 text-muted-foreground text-sm">
        <span className="me-1.5">Corrected for training</span>
        <Button
          variant="ghost"
          size="sm"
          aria-expanded={open}
          aria-controls={open ? panelId : undefined}
          onClick={() => setOpen(!open)}
          className="h-7 px-1.5 max-md:h-10"
        >
          {open ? 'Hide' : 'View'}
        </Button>
        <Button variant="ghost" size="sm" onClick={() => correct(message)} className="h-7 px-1.5 max-md:h-10">
          Edit
        </Button>
        <Button variant="ghost" size="sm" onClick={() => setRemoving(true)} className="h-7 px-1.5 max-md:h-10">
          Remove
        </Button>
      </div>
      {open && (
        <section id={panelId} aria-label="Corrected answer" className="mt-1.5 pb-1">
          <AnswerText text={correction} live={false} />
        </section>
      )}
      <ConfirmDialog
        open={removing}
        onOpenChange={close}
        title="Remove the correction?"
        description="Your correction is deleted. The answer in the conversation and existing datasets do not change."
        confirmLabel="Remove"
        pendingLabel="Removing..."
        destructive
        busy={rating.isPending}
        onConfirm={() => rating.mutate({ correction: null }, { onSettled: close })}
      />
    </div>
  );
}
