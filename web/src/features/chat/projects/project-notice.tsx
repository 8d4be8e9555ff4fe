import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { projectsQuery } from '#web/api/projects.ts';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { ProjectIcon } from './project-icon.tsx';

/** The project that a new conversation starts in. `choice`: what answers by default; null: what usually does. */
export type StartProject = { id: number; choice: Choice | null };

type ProjectNoticeProps = { projectId: number; onKnown: (project: StartProject) => void };

/** Says which project a new conversation starts in, and offers to leave it. */
export function ProjectNotice({ projectId, onKnown }: ProjectNoticeProps) {
  const { data, error } = useQuery(projectsQuery);
  const project = data?.find(({ id }) => id === projectId);
  const isKnown = data !== undefined || error !== null;
  const { assistantId = null, model = null } = project ?? {};
  useEffect(() => {
    if (!isKnown) return;
    const hasDefault = assistantId !== null || model !== null;
    onKnown({ id: projectId, choice: hasDefault ? { assistantId, model } : null });
  }, [isKnown, projectId, assistantId, model, onKnown]);
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-2 border-border border-b px-4 text-muted-foreground text-sm max-md:min-h-11">
      {project ? (
        <>
          <ProjectIcon {...project} />
          <p className="min-w-0 truncate">
            In project{' '}
            <Link
              to="/projects/$id"
              params={{ id: projectId }}
              className="text-foreground underline decoration-border-strong underline-offset-4"
            >
              <bdi>{project.name}</bdi>
            </Link>
          </p>
          <Tooltip content="Start without the project">
            <Link
              to="/chat"
              search={{ new: true }}
              aria-label="Start without the project"
              className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover hover:text-foreground max-md:size-10"
            >
              <X aria-hidden className="size-4" />
            </Link>
          </Tooltip>
        </>
      ) : (
        isKnown && <p>{error ? 'The project could not be loaded.' : 'This project does not exist.'}</p>
      )}
    </div>
  );
}
