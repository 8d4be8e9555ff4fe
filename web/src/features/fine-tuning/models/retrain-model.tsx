import type { BaseModel } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bot, RotateCcw } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { baseModelsQuery } from '#web/api/fine-tuning.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { Button } from '#web/ui/button.tsx';

/** A tuned model that retires with its base; shared by both pages that show one. */
export type RetiringTunedModel = {
  name: string;
  jobId: number | null;
  datasetId: number | null;
  /** The catalogue's replacement for its base. */
  successor: string | null;
};

/** Strips the date of a snapshot: training may be offered only for the undated id. */
const familyOf = (id: string) => id.replace(/-\d{4}-\d{2}-\d{2}$/, '');

const trainedAs = (bases: Record<string, BaseModel>, successor: string): string | undefined =>
  Object.keys(bases).find((id) => id === successor) ?? Object.keys(bases).find((id) => familyOf(id) === successor);

/**
 * Ways to replace a retiring tuned model: train again, or use its examples as instructions if that is no longer
 * possible.
 */
export function RetrainModel({ model: { name, jobId, datasetId, successor } }: { model: RetiringTunedModel }) {
  const { data: bases } = useQuery(baseModelsQuery);
  const provider = useProviderName();
  const navigate = useNavigate();
  const { reason } = useEditAccess();
  if (successor === null) return null;
  const base = bases && trainedAs(bases, successor);
  if (base !== undefined && jobId !== null)
    return (
      <Button
        size="sm"
        icon={RotateCcw}
        disabledReason={reason}
        aria-label={`Train again on ${base}: ${name}`}
        onClick={() => void navigate({ to: '/fine-tuning', search: { tab: 'jobs', again: jobId, base } })}
      >
        Train again on {base}
      </Button>
    );
  const start = { tab: 'assistants', view: 'create', model: successor, name } as const;
  const use = datasetId === null ? `Use ${successor}` : `Use ${successor} with its examples`;
  const search = datasetId === null ? start : { ...start, examples: datasetId };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {bases && (
        <p className="sentence wrap-anywhere text-muted-foreground text-sm">{`${provider} does not train ${successor}.`}</p>
      )}
      <Button
        size="sm"
        icon={Bot}
        disabledReason={reason}
        className="max-sm:h-auto max-sm:min-h-10 max-sm:whitespace-normal max-sm:py-2"
        aria-label={`${use}: ${name}`}
        onClick={() => void navigate({ to: '/settings', search })}
      >
        {use}
      </Button>
    </div>
  );
}
