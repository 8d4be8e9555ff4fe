import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { generatedFileRepository } from './repository.ts';
import { type FileStorage, storeGeneratedFile } from './store.ts';

/** The run of the answer that the file belongs to. */
type AnswerRun = { runId: number; userId: number; messageId: number };
type Dependencies = FileStorage & { db: Kysely<Database>; log: FastifyBaseLogger };

export const notStoredNote =
  'A file that was made for this answer could not be stored. The log shows the operator why.';

/**
 * Records a generated file as soon as it is announced, so that a crash does not lose it. Files in a container are
 * fetched after the answer has ended; bytes in the response are stored at once. Returns an error note if recording
 * fails.
 */
export function generatedFileCollector(dependencies: Dependencies) {
  const { db, log } = dependencies;

  async function keepNow(run: AnswerRun, made: { filename: string; bytes: Buffer }, position: number, id: number) {
    const { userId, messageId } = run;
    const { filename, bytes } = made;
    async function* content() {
      yield bytes;
    }
    try {
      await storeGeneratedFile(
        dependencies,
        { id, userId, messageId, position },
        { filename, bytes: bytes.length, content: content() },
      );
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error, runId: run.runId }, 'a made file could not be kept');
      const message = error instanceof AppError ? error.message : 'Roster could not store it.';
      await generatedFileRepository(db).fail(userId, id, message);
    }
  }

  return async function take(run: AnswerRun, made: GeneratedFile, position: number): Promise<string | null> {
    const { userId, messageId } = run;
    try {
      const container = 'container' in made ? made.container : null;
      const { filename } = made;
      const id = await generatedFileRepository(db).insert(userId, { messageId, position, filename, container });
      if (id !== undefined && 'bytes' in made) await keepNow(run, made, position, id);
      return null;
    } catch (error) {
      log.error({ err: error, runId: run.runId }, 'a made file could not be taken in');
      return notStoredNote;
    }
  };
}

export type GeneratedFileCollector = ReturnType<typeof generatedFileCollector>;
