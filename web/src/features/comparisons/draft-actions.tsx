import type { Assistant } from '@roster/contracts/assistants/assistants';
import { draftComparisons } from '@roster/contracts/comparisons/drafts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Save } from 'lucide-react';
import { assistantDraftQuery } from '#web/api/assistant-draft.ts';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import type { WholeComparison } from './shared/queries.ts';

/** Actions on the compared draft: save exactly it, or continue editing. */
export function DraftActions({ comparison: { id, assistant, baseline } }: { comparison: WholeComparison }) {
  const current = useQuery(assistantsQuery).data?.find((one) => one.id === assistant?.id);
  const version = baseline?.assistantVersion;
  if (!current || version === undefined || version === null) return null;
  return current.version === version ? (
    <Unsaved comparisonId={id} current={current} />
  ) : (
    <ChangedSince comparisonId={id} current={current} version={version} />
  );
}

type DraftProps = { comparisonId: number; current: Assistant };

function Unsaved({ comparisonId: id, current }: DraftProps) {
  const { reason } = useEditAccess();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(draftComparisons.save, { params: { id } }),
    onSuccess: ({ name, version }) =>
      toast({ title: 'Draft saved', description: `${name} is now at version ${version}.` }),
    onError: showFailure('Failed to save the draft'),
    onSettled: () => client.invalidateQueries({ queryKey: assistantsQuery.queryKey }),
  });
  return (
    <Notice
      title={`A draft of ${current.name}`}
      action={
        <>
          <Button
            size="sm"
            icon={Save}
            busy={isPending}
            pendingLabel="Saving..."
            disabledReason={reason}
            className="max-md:h-10"
            onClick={() => mutate()}
          >
            Save draft as version {current.version + 1}
          </Button>
          <Link
            to="/settings"
            search={{ tab: 'assistants', edit: current.id, draft: id }}
            className={buttonClass({ size: 'sm', variant: 'ghost', className: 'max-md:h-10' })}
          >
            Back to the form
          </Link>
        </>
      }
    >
      Not saved yet. Tools are not called in a comparison; the assistant’s files are searched.
    </Notice>
  );
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A later version contains the draft, usually because it was saved, or differs. */
function ChangedSince({ comparisonId, current, version }: DraftProps & { version: number }) {
  const { name, version: now } = current;
  const { data: draft, isPending } = useQuery(assistantDraftQuery(comparisonId));
  if (isPending) return null;
  const stored: Record<string, unknown> = current;
  const isSaved = draft && Object.entries(draft.changes).every(([field, value]) => isSame(stored[field], value));
  return (
    <Notice
      title={isSaved ? `${name} already has these changes` : `${name} is now at version ${now}`}
      action={
        <Link
          to="/settings"
          search={{ tab: 'assistants', edit: current.id, version: now }}
          className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}
        >
          {isSaved ? `See version ${now}` : 'See what differs'}
        </Link>
      }
    >
      {isSaved
        ? `Saved: version ${now} contains all its changes.`
        : `This draft is based on version ${version}. It does not overwrite later versions.`}
    </Notice>
  );
}
