import type { Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { isOf, selectMessages, withSiblings } from './message-row-repository.ts';

export type MessagePlace = {
  id: number;
  threadId: number;
  parentId: number | null;
  depth: number;
  role: Message['role'];
};

/** The id that a client gave its request, and a digest of what it asks for. */
export type IdempotencyKey = { id: string; digest: string };

type NewMessage = Omit<MessagePlace, 'id'> & { position: number; text: string; at: string };
/** Fields that an API client stores with a message, as JSON. */
type ApiFields = { metadata: string | null; content: string | null };

const placeColumns = ['id', 'thread_id as threadId', 'parent_id as parentId', 'depth', 'role'] as const;

const findPlace = prepared((db, at: Params<{ userId: number; messageId: number }>) =>
  db.selectFrom('messages').select(placeColumns).where('user_id', '=', at('userId')).where('id', '=', at('messageId')),
);

const findByClientId = prepared((db, at: Params<{ userId: number; clientId: string }>) =>
  db
    .selectFrom('messages')
    .select([...placeColumns, 'client_digest as digest'])
    .where('user_id', '=', at('userId'))
    .where('client_id', '=', at('clientId')),
);

type NewMessageRow = NewMessage & ApiFields & { userId: number; clientId: string | null; digest: string | null };

const insertMessage = prepared((db, at: Params<NewMessageRow>) =>
  db
    .insertInto('messages')
    .values({
      user_id: at('userId'),
      thread_id: at('threadId'),
      parent_id: at('parentId'),
      position: at('position'),
      depth: at('depth'),
      role: at('role'),
      text: at('text'),
      reasoning: '',
      client_id: at('clientId'),
      client_digest: at('digest'),
      metadata: at('metadata'),
      content: at('content'),
      created_at: at('at'),
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doNothing())
    .returning('id'),
);

type Words = { text: string; reasoning: string; content: string | null };

const setWords = prepared((db, at: Params<Words & { userId: number; messageId: number }>) =>
  db
    .updateTable('messages')
    .set({ text: at('text'), reasoning: at('reasoning'), content: at('content') })
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('messageId'))
    .returning((eb) =>
      eb.selectFrom('threads').select('purpose').whereRef('threads.id', '=', 'messages.thread_id').as('purpose'),
    ),
);

const findMessage = prepared((db, at: Params<{ userId: number; messageId: number }>) =>
  selectMessages(db).where('messages.user_id', '=', at('userId')).where('messages.id', '=', at('messageId')),
);

export function messageRepository(db: Kysely<Database>) {
  return {
    /** The model that wrote an answer; null: not an answer, or the model is not known yet. */
    async modelOf(userId: number, messageId: number): Promise<string | null> {
      const row = await db
        .selectFrom('runs')
        .select('model')
        .where('user_id', '=', userId)
        .where('message_id', '=', messageId)
        .executeTakeFirst();
      return row?.model || null;
    },
    async find(userId: number, messageId: number): Promise<Message | undefined> {
      const row = await findMessage.first(db, { userId, messageId });
      return row && (await withSiblings(db, userId, row.thread_id, [row]))[0];
    },
    /** The newest `limit` answers to a message, in the order they were requested. */
    async newestAnswers(userId: number, parent: MessagePlace, limit: number): Promise<Message[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.parent_id', '=', parent.id)
        .where('messages.role', '=', 'assistant')
        .orderBy('messages.id', 'desc')
        .limit(limit)
        .execute();
      return withSiblings(db, userId, parent.threadId, rows.reverse());
    },
    /** True if all messages that follow it are answers. API clients may add several messages in a row. */
    async isAnswered(userId: number, messageId: number): Promise<boolean> {
      const children = await db
        .selectFrom('messages')
        .select('role')
        .distinct()
        .where(isOf(userId))
        .where('parent_id', '=', messageId)
        .execute();
      return children.length > 0 && children.every(({ role }) => role === 'assistant');
    },
    async hasChildren(userId: number, messageId: number): Promise<boolean> {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where(isOf(userId))
        .where('parent_id', '=', messageId)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    place: (userId: number, messageId: number): Promise<MessagePlace | undefined> =>
      findPlace.first(db, { userId, messageId }),
    byClientId: (userId: number, clientId: string): Promise<(MessagePlace & { digest: string | null }) | undefined> =>
      findByClientId.first(db, { userId, clientId }),
    /** undefined: a message with this client id exists already. */
    async insert(
      userId: number,
      { key, ...message }: NewMessage & Partial<ApiFields> & { key: IdempotencyKey | null },
    ): Promise<number | undefined> {
      const [clientId, digest] = [key?.id ?? null, key?.digest ?? null];
      const none = { metadata: null, content: null };
      return (await insertMessage.first(db, { ...none, ...message, userId, clientId, digest }))?.id;
    },
    /** The text of a message that a search may find; undefined: not found, or in an internal thread. */
    async searched(userId: number, messageId: number): Promise<{ text: string } | undefined> {
      return db
        .selectFrom('messages')
        .innerJoin('threads', 'threads.id', 'messages.thread_id')
        .select('messages.text')
        .where('messages.id', '=', messageId)
        .where('messages.user_id', '=', userId)
        .where('threads.purpose', '=', 'chat')
        .executeTakeFirst();
    },
    /** Returns the thread's purpose: only the text of chat threads is searchable. */
    async setWords(userId: number, messageId: number, words: Words) {
      return (await setWords.first(db, { ...words, userId, messageId }))?.purpose ?? undefined;
    },
  };
}

export type MessageRepository = ReturnType<typeof messageRepository>;
