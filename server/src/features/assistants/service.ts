import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  type AssistantExport,
  AssistantSettings,
  instructionsLimit,
} from '@roster/contracts/assistants';
import { codePointLength } from '@roster/contracts/length';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import type { ModelService } from '#server/features/models/service';
import type { Actor } from '#server/http/actor';
import { pageOf } from '#server/http/paging';
import { releaseStore } from './knowledge/queue.ts';
import { knowledgeRepository } from './knowledge/repository.ts';
import { type AssistantRepository, assistantRepository } from './repository.ts';

type Dependencies = { database: Pick<OpenDatabase, 'db' | 'reader'>; models: Pick<ModelService, 'usable'> };

const notFound = () => new AppError('not_found', 'Assistant not found.');

function refuse(field: keyof AssistantDraft, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } });
}

/** Imported instructions may be longer than the form allows: they may stay and shrink, but not grow. */
function checkInstructions(wanted: string, stored: string) {
  const length = codePointLength(wanted);
  if (length <= instructionsLimit || wanted === stored) return;
  if (length > codePointLength(stored))
    throw refuse('instructions', `Instructions cannot exceed ${instructionsLimit} characters`);
}

/** The assistants of each person. While there is any, exactly one of them is the default. */
export function assistantService({ database, models }: Dependencies) {
  const { db } = database;
  const assistants = assistantRepository(db);

  /** Runs `work` while no other change to this person's assistants does. */
  const alone = <T>(
    userId: number,
    work: (inTransaction: AssistantRepository, trx: Kysely<Database>) => Promise<T>,
  ): Promise<T> =>
    db.transaction().execute(async (trx) => {
      const inTransaction = assistantRepository(trx);
      await inTransaction.lock(userId);
      return work(inTransaction, trx);
    });

  async function checkModel(userId: number, model: string) {
    const usable = await models.usable(userId);
    if (usable && !usable.has(model))
      throw refuse('model', `Model ${model} is not among the models your API key can use`);
  }

  async function found(userId: number, id: number): Promise<Assistant> {
    const assistant = await assistants.find(userId, id);
    if (!assistant) throw notFound();
    return assistant;
  }

  return {
    /** A page, and where the next one begins. */
    async list(userId: number, limit: number, cursor: number | undefined) {
      const rows = await assistants.page(userId, limit + 1, cursor);
      return pageOf(rows, limit, ({ id }) => String(id));
    },

    async create({ userId, stillMay }: Actor, draft: AssistantDraft): Promise<Assistant> {
      await checkModel(userId, draft.model);
      const [created] = await alone(userId, async (inTransaction, trx) => {
        await stillMay(trx);
        const isDefault = (await inTransaction.newestId(userId)) === undefined;
        return inTransaction.insert(userId, [{ ...draft, isDefault, openaiAssistantId: null }]);
      });
      if (!created) throw new Error('The database returned no row for a new assistant');
      return created;
    },

    async update({ userId, stillMay }: Actor, id: number, changes: AssistantChanges): Promise<Assistant> {
      const before = await found(userId, id);
      if (changes.model !== undefined && changes.model !== before.model) await checkModel(userId, changes.model);
      return alone(userId, async (inTransaction, trx) => {
        await stillMay(trx);
        const stored = await inTransaction.find(userId, id);
        if (!stored) throw notFound();
        if (changes.instructions !== undefined) checkInstructions(changes.instructions, stored.instructions);
        return inTransaction.update(userId, id, AssistantSettings.parse({ ...stored, ...changes }));
      });
    },

    remove: (userId: number, id: number) =>
      alone(userId, async (inTransaction, trx) => {
        await knowledgeRepository(trx).forgetUses(userId, id);
        await releaseStore(trx, userId, id);
        const removed = await inTransaction.delete(userId, id);
        if (!removed) throw notFound();
        const successor = removed.wasDefault ? await inTransaction.newestId(userId) : undefined;
        if (successor !== undefined) await inTransaction.setDefault(userId, successor);
      }),

    setDefault: (userId: number, id: number): Promise<Assistant> =>
      alone(userId, async (inTransaction) => {
        if (!(await inTransaction.find(userId, id))) throw notFound();
        return inTransaction.setDefault(userId, id);
      }),

    async exportOne(userId: number, id: number): Promise<AssistantExport> {
      const assistant = await found(userId, id);
      return exported([assistant], await knowledgeRepository(db).namesOf(userId, [id]));
    },

    /** All of them can be megabytes: read beside the main connection. */
    async exportAll(userId: number): Promise<AssistantExport> {
      const all = await assistantRepository(database.reader).all(userId);
      const names = knowledgeRepository(database.reader);
      return exported(all, await names.namesOf(userId, withFiles(all)));
    },
  };
}

export type AssistantService = ReturnType<typeof assistantService>;

/** The ids of those that know from files. */
export const withFiles = (list: Assistant[]) => list.flatMap(({ id, files }) => (files > 0 ? [id] : []));

/** `names`: of the files that they know from, by their ids. */
export const exported = (list: Assistant[], names: ReadonlyMap<number, string[]>): AssistantExport => ({
  format: 'roster.assistants',
  version: 1,
  exportedAt: new Date().toISOString(),
  assistants: list.map((assistant) => ({
    ...AssistantSettings.parse(assistant),
    openaiAssistantId: assistant.openaiAssistantId,
    files: names.get(assistant.id) ?? [],
  })),
});
