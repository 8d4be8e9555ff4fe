import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { providerNameIn } from '@roster/contracts/provider-name';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { Notice } from '#web/ui/states/notice.tsx';

/** Why a job failed, or what an open one is waiting for. */
export function JobFailure({ job, className }: { job: Job; className?: string }) {
  const provider = useProviderName();
  const { status, errorCode, notice } = job;
  if (status !== 'failed') return null;
  if (errorCode === 'training_not_available')
    return (
      <Notice tone="destructive" title={`This account cannot train at ${provider}`} className={className}>
        <p>
          {notice ??
            `${providerNameIn('beginning', provider)} refused the job: training is not available to this account.`}
        </p>
        <p className="mt-2">
          Nothing was trained or billed. File checks, datasets, comparisons, and your earlier jobs and models keep
          working, and so does training with another provider that supports the same API.
        </p>
      </Notice>
    );
  return (
    <Notice tone="destructive" title="The training failed" className={className}>
      <p className="wrap-anywhere">{notice ?? `${providerNameIn('beginning', provider)} gave no reason.`}</p>
      {errorCode && (
        <p className="mt-1 text-sm">
          {providerNameIn('beginning', provider)}’s code: <code className="font-mono">{errorCode}</code>
        </p>
      )}
    </Notice>
  );
}
