import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bot, Download, Ellipsis, Import, LayoutGrid, Plus, Rows3 } from 'lucide-react';
import { useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { AssistantCard } from '#web/features/assistants/cards/assistant-card.tsx';
import { assistantUsageQuery } from '#web/features/assistants/cards/assistant-usage.ts';
import { DeleteAssistantDialog } from '#web/features/assistants/cards/delete-assistant-dialog.tsx';
import { useExport } from '#web/features/assistants/cards/export.ts';
import { errorText } from '#web/lib/api-client.ts';
import { readUserValue, writeUserValue } from '#web/lib/storage/user-storage.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { Page } from '#web/ui/page.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { type AssistantSort, arranged, assistantSorts, tagsOf, type UsageById } from './arrange.ts';
import { AssistantTable } from './assistant-table.tsx';

const noUsage: UsageById = new Map();

/** False until the order of the cards is known or has failed: they would move under the pointer. */
const useOrderKnown = (): boolean => !useQuery(assistantUsageQuery).isPending;

/** The user's assistants, with search, tags, use and cost. */
export function AssistantsPage() {
  const query = useQuery(assistantsQuery);
  const isOrderKnown = useOrderKnown();
  return (
    <Page
      title="Assistants"
      lead="A model with instructions, tools and files of its own, for what you do again and again."
      action={
        <>
          <MoreActions />
          <NewButton />
        </>
      }
    >
      {query.isError && query.data === undefined ? (
        <ErrorState
          title="Failed to load assistants"
          message={errorText(query.error, 'An error occurred while loading your assistants.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : query.data === undefined || !isOrderKnown ? (
        <SpinnerPanel label="Loading assistants" className="min-h-64" />
      ) : query.data.length === 0 ? (
        <EmptyState
          icon={Bot}
          title="No assistants yet"
          text="Start from a template, describe what you need in a sentence, or bring yours along."
          action={<NewButton />}
        />
      ) : (
        <Arranged all={query.data} />
      )}
    </Page>
  );
}

function NewButton() {
  const navigate = useNavigate();
  const { reason } = useEditAccess();
  const open = () => void navigate({ to: '/assistants/new' });
  return (
    <Button variant="primary" icon={Plus} disabledReason={reason} onClick={open}>
      New assistant
    </Button>
  );
}

function MoreActions() {
  const navigate = useNavigate();
  const exporting = useExport();
  return (
    <Menu trigger={<IconButton label="Import and export" icon={Ellipsis} variant="secondary" />}>
      <MenuItem
        icon={Import}
        onSelect={() => void navigate({ to: '/settings', search: { tab: 'assistants', view: 'import' } })}
      >
        Import
      </MenuItem>
      <MenuItem icon={Download} onSelect={() => exporting.mutate(undefined)}>
        Export all
      </MenuItem>
    </Menu>
  );
}

const sortNames: Record<AssistantSort, string> = {
  used: 'Last used',
  newest: 'Newest',
  name: 'Name',
  cost: 'Cost this month',
};

const storedSort = () => assistantSorts.find((sort) => sort === readUserValue('assistants-sort')) ?? 'used';

function Arranged({ all }: { all: readonly Assistant[] }) {
  const usage = useQuery(assistantUsageQuery).data ?? noUsage;
  const [text, setText] = useState('');
  const [tag, setTag] = useState<string | null>(null);
  const [sort, setSort] = useState(storedSort);
  const [isTable, setTable] = useState(() => readUserValue('assistants-view') === 'table');
  const tags = tagsOf(all);
  const shownTag = tag !== null && tags.includes(tag) ? tag : null;
  const shown = arranged(all, { text, tag: shownTag, sort }, usage);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <SearchField
          text={text}
          onSearch={setText}
          label="Search assistants"
          placeholder="Search name, description, tags"
          maxLength={200}
          className="min-w-0 flex-1 basis-56"
        />
        <SortChoice
          sort={sort}
          onChoose={(chosen) => {
            setSort(chosen);
            writeUserValue('assistants-sort', chosen);
          }}
        />
        <IconButton
          label={isTable ? 'Show as cards' : 'Show as a table'}
          icon={isTable ? LayoutGrid : Rows3}
          variant="secondary"
          onClick={() => {
            setTable(!isTable);
            writeUserValue('assistants-view', isTable ? null : 'table');
          }}
          className="max-md:size-10"
        />
      </div>
      {tags.length > 0 && <TagFilter tags={tags} chosen={shownTag} onChoose={setTag} />}
      <output className="sr-only">{formatCount(shown.length, 'assistant')}</output>
      {shown.length === 0 ? (
        <p className="py-10 text-center text-muted-foreground">No assistant matches. Try fewer words or another tag.</p>
      ) : isTable ? (
        <AssistantTable assistants={shown} usage={usage} />
      ) : (
        <Cards assistants={shown} usage={usage} />
      )}
    </>
  );
}

function Cards({ assistants, usage }: { assistants: readonly Assistant[]; usage: UsageById }) {
  const navigate = useNavigate();
  const models = useQuery(modelsQuery).data;
  const [deleting, setDeleting] = useState<Assistant | null>(null);
  return (
    <>
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {assistants.map((assistant) => (
          <AssistantCard
            key={assistant.id}
            assistant={assistant}
            models={models}
            usage={usage.get(assistant.id) ?? null}
            onEdit={() => void navigate({ to: '/assistants/$id', params: { id: assistant.id } })}
            onDelete={() => setDeleting(assistant)}
          />
        ))}
      </ul>
      <DeleteAssistantDialog assistant={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

type SortChoiceProps = { sort: AssistantSort; onChoose: (sort: AssistantSort) => void };

function SortChoice({ sort, onChoose }: SortChoiceProps) {
  return (
    <Select
      aria-label="Sort by"
      value={sort}
      onChange={({ currentTarget: { value } }) => onChoose(assistantSorts.find((one) => one === value) ?? 'used')}
      className="w-auto!"
    >
      {assistantSorts.map((one) => (
        <option key={one} value={one}>
          {sortNames[one]}
        </option>
      ))}
    </Select>
  );
}

type TagFilterProps = { tags: readonly string[]; chosen: string | null; onChoose: (tag: string | null) => void };

function TagFilter({ tags, chosen, onChoose }: TagFilterProps) {
  return (
    <fieldset className="mb-4 flex flex-wrap gap-1.5">
      <legend className="sr-only">Tags</legend>
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => onChoose(tag === chosen ? null : tag)}
          className="h-7 max-w-full truncate rounded-full border border-border px-3 text-muted-foreground text-sm transition-colors duration-120 hover:border-border-strong hover:text-foreground aria-pressed:border-primary aria-pressed:bg-primary/14 aria-pressed:text-foreground max-md:h-10"
        >
          <bdi>{tag}</bdi>
        </button>
      ))}
    </fieldset>
  );
}
