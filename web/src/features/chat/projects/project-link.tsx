import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '#web/api/projects.ts';
import { ProjectIcon } from './project-icon.tsx';

/** The project of a conversation; nothing until its name is known. */
export function ProjectLink({ projectId }: { projectId: number }) {
  const project = useQuery(projectsQuery).data?.find(({ id }) => id === projectId);
  if (!project) return null;
  return (
    <Link
      to="/projects/$id"
      params={{ id: project.id }}
      title={`Project: ${project.name}`}
      className="flex h-7 min-w-0 max-w-40 shrink-0 items-center gap-1.5 rounded-md px-2 text-muted-foreground text-sm hover:bg-hover hover:text-foreground max-md:h-10 max-md:max-w-24"
    >
      <ProjectIcon {...project} />
      <span className="sr-only">Project </span>
      <bdi className="truncate">{project.name}</bdi>
    </Link>
  );
}
