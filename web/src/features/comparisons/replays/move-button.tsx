import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import { type ReactNode, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { Button } from '#web/ui/button.tsx';

export type ReplayedMove = { fromModel: string; toModel: string; assistantId: number; onClose: () => void };
type MoveButtonProps = { comparison: Comparison; moving: (move: ReplayedMove) => ReactNode };

/** Migrates the replay's assistant, or all, to the tested model. */
export function MoveButton({ comparison, moving }: MoveButtonProps) {
  const { reason } = useEditAccess();
  const [isOpen, setOpen] = useState(false);
  const { kind, assistant, baseline, candidate } = comparison;
  if (kind !== 'replay' || !assistant || !baseline) return null;
  return (
    <>
      <Button disabledReason={reason} onClick={() => setOpen(true)}>
        Migrate
      </Button>
      {isOpen &&
        moving({
          ...{ fromModel: baseline.model, toModel: candidate.model, assistantId: assistant.id },
          onClose: () => setOpen(false),
        })}
    </>
  );
}
