import { providerNameIn } from '@roster/contracts/provider-name';
import { Import } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { useImportJobs } from '#web/api/fine-tuning.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/states/toast.tsx';

type ImportJobsButtonProps = { variant: 'ghost' | 'secondary'; hasKey: boolean };

/** Imports jobs that were created elsewhere with this key. */
export function ImportJobsButton({ variant, hasKey }: ImportJobsButtonProps) {
  const bringIn = useImportJobs();
  const { reason } = useEditAccess();
  const provider = useProviderName();
  const start = () =>
    bringIn.mutate(undefined, {
      onSuccess: ({ imported, known }) =>
        toast({
          title: 'Success',
          description:
            imported > 0
              ? `${formatCount(imported, 'job')} imported from ${provider}.`
              : known > 0
                ? `Nothing new: ${formatCount(known, 'job')} at ${provider} ${known === 1 ? 'is' : 'are'} already here.`
                : `${providerNameIn('beginning', provider)} has no jobs of this key.`,
        }),
      onError: showError('Failed to import jobs'),
    });
  return (
    <Button
      variant={variant}
      icon={Import}
      size={variant === 'ghost' ? 'sm' : 'md'}
      busy={bringIn.isPending}
      pendingLabel="Importing..."
      disabledReason={reason ?? (hasKey ? undefined : 'A working API key is required.')}
      onClick={start}
    >
      {`Import Jobs from ${provider}`}
    </Button>
  );
}
