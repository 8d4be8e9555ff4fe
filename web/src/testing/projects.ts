import { type Project, type ProjectThread, projects } from '@roster/contracts/projects/projects';
import { usage } from '@roster/contracts/usage/usage';
import { answer, refusal } from './answers.ts';
import { fixtureDate } from './new-account.ts';

export const project = (id: number, more: Partial<Project> = {}): Project => ({
  id,
  name: `Project ${id}`,
  icon: 'folder',
  color: 'blue',
  instructions: '',
  assistantId: null,
  model: null,
  conversations: 0,
  files: 0,
  archivedAt: null,
  createdAt: fixtureDate,
  updatedAt: fixtureDate,
  ...more,
});

export const projectThread = (id: number, more: Partial<ProjectThread> = {}): ProjectThread => ({
  id,
  title: `Conversation ${id}`,
  archived: false,
  updatedAt: fixtureDate,
  ...more,
});

/** Answers the calls of projects; all have the same conversations, on one page. */
export function serveProjects(given: Project[], threads: ProjectThread[] = []): void {
  let kept = given;
  const found = (id: number) => kept.find((one) => one.id === id) ?? refusal('not_found', 'Project not found.');
  answer(projects.list, () => ({ items: kept }));
  answer(projects.get, ({ params }) => found(params.id));
  answer(projects.files, []);
  answer(projects.threads, { items: threads, nextCursor: null });
  answer(projects.create, ({ body }) => {
    const made = project(kept.length + 1, body);
    kept = [...kept, made];
    return made;
  });
  answer(projects.update, ({ params, body: { archived, ...changes } }) => {
    const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    kept = kept.map((one) => {
      if (one.id !== params.id) return one;
      return { ...one, ...fields, archivedAt: archived === undefined ? one.archivedAt : archived ? fixtureDate : null };
    });
    return found(params.id);
  });
  answer(projects.remove, ({ params }) => {
    kept = kept.filter(({ id }) => id !== params.id);
  });
  answer(projects.move, ({ body }) => ({ changed: body.ids, missing: [] }));
  answer(usage.byProject, { items: [] });
}
