import { draftComparisons } from '@roster/contracts/draft-comparisons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Save } from 'lucide-react';
import { assistantsQuery } from '#web/data/assistants.ts';
import { useEditing } from '#web/data/current-user.ts';
import { call } from '#web/lib/api.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { toast } from '#web/lib/toast.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import type { WholeComparison } from './queries.ts';

/** What can be done with the draft that is compared: save exactly it, or go on with it in the form. */
export function DraftActions({ comparison }: { comparison: WholeComparison }) {
  const { id, assistant, baseline } = comparison;
  const { reason } = useEditing();
  const client = useQueryClient();
  const current = useQuery(assistantsQuery).data?.find((one) => one.id === assistant?.id);
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(draftComparisons.save, { params: { id } }),
    onSuccess: ({ name, version }) =>
      toast({ title: 'Draft saved', description: `${name} is at version ${version} now.` }),
    onError: tellFailure('The draft was not saved'),
    onSettled: () => client.invalidateQueries({ queryKey: assistantsQuery.queryKey }),
  });
  const version = baseline?.assistantVersion;
  if (!assistant || !current || version === undefined || version === null) return null;
  const toForm = { tab: 'assistants', edit: assistant.id } as const;
  const hasChanged = current.version !== version;
  return (
    <Notice
      title={hasChanged ? `${assistant.name} is at version ${current.version} now` : `A draft of ${assistant.name}`}
      action={
        hasChanged ? (
          <Link
            to="/settings"
            search={{ ...toForm, version: current.version }}
            className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}
          >
            See what differs
          </Link>
        ) : (
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
              Save draft as version {version + 1}
            </Button>
            <Link
              to="/settings"
              search={{ ...toForm, draft: id }}
              className={buttonClass({ size: 'sm', variant: 'ghost', className: 'max-md:h-10' })}
            >
              Back to the form
            </Link>
          </>
        )
      }
    >
      {hasChanged
        ? `This draft was made to version ${version}. It is not saved over what came since.`
        : 'Not saved yet. Tools are not called in a comparison; the assistant’s files are searched.'}
    </Notice>
  );
}
