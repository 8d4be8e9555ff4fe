import { type NewToolCommand, type ToolServer, toolServerLimit } from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { ToolCommands } from '#server/config/tool-commands';
import type { Database } from '#server/db/schema';
import { checkOffer } from '#server/features/tool-servers/shared/check-offer';
import { toolServerRepository } from '#server/features/tool-servers/shared/repository';
import { requestDiscovery } from '#server/features/tool-servers/shared/request-discovery';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';

type Dependencies = {
  db: Kysely<Database>;
  commands: ToolCommands;
  /** The server as its owner sees it. */
  shown: (db: Kysely<Database>, userId: number, id: number) => Promise<ToolServer>;
};

/** Administrators choose among commands that the operator has listed; nobody can type one. */
export function commandService({ db, commands, shown }: Dependencies) {
  return {
    names: () => [...commands.keys()].sort(),
    add: (actor: Actor, { name, command, isOffered }: z.output<typeof NewToolCommand>) => {
      const { userId, recheckAccess } = actor;
      checkOffer(actor, isOffered);
      if (!commands.has(command)) throw new AppError('not_found', 'Command not found.');
      return db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        const servers = toolServerRepository(trx);
        if ((await servers.count(userId)) >= toolServerLimit)
          throw new AppError('conflict', `You can have at most ${toolServerLimit} tool servers. Remove one first.`);
        const fields = { name, kind: 'command', url: `command:${command}`, is_on: 1 } as const;
        const id = await servers.insert(userId, { ...fields, is_offered: isOffered ? 1 : 0 }, { type: 'none' });
        await requestDiscovery(trx, userId, id);
        return shown(trx, userId, id);
      });
    },
  };
}

export type CommandService = ReturnType<typeof commandService>;
