import type { Project } from '@roster/contracts/projects/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Folder, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isActive, projectsQuery } from '#web/api/projects.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Page } from '#web/ui/page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { ProjectTile } from './project-icon.tsx';

const CreateProjectDialog = lazyPart(async () => (await import('./project-form.tsx')).CreateProjectDialog);

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Opens the dialog for a new project. */
    isCreatingProject?: boolean;
  }
}

/** All projects of the user. */
export function ProjectsPage() {
  const navigate = useNavigate();
  // In the history entry, not in the address: a link that others follow should not open a dialog.
  const isAsked = useRouterState({ select: ({ location }) => location.state.isCreatingProject ?? false });
  const [isOpen, setOpen] = useState(false);
  // Taken out of the entry at once, so that Back and a reload do not open it again.
  useEffect(() => {
    if (!isAsked) return;
    setOpen(true);
    void navigate({ to: '/projects', replace: true });
  }, [isAsked, navigate]);
  return (
    <Page
      title="Projects"
      lead="Conversations that belong together, with instructions for all of them."
      width="settings"
      action={
        <Button variant="primary" icon={Plus} onClick={() => setOpen(true)}>
          New Project
        </Button>
      }
    >
      <Projects onCreate={() => setOpen(true)} />
      {isOpen && (
        <CreateProjectDialog
          onClose={() => setOpen(false)}
          onCreated={({ id }) => void navigate({ to: '/projects/$id', params: { id } })}
        />
      )}
    </Page>
  );
}

function Projects({ onCreate }: { onCreate: () => void }) {
  const { data, error, isFetching, refetch } = useQuery(projectsQuery);
  if (!data)
    return error && !isFetching ? (
      <ErrorState title="Failed to load projects" message={errorText(error)} onRetry={() => void refetch()} />
    ) : (
      <Card className="px-4">
        <LoadingRows label="Loading projects" />
      </Card>
    );
  const active = data.filter(isActive);
  const archived = data.filter((project) => !isActive(project));
  return (
    <div className="space-y-8">
      {active.length > 0 ? (
        <ProjectRows label="Projects" projects={active} />
      ) : (
        <EmptyState
          icon={Folder}
          title={archived.length > 0 ? 'No active projects' : 'No projects yet'}
          text="A project keeps the conversations about one thing together, and gives each answer the same instructions."
          action={
            <Button icon={Plus} onClick={onCreate}>
              New Project
            </Button>
          }
        />
      )}
      {archived.length > 0 && (
        <section aria-labelledby="archived-projects">
          <h2 id="archived-projects" className="mb-3 font-semibold text-base">
            Archived
          </h2>
          <ProjectRows label="Archived projects" projects={archived} />
        </section>
      )}
    </div>
  );
}

const ProjectRows = ({ label, projects }: { label: string; projects: readonly Project[] }) => (
  <ul aria-label={label} className="divide-y divide-border rounded-lg border border-border bg-card">
    {projects.map((project) => (
      <li
        key={project.id}
        className="relative flex items-center gap-3 px-4 py-3 first:rounded-t-lg last:rounded-b-lg hover:bg-hover"
      >
        <ProjectTile {...project} />
        <div className="min-w-0 flex-1">
          {/* The whole row is the link. */}
          <Link
            to="/projects/$id"
            params={{ id: project.id }}
            dir="auto"
            className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-ring focus-visible:after:-outline-offset-2"
          >
            {project.name}
          </Link>
          <p className="truncate text-muted-foreground text-sm">{formatCount(project.conversations, 'conversation')}</p>
        </div>
        <span className="shrink-0 text-muted-foreground text-sm max-sm:hidden">
          Changed <RelativeTime date={project.updatedAt} />
        </span>
      </li>
    ))}
  </ul>
);
