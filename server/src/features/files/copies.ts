import type { FilePurpose } from '@roster/contracts/files';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { jobRepository } from '../../jobs/repository.ts';
import { copyRepository, type ProviderCopy } from './copy-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  hasKey: (userId: number) => Promise<boolean>;
  wake: () => void;
};

/** What others need to know of a file at the provider. */
export type CopyState = Pick<ProviderCopy, 'state' | 'providerFileId' | 'error'>;

/** The copies of files that others work with: one for each purpose. */
export function fileCopies({ db, hasKey, wake }: Dependencies) {
  return {
    /** The copy with this purpose; where there is none yet, it is sent. undefined: there is no such file. */
    async copyFor(userId: number, fileId: number, purpose: FilePurpose): Promise<CopyState | undefined> {
      const known = await copyRepository(db).ofFile(userId, fileId, purpose);
      if (known) return known;
      const state = (await hasKey(userId)) ? 'queued' : 'waiting_for_key';
      await db.transaction().execute(async (trx) => {
        const copyId = await copyRepository(trx).insertOnce(userId, fileId, purpose, state);
        if (copyId !== undefined && state === 'queued')
          await jobRepository(trx).insert('files.forward', { userId, copyId }, new Date().toISOString());
      });
      wake();
      return copyRepository(db).ofFile(userId, fileId, purpose);
    },

    /** Some that should be at the provider were not found there: those that it does not list are sent again. */
    async checkAtProvider(userId: number) {
      await jobRepository(db).ensure('files.check-copies', { userId }, new Date().toISOString());
      wake();
    },
  };
}
