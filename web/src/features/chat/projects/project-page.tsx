import type { Project } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, ArchiveRestore, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { isActive, projectQuery, useUpdateProject } from '#web/api/projects.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { ProjectDetails } from './project-details.tsx';
import { ProjectIcon } from './project-icon.tsx';
import { ProjectThreads } from './project-threads.tsx';

const EditProjectDialog = lazyPart(async () => (await import('./project-form.tsx')).EditProjectDialog);
const DeleteProjectDialog = lazyPart(async () => (await import('./delete-project-dialog.tsx')).DeleteProjectDialog);

type ProjectPageProps = { projectId: number; onDeleted: () => void };

/** A project with its conversations, instructions and cost. */
export function ProjectPage({ projectId, onDeleted }: ProjectPageProps) {
  const { data: project, error, isFetching, refetch } = useQuery(projectQuery(projectId));
  if (project) return <Loaded project={project} onDeleted={onDeleted} />;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page title="Project">
      {error ? (
        <ErrorState
          title={isGone ? 'Project not found' : 'Failed to load the project'}
          message={isGone ? 'It may have been deleted.' : errorText(error)}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <div aria-busy="true" className="grid gap-6 lg:grid-cols-[1fr_20rem]">
          <Skeleton className="h-96 w-full rounded-lg" />
          <Skeleton className="h-72 w-full rounded-lg" />
        </div>
      )}
    </Page>
  );
}

type Asking = 'edit' | 'delete' | null;

function Loaded({ project, onDeleted }: { project: Project; onDeleted: () => void }) {
  const [asking, setAsking] = useState<Asking>(null);
  const close = () => setAsking(null);
  return (
    <Page
      title={project.name}
      lead={<Lead project={project} />}
      action={
        <>
          <ProjectMenu project={project} onAsk={setAsking} />
          <Link to="/chat" search={{ new: true, project: project.id }} className={buttonClass({ variant: 'primary' })}>
            <Plus aria-hidden className="size-4" />
            New Chat
          </Link>
        </>
      }
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <ProjectThreads project={project} />
        <ProjectDetails project={project} onEdit={() => setAsking('edit')} />
      </div>
      {asking === 'edit' && <EditProjectDialog project={project} onClose={close} />}
      {asking === 'delete' && <DeleteProjectDialog project={project} onClose={close} onDeleted={onDeleted} />}
    </Page>
  );
}

const Lead = ({ project }: { project: Project }) => (
  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
    <ProjectIcon {...project} />
    <bdi>{formatCount(project.conversations, 'conversation')}</bdi>
    <span aria-hidden>·</span>
    <Link
      to="/projects"
      className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
    >
      All projects
    </Link>
    {!isActive(project) && <Badge>Archived</Badge>}
  </span>
);

function ProjectMenu({ project, onAsk }: { project: Project; onAsk: (asking: Asking) => void }) {
  const update = useUpdateProject(project.id);
  const archived = !isActive(project);
  const archive = () =>
    update.mutate(
      { archived: !archived },
      {
        onSuccess: () =>
          toast({ title: archived ? 'Project unarchived' : 'Project archived', description: project.name }),
        onError: showFailure('Failed to update the project'),
      },
    );
  return (
    <>
      <Menu trigger={<IconButton label="Project actions" icon={Ellipsis} variant="secondary" />}>
        <MenuItem icon={archived ? ArchiveRestore : Archive} onSelect={archive}>
          {archived ? 'Unarchive' : 'Archive'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={Trash2} destructive onSelect={() => onAsk('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <Button icon={Pencil} onClick={() => onAsk('edit')}>
        Edit
      </Button>
    </>
  );
}
