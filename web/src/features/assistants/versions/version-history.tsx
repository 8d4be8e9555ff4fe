import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { useNarrow } from '#web/ui/use-narrow.ts';
import { versionsQuery } from './queries.ts';
import { type Comparison, ShownVersion } from './shown-version.tsx';
import { VersionList } from './version-list.tsx';

export type VersionHistoryProps = {
  assistant: Assistant;
  /** Version shown first, next to the current one; undefined for the newest. */
  number: number | undefined;
  /** Reason why restoring is not possible. */
  blocked: string | undefined;
  onRestored: (assistant: Assistant) => void;
};

/** Versions of an assistant. On phones the list and a version alternate. */
export function VersionHistory({ assistant, number, blocked, onRestored }: VersionHistoryProps) {
  const [chosen, setChosen] = useState(number);
  const [comparison, setComparison] = useState<Comparison>(number === undefined ? 'before' : 'now');
  const isNarrow = useNarrow();
  const query = useInfiniteQuery(versionsQuery(assistant.id));
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = chosen ?? (isNarrow ? undefined : assistant.version);
  const place = versions.findIndex((version) => version.number === shown);
  const isOnlyOne = isNarrow && shown !== undefined;
  return (
    <div className="grid gap-6 md:grid-cols-[16rem_minmax(0,1fr)]">
      {!isOnlyOne && (
        <div className="min-w-0">
          {query.isPending && <SpinnerPanel label="Loading versions" className="min-h-40" />}
          {query.isError && (
            <RetryNotice tone="destructive" live query={query}>
              {errorText(query.error, 'Failed to load the versions.')}
            </RetryNotice>
          )}
          <VersionList versions={versions} current={assistant.version} shown={shown} onShow={setChosen} />
          <LoadMore query={query} what="versions" />
        </div>
      )}
      {shown !== undefined && (
        <section aria-labelledby="shown-version" className="min-w-0">
          {isNarrow && (
            <Button size="sm" variant="ghost" icon={ChevronLeft} data-autofocus onClick={() => setChosen(undefined)}>
              All versions
            </Button>
          )}
          <h3 id="shown-version" className="mb-3 font-semibold max-md:mt-3">{`Version ${shown}`}</h3>
          <ShownVersion
            key={shown}
            assistant={assistant}
            number={shown}
            previous={place < 0 ? undefined : versions[place + 1]?.number}
            comparison={comparison}
            onCompare={setComparison}
            blocked={blocked}
            onRestored={onRestored}
          />
        </section>
      )}
    </div>
  );
}
