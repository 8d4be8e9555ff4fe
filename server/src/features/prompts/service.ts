import {
  type prompts as api,
  type Prompt,
  type PromptDraft,
  type PromptListItem,
  promptsPerUser,
} from '@roster/contracts/prompts/prompts';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { createCursors, toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type PromptRepository, promptRepository } from './repository.ts';

const position = z.string().regex(/^[^\0]*$/);
const cursors = createCursors(z.object({ name: position, usedAt: position }));

const promptNotFound = () => new AppError('not_found', 'Prompt not found. It may have been deleted.');

async function findPrompt(rows: PromptRepository, userId: number, id: number): Promise<Prompt> {
  const prompt = await rows.find(userId, id);
  if (!prompt) throw promptNotFound();
  return prompt;
}

async function page(
  db: Kysely<Database>,
  userId: number,
  { limit, cursor, search = '', sort }: z.output<typeof api.list.query>,
): Promise<{ items: PromptListItem[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : cursors.decode(cursor);
  const words = search.trim().replace(/^\//, '');
  const found = await promptRepository(db).page(userId, { limit: limit + 1, sort, after, search: words });
  return toPage(found, limit, ({ name, usedAt }) => cursors.encode({ name, usedAt: usedAt ?? '' }));
}

function refuseTaken(names: readonly { id: number; name: string }[], name: string, own?: number) {
  if (!names.some((other) => other.name === name && other.id !== own)) return;
  const message = `You have a prompt named /${name} already.`;
  throw new AppError('conflict', message, { fields: { name: message } });
}

async function create(db: Kysely<Database>, { userId, recheckAccess }: Actor, draft: PromptDraft): Promise<Prompt> {
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const rows = promptRepository(trx);
    const names = await rows.names(userId);
    if (names.length >= promptsPerUser)
      throw new AppError('conflict', `You can have ${promptsPerUser} prompts. Delete one first.`);
    refuseTaken(names, draft.name);
    const at = new Date().toISOString();
    const [id = 0] = await rows.insert(userId, [{ ...draft, createdAt: at, updatedAt: at, usedAt: null }]);
    return findPrompt(rows, userId, id);
  });
}

async function update(
  db: Kysely<Database>,
  { userId, recheckAccess }: Actor,
  id: number,
  { updatedAt, name, title, text }: z.output<typeof api.update.body>,
): Promise<Prompt> {
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const rows = promptRepository(trx);
    const before = await findPrompt(rows, userId, id);
    if (updatedAt !== undefined && updatedAt !== before.updatedAt)
      throw new AppError('conflict', 'This prompt was changed in the meantime. Open it again to see the change.');
    if (name !== undefined && name !== before.name) refuseTaken(await rows.names(userId), name, id);
    const changed = { name: name ?? before.name, title: title ?? before.title, text: text ?? before.text };
    await rows.update(userId, id, changed, new Date().toISOString());
    return findPrompt(rows, userId, id);
  });
}

/** A user's saved prompts. */
export function promptService(db: Kysely<Database>) {
  const prompts = promptRepository(db);
  return {
    list: (userId: number, query: z.output<typeof api.list.query>) => page(db, userId, query),
    find: (userId: number, id: number) => findPrompt(prompts, userId, id),
    create: (actor: Actor, draft: PromptDraft) => create(db, actor, draft),
    update: (actor: Actor, id: number, change: z.output<typeof api.update.body>) => update(db, actor, id, change),
    async remove(userId: number, id: number) {
      if (!(await prompts.delete(userId, id))) throw promptNotFound();
    },
    async markUsed(userId: number, id: number) {
      if (!(await prompts.markUsed(userId, id, new Date().toISOString()))) throw promptNotFound();
    },
  };
}
