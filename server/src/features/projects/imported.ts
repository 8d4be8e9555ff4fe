import {
  ProjectDraft,
  projectFileLimit,
  projectInstructionsLimit,
  projectNameLimit,
  projectsPerUser,
} from '@roster/contracts/projects/projects';
import { truncate } from '@roster/contracts/text/truncate';
import type { Kysely } from 'kysely';
import type { ImportedProject } from '#server/conversation/imported';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { ProjectFileService } from './files/service.ts';
import { importedProjectRepository } from './shared/imported-repository.ts';
import { projectRepository } from './shared/repository.ts';

type To = { userId: number; importId: number };
/** `no_room`: the user has as many projects as they can have. */
type ImportOutcome = 'new' | 'here' | 'no_room';

const { icon: Icon, color: Color } = ProjectDraft.shape;

function draftOf({ name, icon, color, instructions, model }: ImportedProject, assistantId: number | null) {
  return {
    name: truncate(name, projectNameLimit) || 'Project',
    icon: Icon.safeParse(icon).data ?? 'folder',
    color: Color.safeParse(color).data ?? 'gray',
    instructions: truncate(instructions, projectInstructionsLimit),
    assistantId,
    model: assistantId === null ? model : null,
  };
}

type Files = Pick<ProjectFileService, 'attach' | 'release'>;
/** The assistant that an import has brought, by its id there. */
type FindAssistant = (trx: Kysely<Database>, userId: number, sourceId: string) => Promise<number | null>;

/** Stores a project of an export. Call in a transaction. */
async function store(
  files: Files,
  assistantOf: FindAssistant,
  trx: Kysely<Database>,
  { userId, importId }: To,
  imported: ImportedProject,
  fileIds: number[],
): Promise<ImportOutcome> {
  await lockUserRow(trx, userId);
  const rows = importedProjectRepository(trx);
  const { sourceId, assistant } = imported;
  if (await rows.isHere(userId, sourceId)) return 'here';
  const projects = projectRepository(trx);
  if ((await projects.count(userId)) >= projectsPerUser) return 'no_room';
  const now = new Date().toISOString();
  const assistantId = assistant === null ? null : await assistantOf(trx, userId, assistant);
  const createdAt = imported.createdAt ?? now;
  const id = await projects.insert(userId, draftOf(imported, assistantId), createdAt);
  const { archivedAt, updatedAt } = imported;
  await rows.mark(userId, id, { importId, sourceId, archivedAt, updatedAt: updatedAt ?? createdAt });
  await files.attach(trx, userId, id, [...new Set(fileIds)].slice(0, projectFileLimit));
  return 'new';
}

/** Projects that imports bring. */
export const importedProjects = (files: Files, assistantOf: FindAssistant) => ({
  store: (trx: Kysely<Database>, to: To, imported: ImportedProject, fileIds: number[]) =>
    store(files, assistantOf, trx, to, imported, fileIds),
  /** Deletes one without conversations that nobody has changed. Returns true if there may be more. */
  async removeOne(trx: Kysely<Database>, userId: number, importId: number): Promise<boolean> {
    await lockUserRow(trx, userId);
    const id = await importedProjectRepository(trx).untouched(userId, importId);
    if (id === undefined) return false;
    await files.release(trx, userId, id);
    return projectRepository(trx).delete(userId, id);
  },
});
