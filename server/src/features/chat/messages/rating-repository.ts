import type { AnswerRating } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { shareLockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { canBeOpened } from '#server/features/chat/shared/thread-visibility-repository';

export type RatingChange = { [Name in keyof AnswerRating]?: AnswerRating[Name] | undefined };

export function ratingRepository(db: Kysely<Database>) {
  return {
    /** The answer to rate. On PostgreSQL this locks its row against deletion, after the user's row as everywhere. */
    async rated(userId: number, messageId: number) {
      await shareLockUser(db, userId);
      const message = db
        .selectFrom('messages')
        .innerJoin('threads', 'threads.id', 'messages.thread_id')
        .select(['messages.role', 'messages.text'])
        .select((eb) =>
          eb.selectFrom('runs').select('runs.state').whereRef('runs.message_id', '=', 'messages.id').as('state'),
        )
        .where('messages.user_id', '=', userId)
        .where('messages.id', '=', messageId)
        .where(canBeOpened);
      return (isPostgres(db) ? message.forKeyShare('messages') : message).executeTakeFirst();
    },
    /** Omitted fields stay unchanged. An empty rating is deleted. */
    async put(userId: number, messageId: number, { value, correction }: RatingChange, at: string) {
      await db
        .insertInto('message_ratings')
        .values({
          message_id: messageId,
          user_id: userId,
          value: value ?? null,
          correction: correction ?? null,
          rated_at: at,
        })
        .onConflict((conflict) =>
          conflict.column('message_id').doUpdateSet({
            rated_at: at,
            ...(value !== undefined && { value }),
            ...(correction !== undefined && { correction }),
          }),
        )
        .execute();
      await db
        .deleteFrom('message_ratings')
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .where('value', 'is', null)
        .where('correction', 'is', null)
        .execute();
    },
  };
}
