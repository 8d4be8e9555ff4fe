import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { replaysQuery } from './replay-queries.ts';

/** Links to recent replays; nothing if there are none. */
export function ReplayList() {
  const titleId = useId();
  const { data } = useQuery(replaysQuery);
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-labelledby={titleId} className="mt-8">
      <h2 id={titleId} className="font-semibold text-lg">
        Tested on real questions
      </h2>
      <ul className="mt-3 divide-y divide-border rounded-lg border border-border bg-card">
        {data.items.map(({ id, title, prompts, answered, createdAt }) => (
          <li key={id} className="px-5 py-3.5">
            <Link
              to="/fine-tuning/comparisons/$id"
              params={{ id }}
              className="wrap-anywhere inline-block rounded-xs font-medium underline-offset-4 hover:underline max-md:py-1.5"
            >
              {title}
            </Link>
            <p className="text-muted-foreground text-sm">
              {`${formatNumber(answered)} of ${formatCount(prompts, 'question')} answered, `}
              <RelativeTime date={createdAt} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
