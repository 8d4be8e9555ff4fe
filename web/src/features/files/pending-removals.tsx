import { useQuery } from '@tanstack/react-query';
import { pendingRemovalsQuery } from '#web/api/files.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Notice } from '#web/ui/states/notice.tsx';

const maxShown = 5;

/** Names deleted files whose provider copy still exists. */
export function PendingRemovals() {
  const { data = [] } = useQuery(pendingRemovalsQuery);
  const name = useProviderName();
  if (data.length === 0) return null;
  const more = data.length - maxShown;
  return (
    <Notice
      tone="warning"
      live
      title={`${formatCount(data.length, 'deleted file is', 'deleted files are')} still being removed at ${name}`}
      className="mt-4"
    >
      <p>They are gone from Roster, which keeps trying until {name} has removed its copies too.</p>
      <ul className="mt-1 grid gap-0.5">
        {data.slice(0, maxShown).map(({ id, filename, error }) => (
          <li key={id} className="wrap-anywhere">
            <span className="font-medium text-foreground">{filename}</span>
            {`: ${error ?? 'being removed'}`}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="mt-0.5">{`and ${formatNumber(more)} more`}</p>}
    </Notice>
  );
}
