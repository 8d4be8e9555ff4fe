import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { Ban, Ellipsis, Pause, Play } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { availableChanges, useJobChanges } from './use-job-changes.ts';

/** The confirmation is the owner's to render: this row may disappear meanwhile. */
export function JobMenu({ job, onCancel }: { job: Job; onCancel: () => void }) {
  const { reason } = useEditAccess();
  const { change } = useJobChanges();
  const possible = availableChanges(job);
  const ended = possible.length === 0 && (job.cancelling ? 'It is being cancelled' : 'It has ended');
  return (
    <Menu trigger={<IconButton label={`Actions for ${job.name}`} tooltip="Actions" icon={Ellipsis} />}>
      {job.status === 'paused' ? (
        <MenuItem icon={Play} disabledReason={reason ?? (ended || undefined)} onSelect={() => change(job, 'resume')}>
          Resume
        </MenuItem>
      ) : (
        <MenuItem
          icon={Pause}
          disabledReason={
            reason ?? (ended || (possible.includes('pause') ? undefined : 'Only a running job can be paused'))
          }
          onSelect={() => change(job, 'pause')}
        >
          Pause
        </MenuItem>
      )}
      <MenuItem icon={Ban} destructive disabledReason={reason ?? (ended || undefined)} onSelect={onCancel}>
        Cancel
      </MenuItem>
    </Menu>
  );
}
