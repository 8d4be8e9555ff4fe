import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { Bot, Download, Import, Plus } from 'lucide-react';
import { useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { AssistantCard } from './cards/assistant-card.tsx';
import { DeleteAssistantDialog } from './cards/delete-assistant-dialog.tsx';
import { useExport } from './cards/export.ts';
import { MigrationList } from './model-migrations/migration-list.tsx';
import { ReplayList } from './model-migrations/replay-list.tsx';

type AssistantListProps = { onCreate: () => void; onImport: () => void; onEdit: (id: number) => void };

export function AssistantList({ onCreate, onImport, onEdit }: AssistantListProps) {
  const query = useQuery(assistantsQuery);
  const provider = useProviderName();
  const { reason } = useEditAccess();

  if (query.isPending) return <SpinnerPanel label="Loading assistants" className="min-h-64" />;
  if (query.isError) {
    return (
      <ErrorState
        title="Failed to load assistants"
        message={errorText(query.error, 'An error occurred while loading your assistants.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (query.data.length === 0) {
    return (
      <EmptyState
        icon={Bot}
        title="No assistants found"
        text={`You have not created any assistants yet. Create one, or import existing ones from ${provider}.`}
        action={
          <>
            <Button variant="primary" icon={Plus} disabledReason={reason} onClick={onCreate}>
              Create Assistant
            </Button>
            <Button icon={Import} disabledReason={reason} onClick={onImport}>
              Import from {provider}
            </Button>
          </>
        }
      />
    );
  }
  return <FilledList assistants={query.data} onCreate={onCreate} onImport={onImport} onEdit={onEdit} />;
}

function FilledList({ assistants, onCreate, onImport, onEdit }: AssistantListProps & { assistants: Assistant[] }) {
  const { data: models } = useQuery(modelsQuery);
  const { reason } = useEditAccess();
  const [deleting, setDeleting] = useState<Assistant | null>(null);
  const exporting = useExport();
  return (
    <section aria-labelledby="your-assistants">
      <header className="mb-4 flex flex-wrap items-center gap-2 max-sm:gap-1.5">
        <h2 id="your-assistants" className="me-auto font-semibold text-lg max-sm:w-full">
          Your Assistants
        </h2>
        <Button variant="ghost" icon={Download} busy={exporting.isPending} onClick={() => exporting.mutate(undefined)}>
          Export all
        </Button>
        <Button icon={Import} disabledReason={reason} onClick={onImport}>
          Import
        </Button>
        <Button variant="primary" icon={Plus} disabledReason={reason} onClick={onCreate}>
          Create New
        </Button>
      </header>
      <div className="@container">
        <ul className="grid gap-4 @min-[30rem]:grid-cols-2 @min-[58rem]:grid-cols-3">
          {assistants.map((assistant) => (
            <AssistantCard
              key={assistant.id}
              assistant={assistant}
              models={models}
              onEdit={() => onEdit(assistant.id)}
              onDelete={() => setDeleting(assistant)}
            />
          ))}
        </ul>
      </div>
      <ReplayList />
      <MigrationList />
      <DeleteAssistantDialog assistant={deleting} onClose={() => setDeleting(null)} />
    </section>
  );
}
