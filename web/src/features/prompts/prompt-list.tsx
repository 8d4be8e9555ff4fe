import type { PromptListItem } from '@roster/contracts/prompts/prompts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { NotebookPen, Plus, SearchX, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { promptsQuery } from '#web/api/prompts.ts';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Button } from '#web/ui/button.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { DeletePromptDialog } from './delete-prompt-dialog.tsx';

type PromptListProps = { onCreate: () => void; onImport: () => void; onEdit: (id: number) => void };

export function PromptList({ onCreate, onImport, onEdit }: PromptListProps) {
  const [search, setSearch] = useState('');
  const [deleting, setDeleting] = useState<PromptListItem | null>(null);
  const query = useInfiniteQuery(promptsQuery(search));
  const items = query.data ? allItems(query.data) : [];
  if (query.isError && items.length === 0)
    return (
      <ErrorState
        title="Failed to load prompts"
        message={errorText(query.error, 'An error occurred while loading your prompts.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  const isEmpty = query.isSuccess && !query.isPlaceholderData && items.length === 0;
  if (isEmpty && search === '') return <NoPrompts onCreate={onCreate} onImport={onImport} />;
  return (
    <section aria-label="Prompts">
      <SearchField
        text={search}
        onSearch={setSearch}
        label="Search prompts"
        placeholder="Search names and titles…"
        maxLength={200}
        className="mb-4 max-w-sm"
      />
      {query.isPending && <LoadingRows label="Loading prompts" />}
      {isEmpty && (
        <EmptyState
          icon={SearchX}
          text={`No name or title contains “${search}”.`}
          action={<Button onClick={() => setSearch('')}>Show All Prompts</Button>}
        />
      )}
      {items.length > 0 && (
        <PromptRows items={items} isStale={query.isPlaceholderData} onEdit={onEdit} onDelete={setDeleting} />
      )}
      <LoadMore query={query} what="prompts" />
      {deleting && <DeletePromptDialog prompt={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}

function NoPrompts({ onCreate, onImport }: Pick<PromptListProps, 'onCreate' | 'onImport'>) {
  return (
    <EmptyState
      icon={NotebookPen}
      title="No prompts yet"
      text="Save a text once, such as a review checklist or a weekly report, and insert it into any message."
      action={
        <>
          <Button icon={Plus} onClick={onCreate}>
            New Prompt
          </Button>
          <Button icon={Upload} onClick={onImport}>
            Import
          </Button>
        </>
      }
    />
  );
}

type PromptRowsProps = {
  items: readonly PromptListItem[];
  isStale: boolean;
  onEdit: (id: number) => void;
  onDelete: (prompt: PromptListItem) => void;
};

const PromptRows = ({ items, isStale, onEdit, onDelete }: PromptRowsProps) => (
  <ul
    aria-label="Prompts"
    aria-busy={isStale}
    className="divide-y divide-border rounded-lg border border-border bg-card"
  >
    {items.map((prompt) => (
      <PromptRow key={prompt.id} prompt={prompt} onEdit={() => onEdit(prompt.id)} onDelete={() => onDelete(prompt)} />
    ))}
  </ul>
);

type PromptRowProps = { prompt: PromptListItem; onEdit: () => void; onDelete: () => void };

function PromptRow({ prompt, onEdit, onDelete }: PromptRowProps) {
  const { name, title, preview, usedAt } = prompt;
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 first:rounded-t-lg last:rounded-b-lg hover:bg-hover md:px-5">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          {/* The whole row opens the prompt; the button for deleting is above it. */}
          <button
            type="button"
            onClick={onEdit}
            className="wrap-anywhere text-start font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-ring focus-visible:after:-outline-offset-2"
          >
            <span className="sr-only">Edit </span>
            <bdi>{title}</bdi>
          </button>
          <bdi className="wrap-anywhere font-mono text-muted-foreground text-xs">/{name}</bdi>
        </div>
        <p dir="auto" className="mt-1 truncate text-muted-foreground text-sm">
          {preview}
        </p>
      </div>
      <span className="mt-0.5 shrink-0 text-muted-foreground text-sm max-sm:hidden">
        {usedAt ? (
          <>
            Used <RelativeTime date={usedAt} />
          </>
        ) : (
          'Not used yet'
        )}
      </span>
      <IconButton
        label={`Delete ${title}`}
        tooltip="Delete"
        icon={Trash2}
        size="sm"
        onClick={onDelete}
        className="relative -my-0.5 max-md:-my-1 max-md:size-10"
      />
    </li>
  );
}
