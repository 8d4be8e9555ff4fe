import type { Project } from '@roster/contracts/projects/projects';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronDown, Plus } from 'lucide-react';
import { type DragEvent, useEffect, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { isActive, projectsQuery } from '#web/api/projects.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { readStored, writeStored } from '#web/lib/storage/storage.ts';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { moveThreads } from './move-threads.ts';
import { ProjectIcon } from './project-icon.tsx';
import { droppedThreads, isThreadDrag } from './thread-drag.ts';

const CreateProjectDialog = lazyPart(async () => (await import('./project-form.tsx')).CreateProjectDialog);

/** More than fit, so that the last one is cut and shows that the list scrolls. */
const mostRows = 6;
const rowsClass = 'max-h-44 overflow-y-auto px-2 max-md:max-h-50';

/**
 * Number of rows shown, stored for this user in this browser: it reserves their height while they load, so that the
 * conversations below do not jump. null: collapsed.
 */
function useRows(): [rows: number | null, setRows: (rows: number | null) => void] {
  const key = `chat-projects:${useUser().id}`;
  const [rows, setRows] = useState(() => {
    const stored = readStored(key);
    return stored === 'folded' ? null : Math.min(Number(stored ?? 0) || 0, mostRows);
  });
  const change = (next: number | null) => {
    setRows(next);
    writeStored(key, next === null ? 'folded' : String(next));
  };
  return [rows, change];
}

/** The projects above the conversations, which can be dropped onto them. */
export function ProjectSection() {
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const [rows, setRows] = useRows();
  const { data } = useQuery(projectsQuery);
  const active = data?.filter(isActive);
  const count = active?.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another number of projects is known.
  useEffect(() => {
    if (rows !== null && count !== undefined) setRows(Math.min(count, mostRows));
  }, [count]);
  const isFolded = rows === null;
  return (
    <section aria-label="Projects" className="mb-1 shrink-0">
      <div className="flex items-center gap-0.5 pe-3 ps-2">
        <h2 className="min-w-0 flex-1 font-medium text-muted-foreground text-sm">
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={() => setRows(isFolded ? Math.min(count ?? 0, mostRows) : null)}
            className="flex min-h-8 w-full items-center gap-1 rounded-md px-2 text-start transition-colors duration-120 hover:bg-hover hover:text-foreground max-md:min-h-10"
          >
            <ChevronDown
              aria-hidden
              className={classNames(
                'size-3.5 transition-transform duration-120',
                isFolded && '-rotate-90 rtl:rotate-90',
              )}
            />
            Projects
          </button>
        </h2>
        <Link
          to="/projects"
          className="rounded-md px-2 py-1 text-muted-foreground text-xs hover:bg-hover hover:text-foreground max-md:py-2.5"
        >
          Show all<span className="sr-only"> projects</span>
        </Link>
        <IconButton
          label="New project"
          icon={Plus}
          size="sm"
          onClick={() => setCreating(true)}
          className="max-md:size-10"
        />
      </div>
      {!isFolded && <Rows projects={active} reserved={rows} />}
      {isCreating && (
        <CreateProjectDialog
          onClose={() => setCreating(false)}
          onCreated={({ id }) => void navigate({ to: '/projects/$id', params: { id } })}
        />
      )}
    </section>
  );
}

function Rows({ projects, reserved }: { projects: readonly Project[] | undefined; reserved: number }) {
  if (!projects)
    return (
      <div aria-busy={reserved > 0} className={rowsClass}>
        {[0, 1, 2, 3, 4, 5].slice(0, reserved).map((row) => (
          <div key={row} className="flex h-8 items-center px-2 max-md:h-11">
            <Skeleton className="h-4 w-3/5" />
          </div>
        ))}
      </div>
    );
  return (
    <ul aria-label="Your projects" className={rowsClass}>
      {projects.map((project) => (
        <ProjectRow key={project.id} project={project} />
      ))}
    </ul>
  );
}

function ProjectRow({ project }: { project: Project }) {
  const client = useQueryClient();
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!isThreadDrag(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    if (!isThreadDrag(event)) return;
    event.preventDefault();
    setOver(false);
    void moveThreads(client, droppedThreads(), project);
  };
  return (
    <li>
      <Link
        to="/projects/$id"
        params={{ id: project.id }}
        title={project.name}
        onDragEnter={over}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        draggable={false}
        className={classNames(
          'flex h-8 items-center gap-2.5 rounded-md px-2 transition-colors duration-120 hover:bg-hover max-md:h-11',
          isOver && 'bg-active outline-2 outline-ring -outline-offset-2',
        )}
      >
        <ProjectIcon {...project} />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {project.name}
        </span>
        {project.conversations > 0 && (
          <span className="text-faint-foreground text-xs tabular-nums">
            {project.conversations}
            <span className="sr-only"> conversations</span>
          </span>
        )}
      </Link>
    </li>
  );
}
