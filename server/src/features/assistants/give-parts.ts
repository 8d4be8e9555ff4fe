import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { knowledgeRepository } from './knowledge/repository.ts';
import { setFiles } from './knowledge/set-files.ts';
import type { ToolSelectionsIn } from './versions/state.ts';

type Owner = { userId: number; assistantId: number };
type Parts = { fileIds: readonly number[]; chosenTools: readonly ToolChoice[] };

/**
 * Gives a new assistant its files and tools, in the transaction that creates it.
 * @throws AppError if one of them no longer exists, or a tool has changed since the user saw it
 */
export async function giveParts(
  trx: Kysely<Database>,
  choicesIn: ToolSelectionsIn,
  { userId, assistantId }: Owner,
  { fileIds, chosenTools }: Parts,
) {
  if (fileIds.length > 0) await giveFiles(trx, { userId, assistantId }, [...new Set(fileIds)]);
  if (chosenTools.length === 0) return;
  const tools = [...new Map(chosenTools.map((tool) => [keyOf(tool.serverId, tool.name), tool])).values()];
  const present = await choicesIn(trx).present(userId, tools);
  const digests = new Map(present.map((tool) => [keyOf(tool.server_id, tool.name), tool.digest]));
  for (const { serverId, name, digest } of tools) {
    const now = digests.get(keyOf(serverId, name));
    if (now === undefined) throw refused('not_found', { chosenTools: `The tool ${name} no longer exists.` });
    if (now !== digest)
      throw refused('conflict', { chosenTools: `The tool ${name} has changed. Check it before you select it.` });
  }
  await choicesIn(trx).replace(userId, assistantId, tools);
}

const keyOf = (serverId: number, name: string) => `${serverId} ${name}`;

function refused(code: 'not_found' | 'conflict', fields: Record<string, string>) {
  return new AppError(code, Object.values(fields)[0] ?? '', { fields });
}

async function giveFiles(trx: Kysely<Database>, { userId, assistantId }: Owner, wanted: number[]) {
  const names = await knowledgeRepository(trx).hold(userId, wanted);
  const missing = wanted.flatMap((fileId, index) => (names.has(fileId) ? [] : [`fileIds.${index}`]));
  if (missing.length > 0)
    throw refused('not_found', Object.fromEntries(missing.map((path) => [path, 'This file no longer exists.'])));
  await setFiles(trx, userId, assistantId, names);
}
