import type { OpenDatabase } from '#server/db/connect';
import { AppError } from '#server/lib/errors';
import { type RatingChange, ratingRepository } from './rating-repository.ts';

const wrongCorrection = (message: string) =>
  new AppError('invalid_input', message, { fields: { correction: message } });

/** Ratings and corrections of answers. They do not change the thread. */
export function ratingService({ db }: Pick<OpenDatabase, 'db'>) {
  return {
    async rate(userId: number, messageId: number, change: RatingChange) {
      const correction = change.correction?.trim();
      if (correction === '') throw wrongCorrection('Enter the corrected answer.');
      await db.transaction().execute(async (trx) => {
        const ratings = ratingRepository(trx);
        const message = await ratings.rated(userId, messageId);
        if (!message) throw new AppError('not_found', 'This message does not exist.');
        if (message.role !== 'assistant') throw new AppError('invalid_input', 'Only answers can be rated.');
        // API clients can add answers without a run; those are complete.
        const isFinished = message.state === null || message.state === 'complete' || message.state === 'stopped';
        if (!isFinished || message.text.trim() === '')
          throw new AppError('conflict', 'Only complete answers with text can be rated.');
        if (correction === message.text.trim())
          throw wrongCorrection('This is the original answer. Edit it, or rate it as good.');
        await ratings.put(
          userId,
          messageId,
          { ...change, ...(correction && { correction }) },
          new Date().toISOString(),
        );
      });
    },
  };
}

export type RatingService = ReturnType<typeof ratingService>;
