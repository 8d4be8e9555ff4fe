import { useNavigate, useParams } from '@tanstack/react-router';
import { ProjectPage } from '#web/features/chat/projects/project-page.tsx';

export { ProjectsPage as ProjectsRoute } from '#web/features/chat/projects/projects-page.tsx';

export function ProjectRoute() {
  const { id } = useParams({ from: '/signed-in/projects/$id' });
  const navigate = useNavigate();
  return <ProjectPage key={id} projectId={id} onDeleted={() => void navigate({ to: '/projects' })} />;
}
