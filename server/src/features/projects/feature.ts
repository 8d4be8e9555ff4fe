import { projects as api } from '@roster/contracts/projects/projects';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { projectFileRepository } from './files/repository.ts';
import type { ProjectFileService } from './files/service.ts';
import { type ProjectDependencies, projectService } from './service.ts';
import { projectRepository } from './shared/repository.ts';

type Dependencies = Omit<ProjectDependencies, 'db' | 'files'> & { database: OpenDatabase; files: ProjectFileService };

export function projectFeature({ database, ...dependencies }: Dependencies) {
  const { files } = dependencies;
  const projects = projectService({ ...dependencies, db: database.db });
  return {
    routes({ route }: Router) {
      route(api.list, ({ actor }) => projects.list(actor.userId));
      route(api.get, ({ actor, params }) => projects.find(actor.userId, params.id));
      route(api.create, ({ actor, body }) => projects.create(actor, body));
      route(api.update, ({ actor, params, body }) => projects.update(actor, params.id, body));
      route(api.remove, ({ actor, params, query }) => projects.remove(actor.userId, params.id, query));
      route(api.threads, ({ actor, params, query }) => projects.threads(actor.userId, params.id, query));
      route(api.files, ({ actor, params }) => files.list(actor.userId, params.id));
      route(api.addFiles, ({ actor, params, body }) => files.add(actor.userId, params.id, body.fileIds));
      route(api.removeFile, ({ actor, params }) => files.remove(actor.userId, params.id, params.fileId));
      route(api.retryFile, ({ actor, params }) => files.retry(actor.userId, params.id, params.fileId));
      route(api.move, ({ actor, body }) => projects.move(actor.userId, body));
    },
    jobs: [files.job],
    keySaved: files.keySaved,
    exportParts: [projectExportPart(database)],
  };
}

/** A user has at most 200 projects, so they are read at once. */
const projectExportPart = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['projects.json                  the projects with their instructions'],
  async *entries(userId) {
    yield { name: 'projects.json', content: projectsAsJson(reader, userId) };
  },
});

async function* projectsAsJson(reader: OpenDatabase['reader'], userId: number) {
  const projects = await projectRepository(reader).list(userId);
  const names = await projectFileRepository(reader).namesOf(userId);
  const exported = projects.map(({ id, ...project }) => {
    const files = names.get(id) ?? [];
    const checksums = files.map(({ sha256 }) => sha256);
    return { id, ...project, files: files.map(({ filename }) => filename), checksums };
  });
  yield `${JSON.stringify({ projects: exported }, null, 2)}\n`;
}
