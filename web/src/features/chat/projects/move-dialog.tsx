import type { Project } from '@roster/contracts/projects/projects';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, FolderMinus, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { isActive, projectsQuery } from '#web/api/projects.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { type MovedThread, type MoveTarget, moveThreads } from './move-threads.ts';
import { CreateProjectDialog } from './project-form.tsx';
import { ProjectIcon } from './project-icon.tsx';

const searchedFrom = 9;

type MoveDialogProps = { threads: readonly MovedThread[]; onClose: () => void; onMoved?: () => void };

/** Moves conversations to a project, a new one, or out of theirs. */
export function MoveDialog({ threads, onClose, onMoved }: MoveDialogProps) {
  const client = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const { data, error, isFetching, refetch } = useQuery(projectsQuery);
  const choose = (target: MoveTarget) => {
    onClose();
    onMoved?.();
    void moveThreads(client, threads, target);
  };
  if (isCreating) return <CreateProjectDialog onClose={onClose} onCreated={choose} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Move to Project"
      description={`${formatCount(threads.length, 'conversation')}. The project’s instructions apply from the next message on.`}
    >
      {data ? (
        <Targets threads={threads} projects={data} onChoose={choose} onCreate={() => setCreating(true)} />
      ) : error ? (
        <ErrorState
          title="Failed to load projects"
          message={errorText(error)}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SpinnerPanel label="Loading projects" className="min-h-32" />
      )}
    </Dialog>
  );
}

type TargetsProps = {
  threads: readonly MovedThread[];
  projects: readonly Project[];
  onChoose: (target: MoveTarget) => void;
  onCreate: () => void;
};

function Targets({ threads, projects, onChoose, onCreate }: TargetsProps) {
  const [search, setSearch] = useState('');
  const active = projects.filter(isActive);
  const shown = active.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const areAllIn = (id: number | null) => threads.every(({ projectId }) => projectId === id);
  return (
    <div className="-mx-2">
      {active.length >= searchedFrom && (
        <SearchField
          text={search}
          onSearch={setSearch}
          label="Search projects"
          placeholder="Search projects"
          maxLength={80}
          className="mx-2 mb-2"
        />
      )}
      <ul aria-label="Projects" className="max-h-[45dvh] overflow-y-auto">
        {!areAllIn(null) && (
          <Target icon={<FolderMinus aria-hidden className="size-4" />} onSelect={() => onChoose(null)}>
            No project
          </Target>
        )}
        {shown.map((project) => (
          <Target
            key={project.id}
            icon={<ProjectIcon {...project} />}
            isCurrent={areAllIn(project.id)}
            onSelect={() => onChoose(project)}
          >
            {project.name}
          </Target>
        ))}
        <Target icon={<Plus aria-hidden className="size-4" />} onSelect={onCreate}>
          New project…
        </Target>
      </ul>
    </div>
  );
}

type TargetProps = { icon: ReactNode; isCurrent?: boolean; onSelect: () => void; children: string };

const Target = ({ icon, isCurrent = false, onSelect, children }: TargetProps) => (
  <li>
    <button
      type="button"
      aria-current={isCurrent || undefined}
      onClick={onSelect}
      className="flex min-h-10 w-full items-center gap-3 rounded-md px-2 text-start outline-none hover:bg-hover focus-visible:bg-hover focus-visible:outline-2 focus-visible:outline-ring focus-visible:-outline-offset-2 max-md:min-h-11"
    >
      {icon}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {children}
      </span>
      {isCurrent && <Check aria-hidden className="size-4 text-muted-foreground" />}
    </button>
  </li>
);
