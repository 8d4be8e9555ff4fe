import type { Dataset } from '@roster/contracts/fine-tuning/datasets';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/ui/states/toast.tsx';
import { GatheringFields } from './gathering-fields.tsx';
import { type GatheringChoice, useGatherMore } from './queries.ts';

/** Text about rated answers that did not fit. */
export const remainderText = (left: number) =>
  left > 0 ? ` The dataset is full: ${formatCount(left, 'rated answer')} could not be added.` : '';

export function GatherMoreDialog({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const [choice, setChoice] = useState<GatheringChoice>({ assistantId: null, withInstructions: true });
  const gather = useGatherMore(dataset.id);
  const start = () =>
    gather.mutate(choice, {
      onSuccess: ({ added, left }) => {
        const words = added === 0 && left === 0 ? 'Nothing new to add.' : `${formatCount(added, 'example')} added.`;
        toast({ title: 'Success', description: `${words}${remainderText(left)}` });
        onClose();
      },
    });
  return (
    <FormDialog
      title="Gather More"
      description="Adds answers you have rated or corrected since. Your existing reviews are kept."
      action={['Gather', 'Gathering...']}
      busy={gather.isPending}
      onSubmit={start}
      onClose={onClose}
      failed={{ title: 'Nothing was added', error: gather.error, fallback: 'Please try again.' }}
      className="space-y-5"
    >
      <GatheringFields choice={choice} onChange={setChoice} format={dataset.format} />
    </FormDialog>
  );
}
