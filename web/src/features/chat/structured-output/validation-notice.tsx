import { chat } from '@roster/contracts/chat';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import type { ValidationResult } from './validate-answer.ts';
import { validateInWorker } from './validate-in-worker.ts';
import type { ValidationError } from './validation-errors.ts';

type Checked = { text: string; threadId: number; runId: number | null };

/** Result of validating an answer against the schema its run was started with. */
export const useValidation = ({ text, threadId, runId }: Checked) =>
  useQuery({
    // Nested under the thread's key, so that it is removed with it.
    queryKey: ['threads', threadId, 'form-check', runId],
    queryFn: async ({ signal }): Promise<ValidationResult> => {
      const { schema } = await call(chat.responseSchema, { params: { id: runId ?? 0 } }, signal);
      if (schema === null) return { state: 'checked', problems: [], count: 0 };
      return validateInWorker({ text, schema }, signal);
    },
    enabled: runId !== null,
    // Both are final.
    staleTime: Number.POSITIVE_INFINITY,
  });

const shownProblems = 5;

/** Says that an answer does not match its schema or could not be checked; nothing if it matches. */
export function ValidationNotice({ check }: { check: UseQueryResult<ValidationResult> }) {
  const { data, isError, isFetching, refetch } = check;
  if (data?.state === 'checked') return data.count > 0 && <Problems {...data} />;
  if (!data && !isError) return null;
  const again = (
    <Button size="sm" busy={isFetching} pendingLabel="Checking..." onClick={() => void refetch()}>
      Check again
    </Button>
  );
  return (
    <Notice className="mb-3" action={again}>
      {data?.state === 'late'
        ? 'Checking the answer against its schema took too long.'
        : 'The answer could not be checked against its schema.'}
    </Notice>
  );
}

type ProblemsProps = { problems: readonly ValidationError[]; count: number };

function Problems({ problems, count }: ProblemsProps) {
  const shown = count > shownProblems ? problems.slice(0, shownProblems - 1) : problems;
  return (
    <Notice tone="warning" title="The answer does not match its schema:" className="mb-3">
      <ul className="text-sm">
        {shown.map(({ at, message }) => (
          <li key={`${at} ${message}`} className="wrap-anywhere line-clamp-3">
            {at === '' ? 'the answer' : <bdi className="font-mono">{at}</bdi>} {message}
          </li>
        ))}
        {count > shown.length && <li>{`and ${formatNumber(count - shown.length)} more`}</li>}
      </ul>
    </Notice>
  );
}
