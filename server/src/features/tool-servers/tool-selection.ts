import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import type { ChosenTool } from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { RecordVersion } from '#server/features/feature';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { toolSelectionRepository } from './shared/tool-selection-repository.ts';

type Row = Awaited<ReturnType<ReturnType<typeof toolSelectionRepository>['chosen']>>[number];

function stateOf(row: Row): ChosenTool['state'] {
  if (row.is_on === 0 || !row.is_within_reach) return 'off';
  if (row.present_digest === null) return 'gone';
  return row.present_digest === row.digest ? 'ready' : 'changed';
}

const keyOf = (serverId: number, name: string) => `${serverId} ${name}`;

async function chosen(db: Kysely<Database>, userId: number, assistantId: number): Promise<ChosenTool[]> {
  const choices = toolSelectionRepository(db);
  if (!(await choices.ownsAssistant(userId, assistantId))) throw new AppError('not_found', 'Assistant not found.');
  const rows = await choices.chosen(userId, assistantId);
  return rows.map((row) => ({
    serverId: row.server_id,
    // The name of a server out of reach is not revealed.
    serverName: row.is_within_reach ? row.server_name : 'An unavailable server',
    name: row.name,
    title: (row.is_within_reach ? row.title : null) ?? row.name,
    approval: row.approval,
    digest: row.digest,
    state: stateOf(row),
  }));
}

/** Each tool must be as the user has seen it: as it is now, or as it was when it was chosen before. */
async function check(trx: Kysely<Database>, userId: number, assistantId: number, wanted: ToolChoice[]) {
  if (wanted.length === 0) return;
  const present = new Map(
    (await toolSelectionRepository(trx).present(userId, wanted)).map((tool) => [
      keyOf(tool.server_id, tool.name),
      tool.digest,
    ]),
  );
  const before = new Map(
    (await chosen(trx, userId, assistantId)).map((tool) => [keyOf(tool.serverId, tool.name), tool.digest]),
  );
  for (const { serverId, name, digest } of wanted) {
    const key = keyOf(serverId, name);
    if (before.get(key) === digest || present.get(key) === digest) continue;
    if (!present.has(key)) throw new AppError('not_found', `The tool ${name} no longer exists on this server.`);
    throw new AppError('conflict', `The tool ${name} has changed. Check it before you select it.`);
  }
}

/** Tools that an assistant may use, and when the user has to approve them. */
export function toolSelectionService(db: Kysely<Database>, versions: { record: RecordVersion }) {
  return {
    chosen: (userId: number, assistantId: number) => chosen(db, userId, assistantId),
    choose: ({ userId, recheckAccess }: Actor, assistantId: number, tools: ToolChoice[]): Promise<ChosenTool[]> =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        const choices = toolSelectionRepository(trx);
        if (!(await choices.ownsAssistant(userId, assistantId)))
          throw new AppError('not_found', 'Assistant not found.');
        await versions.record(trx, { userId, assistantId, origin: { kind: 'person' } }, async () => {
          await check(trx, userId, assistantId, tools);
          await choices.replace(userId, assistantId, tools);
        });
        return chosen(trx, userId, assistantId);
      }),
  };
}

export type ToolSelectionService = ReturnType<typeof toolSelectionService>;
