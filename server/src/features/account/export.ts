import type { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { ExportEntry, ExportPart } from '#server/features/feature';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { createZip } from './zip.ts';

const atOncePerPerson = 2;

/** All data of a user as one ZIP archive, created while it is sent. */
export function accountExport(db: Kysely<Database>, parts: readonly ExportPart[]) {
  const inProgress = new Map<number, number>();

  function begin(userId: number) {
    const mine = inProgress.get(userId) ?? 0;
    if (mine >= atOncePerPerson)
      throw new AppError('rate_limited', 'Your data is already being downloaded. Wait until that download is done.', {
        retryAfterSeconds: 30,
      });
    inProgress.set(userId, mine + 1);
  }
  function end(userId: number) {
    const left = (inProgress.get(userId) ?? 1) - 1;
    if (left > 0) inProgress.set(userId, left);
    else inProgress.delete(userId);
  }

  return async function exportAll(actor: Actor, visitor: Visitor): Promise<{ fileName: string; archive: Readable }> {
    begin(actor.userId);
    try {
      await securityEventRepository(db).record({ userId: actor.userId, event: 'data_exported', by: 'self', visitor });
      const exportedAt = new Date().toISOString();
      const archive = await createZip(entries(parts, actor.userId, exportedAt));
      archive.once('close', () => end(actor.userId));
      return { fileName: `roster-export-${exportedAt.slice(0, 10)}.zip`, archive };
    } catch (error) {
      end(actor.userId);
      throw error;
    }
  };
}

async function* entries(parts: readonly ExportPart[], userId: number, exportedAt: string): AsyncGenerator<ExportEntry> {
  yield { name: 'README.txt', content: [readme(parts, exportedAt)] };
  for (const part of parts) yield* part.entries(userId);
}

export type ExportAll = ReturnType<typeof accountExport>;

const readme = (parts: readonly ExportPart[], exportedAt: string) => `Roster: everything of one account
Format: roster.account, version 1
Exported: ${exportedAt}

README.txt                     this text
${parts.flatMap(({ description }) => description).join('\n')}

All files are UTF-8. Files that end in .jsonl hold one JSON value on each line. Times are ISO 8601 in UTC, costs are
estimates in US dollars. The archive was read while the account was in use: what changed meanwhile may be in one file
and not in another.

Not in it: the API key, passwords, access tokens, and what signs a browser in. None of these can be read back from Roster.
`;
