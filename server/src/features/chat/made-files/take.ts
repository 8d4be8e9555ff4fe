import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { RunOrder } from '#server/features/chat/runs/live-run';
import { AppError } from '#server/lib/errors';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { madeFileRepository } from './repository.ts';
import { type Keeping, keepFile } from './store.ts';

type Dependencies = Keeping & { db: Kysely<Database>; log: FastifyBaseLogger };

export const notTaken =
  'A file that was made for this answer could not be kept. The operator finds the reason in the log.';

/**
 * Stores what an answer has made as soon as it is known, so that a crash does not lose it. What is in a container is fetched
 * once the answer has ended; what is here is kept at once.
 *
 * Returns words for the answer where that fails.
 */
export function madeFileTaker(dependencies: Dependencies) {
  const { db, log } = dependencies;

  async function keepNow(order: RunOrder, made: { filename: string; bytes: Buffer }, position: number, id: number) {
    const { userId, messageId } = order;
    const { filename, bytes } = made;
    async function* content() {
      yield bytes;
    }
    try {
      await keepFile(
        dependencies,
        { id, userId, messageId, position },
        { filename, bytes: bytes.length, content: content() },
      );
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error, runId: order.runId }, 'a made file could not be kept');
      const message = error instanceof AppError ? error.message : 'Roster could not store it.';
      await madeFileRepository(db).fail(userId, id, message);
    }
  }

  return async function take(order: RunOrder, made: GeneratedFile, position: number): Promise<string | null> {
    const { userId, messageId } = order;
    try {
      const container = 'container' in made ? made.container : null;
      const { filename } = made;
      const id = await madeFileRepository(db).insert(userId, { messageId, position, filename, container });
      if (id !== undefined && 'bytes' in made) await keepNow(order, made, position, id);
      return null;
    } catch (error) {
      log.error({ err: error, runId: order.runId }, 'a made file could not be taken in');
      return notTaken;
    }
  };
}

export type MadeFileTaker = ReturnType<typeof madeFileTaker>;
