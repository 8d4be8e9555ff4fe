import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Card, CardBody, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { ChooseExport } from './choose-export.tsx';
import { ImportRow } from './import-row.tsx';
import { ImportStep } from './import-step.tsx';
import { importsQuery, isInProgress, useFreshThreads } from './queries.ts';

/** Imports conversations from other products: choose a file, look at what it contains, import, undo. */
export function ImportTab() {
  const query = useInfiniteQuery(importsQuery);
  /** Imports of this visit stay above the list when they have ended. */
  const [uploaded, setUploaded] = useState<readonly number[]>([]);
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  useFreshThreads(all);
  const isCurrent = (one: (typeof all)[number]) =>
    isInProgress(one) || one.state === 'ready' || uploaded.includes(one.id);
  const [current, earlier] = [all.filter(isCurrent), all.filter((one) => !isCurrent(one))];
  return (
    <div className="grid grid-cols-1 gap-6">
      <Card>
        <CardHeader
          title="Import conversations"
          description="Bring your conversations from ChatGPT, Claude, Gemini, LibreChat, Open WebUI or another Roster. You will see what the file contains before anything is imported."
        />
        <CardBody className="grid gap-4">
          <ChooseExport onUploaded={(id) => setUploaded((before) => [...before, id])} />
          {current.map((one) => (
            <ImportStep key={one.id} item={one} />
          ))}
        </CardBody>
        <CardFooter>
          Request an export in the settings of the other product, and choose the file as it was downloaded. Importing
          costs nothing, and the uploaded file is deleted afterwards.
        </CardFooter>
      </Card>
      <Card>
        <CardHeader title="Earlier imports" description="An import can be undone as a whole for 30 days." />
        <div className="px-5 py-2">
          {query.isPending && <LoadingRows label="Loading imports" />}
          {query.isError && (
            <RetryNotice tone="destructive" live className="my-3" query={query}>
              Failed to load the imports: {errorText(query.error)}
            </RetryNotice>
          )}
          {query.isSuccess && earlier.length === 0 && (
            <EmptyState bare icon={History} text="No earlier imports." className="py-8" />
          )}
          {earlier.length > 0 && (
            <ul aria-label="Earlier imports" className="divide-y divide-border">
              {earlier.map((one) => (
                <ImportRow key={one.id} item={one} />
              ))}
            </ul>
          )}
          <LoadMore query={query} what="imports" />
        </div>
      </Card>
    </div>
  );
}
