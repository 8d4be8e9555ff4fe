import type {
  AssistantVersion,
  AssistantVersionDetail,
  assistantVersions as api,
  RestoredVersion,
} from '@roster/contracts/assistants/versions';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { knowledgeRepository } from '#server/features/assistants/knowledge/repository';
import { setFiles } from '#server/features/assistants/knowledge/set-files';
import { apiFieldsRepository } from '#server/features/assistants/shared/api-fields-repository';
import { assistantRepository } from '#server/features/assistants/shared/repository';
import type { ModelService } from '#server/features/models/service';
import { toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { VersionRecorder } from './recorder.ts';
import { type StoredVersion, versionRepository } from './repository.ts';
import type { AssistantState, ToolSelectionsIn } from './state.ts';

type Dependencies = {
  db: Kysely<Database>;
  models: Pick<ModelService, 'usable'>;
  choicesIn: ToolSelectionsIn;
  versions: Pick<VersionRecorder, 'record'>;
};

const noAssistant = () => new AppError('not_found', 'Assistant not found.');
const noVersion = () => new AppError('not_found', 'This version of the assistant is no longer stored.');

async function find(db: Kysely<Database>, userId: number, assistantId: number, number: number): Promise<StoredVersion> {
  const version = await versionRepository(db).find(userId, assistantId, number);
  if (version) return version;
  throw (await assistantRepository(db).find(userId, assistantId)) ? noVersion() : noAssistant();
}

const keyOf = ({ serverId, name }: { serverId: number; name: string }) => `${serverId} ${name}`;

/** Returns the version’s files and tools that still exist: files by id, tools with their current digest. */
async function findPresent(db: Kysely<Database>, choicesIn: ToolSelectionsIn, userId: number, state: AssistantState) {
  const { files, chosenTools } = state;
  const held =
    files.length === 0
      ? []
      : await knowledgeRepository(db).hold(
          userId,
          files.map(({ fileId }) => fileId),
        );
  const tools = chosenTools.length === 0 ? [] : await choicesIn(db).present(userId, chosenTools);
  return {
    files: new Map(held),
    tools: new Map(tools.map(({ server_id: serverId, name, digest }) => [keyOf({ serverId, name }), digest])),
  };
}
type Present = Awaited<ReturnType<typeof findPresent>>;

function missingNotes({ files, chosenTools }: AssistantState, present: Present): string[] {
  const gone = files.filter(({ fileId }) => !present.files.has(fileId));
  const lost = chosenTools.filter((tool) => !present.tools.has(keyOf(tool)));
  const changed = chosenTools.filter((tool) => (present.tools.get(keyOf(tool)) ?? tool.digest) !== tool.digest);
  return [
    ...gone.map(({ filename }) => `The file ${filename} was deleted.`),
    ...lost.map(({ name }) => `The tool ${name} is no longer available.`),
    ...changed.map(({ name }) => `The tool ${name} has changed. Review it before the assistant uses it.`),
  ];
}

async function restore(
  { db, models, choicesIn, versions }: Dependencies,
  { userId, recheckAccess }: Actor,
  assistantId: number,
  number: number,
): Promise<RestoredVersion> {
  const { state: version } = await find(db, userId, assistantId, number);
  const usable = await models.usable(userId, [version.settings.model]);
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const origin = { kind: 'restore' as const, number };
    const notes = await versions.record(trx, { userId, assistantId, origin }, async () => {
      const { state } = await find(trx, userId, assistantId, number);
      const assistants = assistantRepository(trx);
      const stored = await assistants.find(userId, assistantId);
      if (!stored) throw noAssistant();
      const present = await findPresent(trx, choicesIn, userId, state);
      const { settings, chosenTools, programFields } = state;
      const isUsable = settings.model === stored.model || (usable?.has(settings.model) ?? true);
      await assistants.update(userId, assistantId, { ...settings, model: isUsable ? settings.model : stored.model });
      await setFiles(trx, userId, assistantId, present.files);
      const there = chosenTools.filter((tool) => present.tools.has(keyOf(tool)));
      await choicesIn(trx).replace(userId, assistantId, there);
      const api = apiFieldsRepository(trx);
      const hasFields = (await api.of(userId, [assistantId])).has(assistantId);
      if (programFields || hasFields) await api.put(userId, assistantId, programFields ?? {});
      const withoutModel = `Your API key cannot use the model ${modelIdOf(settings.model)}; ${modelIdOf(stored.model)} stays.`;
      return [...(isUsable ? [] : [withoutModel]), ...missingNotes(state, present)];
    });
    const assistant = await assistantRepository(trx).find(userId, assistantId);
    if (!assistant) throw noAssistant();
    return { assistant, notes };
  });
}

export function versionService(dependencies: Dependencies) {
  const { db, choicesIn } = dependencies;
  return {
    async list(userId: number, assistantId: number, { limit, cursor }: z.output<typeof api.list.query>) {
      if (!(await assistantRepository(db).find(userId, assistantId))) throw noAssistant();
      const found = await versionRepository(db).page(userId, assistantId, limit + 1, cursor);
      return toPage<AssistantVersion>(found, limit, ({ number }) => String(number));
    },

    async get(userId: number, assistantId: number, number: number): Promise<AssistantVersionDetail> {
      const { state, assistantId: _, ...version } = await find(db, userId, assistantId, number);
      const present = await findPresent(db, choicesIn, userId, state);
      return {
        ...version,
        settings: state.settings,
        files: state.files.map((file) => ({ ...file, isThere: present.files.has(file.fileId) })),
        chosenTools: state.chosenTools.map(({ digest: _digest, ...tool }) => ({
          ...tool,
          isThere: present.tools.has(keyOf(tool)),
        })),
        programFields: state.programFields,
      };
    },

    restore: (actor: Actor, assistantId: number, number: number) => restore(dependencies, actor, assistantId, number),
  };
}

export type VersionService = ReturnType<typeof versionService>;
