import type { ConnectionRefusal } from '@roster/contracts/connections/connections';
import { useQuery } from '@tanstack/react-query';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { refusalsQuery, useAskAgain } from './queries.ts';

type RefusalListProps = {
  refusals: readonly ConnectionRefusal[] | undefined;
  askAgain: { isPending: boolean; mutate: ReturnType<typeof useAskAgain>['mutate'] };
};

/** Refusals of the provider of one's own connection. */
export function Refusals({ connectionId }: { connectionId: number }) {
  const { data } = useQuery(refusalsQuery(connectionId));
  return <RefusalList refusals={data?.refusals} askAgain={useAskAgain(connectionId)} />;
}

/** Fields and calls that the provider has refused, and that are therefore left out for a while. */
export function RefusalList({ refusals = [], askAgain }: RefusalListProps) {
  if (refusals.length === 0) return null;
  return (
    <section aria-labelledby="refusals" className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="refusals" className="font-medium">
          Recently refused
        </h3>
        <Button
          size="sm"
          busy={askAgain.isPending}
          onClick={() => askAgain.mutate(undefined, { onError: showFailure('Failed to ask again') })}
        >
          Ask Again
        </Button>
      </div>
      <p className="text-muted-foreground text-sm">
        The provider refused this, so Roster leaves it out and retries automatically. If the provider has changed, ask
        again now.
      </p>
      <ul className="divide-y divide-border text-sm">
        {refusals.map((refusal) => (
          <Refusal key={`${refusal.model}|${refusal.what}`} refusal={refusal} />
        ))}
      </ul>
    </section>
  );
}

function Refusal({ refusal: { what, model, askAt } }: { refusal: ConnectionRefusal }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 py-2">
      <span className="wrap-anywhere">
        <bdi className="font-mono">{what}</bdi>
        {model !== null && (
          <>
            {' for '}
            <bdi>{model}</bdi>
          </>
        )}
      </span>
      <span className="text-muted-foreground">
        Next retry <RelativeTime date={askAt} />
      </span>
    </li>
  );
}
