import type { Message } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import { type Operand, type Places, prepared } from '../../../db/prepared.ts';
import type { Database } from '../../../db/schema.ts';
import { toUsage, usageColumns } from '../../usage/repository.ts';
import { type KeptAttachment, messageFileRepository, shownFile } from './file-repository.ts';

/** A range of a branch: the messages of these depths on the way from the beginning to `head`. */
export type BranchRange = { threadId: number; head: number; from: number; to: number };

export type MessagePlace = {
  id: number;
  threadId: number;
  parentId: number | null;
  depth: number;
  role: Message['role'];
};

/** The id that a client gave its call, and a digest of what it asked for. */
export type ClientCall = { id: string; digest: string };

/** A message as an export has it. */
export type KeptMessage = Omit<Message, 'threadId' | 'run' | 'siblings' | 'together' | 'files'> & {
  /** `sha256` finds the file among those of the same archive; null where it was deleted. */
  files: Pick<KeptAttachment, 'filename' | 'size' | 'kind' | 'sha256'>[];
};

type NewMessage = Omit<MessagePlace, 'id'> & { position: number; text: string; at: string };

const placeColumns = ['id', 'thread_id as threadId', 'parent_id as parentId', 'depth', 'role'] as const;

const findPlace = prepared((db, at: Places<{ userId: number; messageId: number }>) =>
  db.selectFrom('messages').select(placeColumns).where('user_id', '=', at('userId')).where('id', '=', at('messageId')),
);

const findByClientId = prepared((db, at: Places<{ userId: number; clientId: string }>) =>
  db
    .selectFrom('messages')
    .select([...placeColumns, 'client_digest as digest'])
    .where('user_id', '=', at('userId'))
    .where('client_id', '=', at('clientId')),
);

type Inserted = NewMessage & { userId: number; clientId: string | null; digest: string | null };

const insertMessage = prepared((db, at: Places<Inserted>) =>
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
      created_at: at('at'),
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doNothing())
    .returning('id'),
);

const setWords = prepared((db, at: Places<{ userId: number; messageId: number; text: string; reasoning: string }>) =>
  db
    .updateTable('messages')
    .set({ text: at('text'), reasoning: at('reasoning') })
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('messageId'))
    .returning((eb) =>
      eb.selectFrom('threads').select('purpose').whereRef('threads.id', '=', 'messages.thread_id').as('purpose'),
    ),
);

/** Walks up from the head; the cost is the distance from the end, not the length of the conversation. */
const branch = (
  userId: Operand<number>,
  { threadId, head, from, to }: { [Name in keyof BranchRange]: Operand<number> },
) => sql<{ id: number }>`
    with recursive branch (id, parent_id, depth) as (
      select id, parent_id, depth from messages where id = ${head} and thread_id = ${threadId} and user_id = ${userId}
      union all
      select m.id, m.parent_id, m.depth from messages m join branch b on m.id = b.parent_id where b.depth > ${from}
    ) select id from branch where depth between ${from} and ${to}`;

/** With a plus, so that SQLite looks up the branch's messages instead of walking through all of their owner's. */
const isOf = (userId: Operand<number>) => sql<boolean>`+messages.user_id = ${userId}`;

const findWordsInBranch = prepared((db, at: Places<BranchRange & { userId: number }>) => {
  const range = { threadId: at('threadId'), head: at('head'), from: at('from'), to: at('to') };
  return db
    .selectFrom('messages')
    .select(['id', 'role', 'text'])
    .where(isOf(at('userId')))
    .where('id', 'in', sql<number>`(${branch(at('userId'), range)})`)
    .orderBy('depth');
});

/** With the run that wrote it, what it took, and what its reader thinks of it. */
const selectMessages = (db: Kysely<Database>) =>
  db
    .selectFrom('messages')
    .leftJoin('runs', 'runs.message_id', 'messages.id')
    .leftJoin('usage_records', (join) =>
      join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', '=', 'chat'),
    )
    .leftJoin('message_ratings', 'message_ratings.message_id', 'messages.id')
    .selectAll('messages')
    .select([
      'runs.id as run_id',
      'runs.state as run_state',
      'runs.model as run_model',
      'runs.error as run_error',
      'runs.notes as run_notes',
      'runs.sources as run_sources',
      'runs.finished_at as run_finished_at',
      'message_ratings.rated_at',
      'message_ratings.value as rating_value',
      'message_ratings.correction',
      ...usageColumns,
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof selectMessages>['executeTakeFirstOrThrow']>>;

const findMessage = prepared((db, at: Places<{ userId: number; messageId: number }>) =>
  selectMessages(db).where('messages.user_id', '=', at('userId')).where('messages.id', '=', at('messageId')),
);

const siblingColumns = ['id', 'parent_id', 'created_at'] as const;

const findSiblings = prepared((db, at: Places<{ userId: number; threadId: number; parentId: number }>) =>
  db
    .selectFrom('messages')
    .select(siblingColumns)
    .where('user_id', '=', at('userId'))
    .where('thread_id', '=', at('threadId'))
    .where('parent_id', '=', at('parentId'))
    .orderBy('id'),
);

export function messageRepository(db: Kysely<Database>) {
  const filesOf = (userId: number, rows: Row[]) =>
    messageFileRepository(db).of(
      userId,
      rows.filter(({ role }) => role === 'user').map(({ id }) => id),
    );

  const siblingsOf = (userId: number, threadId: number, parents: number[], ofBeginning: boolean) =>
    db
      .selectFrom('messages')
      .select(siblingColumns)
      .where('user_id', '=', userId)
      .where('thread_id', '=', threadId)
      .where((eb) =>
        eb.or([
          ...(parents.length > 0 ? [eb('parent_id', 'in', parents)] : []),
          ...(ofBeginning ? [eb('parent_id', 'is', null)] : []),
        ]),
      )
      .orderBy('id')
      .execute();

  async function withSiblings(userId: number, threadId: number, rows: Row[]): Promise<Message[]> {
    if (rows.length === 0) return [];
    const parents = [...new Set(rows.map((row) => row.parent_id))];
    const known = parents.filter((parent) => parent !== null);
    const [parentId] = known;
    const isOne = known.length === 1 && parents.length === 1 && parentId !== undefined;
    const siblings = await (isOne
      ? findSiblings.all(db, { userId, threadId, parentId })
      : siblingsOf(userId, threadId, known, known.length < parents.length));
    const byParent = Map.groupBy(siblings, (sibling) => sibling.parent_id);
    const files = await filesOf(userId, rows);
    return rows.map((row) => {
      const beside = byParent.get(row.parent_id) ?? [];
      // What was asked for with one call has one time.
      const together = beside.filter(({ created_at }) => created_at === row.created_at).map(({ id }) => id);
      return {
        ...toMessage(row),
        siblings: beside.map(({ id }) => id),
        together: row.role === 'assistant' && together.length > 1 ? together : [],
        files: (files.get(row.id) ?? []).map(shownFile),
      };
    });
  }

  return {
    /** The messages of a range, in order. */
    async inBranch(userId: number, range: BranchRange): Promise<Message[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.id', 'in', sql<number>`(${branch(userId, range)})`)
        .orderBy('messages.depth')
        .execute();
      return withSiblings(userId, range.threadId, rows);
    },
    /** Only what a model reads, in order. */
    wordsInBranch: (userId: number, range: BranchRange) => findWordsInBranch.all(db, { ...range, userId }),
    /** What led to an answer. */
    async wordsBefore(userId: number, threadId: number, messageId: number) {
      const range = { threadId, head: messageId, from: 0, to: 2_147_483_647 };
      return db
        .selectFrom('messages')
        .select(['role', 'text'])
        .where(isOf(userId))
        .where('id', 'in', sql<number>`(${branch(userId, range)})`)
        .where('id', '!=', messageId)
        .orderBy('depth')
        .execute();
    },
    async isInBranch(userId: number, message: MessagePlace, head: number): Promise<boolean> {
      const range = { threadId: message.threadId, head, from: message.depth, to: message.depth };
      const { rows } = await branch(userId, range).execute(db);
      return rows.some(({ id }) => id === message.id);
    },
    /** The end of the newest branch that runs through a message: the newest child, and so on. Ids grow downwards. */
    async newestEnd(messageId: number): Promise<number> {
      const { rows } = await sql<{ id: number }>`
        with recursive down (id) as (
          select id from messages where id = ${messageId}
          union all
          select (select max(c.id) from messages c where c.parent_id = down.id) from down
          where exists (select 1 from messages c where c.parent_id = down.id)
        ) select max(id) as id from down`.execute(db);
      return rows[0]?.id ?? messageId;
    },
    async find(userId: number, messageId: number): Promise<Message | undefined> {
      const row = await findMessage.first(db, { userId, messageId });
      return row && (await withSiblings(userId, row.thread_id, [row]))[0];
    },
    /** The newest of what follows a message, oldest first. */
    async newestChildren(userId: number, parent: MessagePlace, limit: number): Promise<Message[]> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.parent_id', '=', parent.id)
        .orderBy('messages.id', 'desc')
        .limit(limit)
        .execute();
      return withSiblings(userId, parent.threadId, rows.reverse());
    },
    place: (userId: number, messageId: number): Promise<MessagePlace | undefined> =>
      findPlace.first(db, { userId, messageId }),
    byClientId: (userId: number, clientId: string): Promise<(MessagePlace & { digest: string | null }) | undefined> =>
      findByClientId.first(db, { userId, clientId }),
    /** undefined: a message with this client id is there already. */
    async insert(
      userId: number,
      { client, ...message }: NewMessage & { client: ClientCall | null },
    ): Promise<number | undefined> {
      const [clientId, digest] = [client?.id ?? null, client?.digest ?? null];
      return (await insertMessage.first(db, { ...message, userId, clientId, digest }))?.id;
    },
    /** Answers what the conversation is for, which comes next where the words become searchable. */
    async setWords(userId: number, messageId: number, { text, reasoning }: { text: string; reasoning: string }) {
      return (await setWords.first(db, { userId, messageId, text, reasoning }))?.purpose ?? undefined;
    },
    /** All messages of a thread with all its branches, in the order of arrival, a page at a time. */
    async page(userId: number, threadId: number, afterPosition: number, limit: number) {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.thread_id', '=', threadId)
        .where('messages.position', '>', afterPosition)
        .orderBy('messages.position')
        .limit(limit)
        .execute();
      return { messages: await toKeptMessages(userId, rows), last: rows.at(-1)?.position };
    },
    /** The same of several threads at once, which have few. */
    async ofThreads(userId: number, threadIds: number[]): Promise<Map<number, KeptMessage[]>> {
      const rows = await selectMessages(db)
        .where(isOf(userId))
        .where('messages.thread_id', 'in', threadIds)
        .orderBy('messages.thread_id')
        .orderBy('messages.position')
        .execute();
      const kept = await toKeptMessages(userId, rows);
      const threadOf = new Map(rows.map((row) => [row.id, row.thread_id]));
      return Map.groupBy(kept, ({ id }) => threadOf.get(id) ?? 0);
    },
  };

  /** As it is taken along: without what says only where it stands in this installation. */
  async function toKeptMessages(userId: number, rows: Row[]): Promise<KeptMessage[]> {
    const files = await filesOf(userId, rows);
    return rows.map((row) => {
      const { threadId: _thread, run: _run, siblings: _siblings, together: _together, ...kept } = toMessage(row);
      const own = files.get(row.id) ?? [];
      return { ...kept, files: own.map(({ filename, size, kind, sha256 }) => ({ filename, size, kind, sha256 })) };
    });
  }

  function toMessage(row: Row): Message {
    const state = row.run_state ?? 'complete';
    return {
      id: row.id,
      threadId: row.thread_id,
      parentId: row.parent_id,
      role: row.role,
      text: row.text,
      reasoning: row.reasoning,
      state,
      run: row.run_id === null ? null : { id: row.run_id, state },
      model: row.run_model || null,
      usage: toUsage(row),
      error: row.run_error === null ? null : JSON.parse(row.run_error),
      notes: row.run_notes === null ? [] : JSON.parse(row.run_notes),
      files: [],
      sources: row.run_sources === null ? [] : JSON.parse(row.run_sources),
      rating: row.rated_at === null ? null : { value: row.rating_value, correction: row.correction },
      siblings: [],
      together: [],
      createdAt: row.created_at,
      finishedAt: row.run_finished_at,
    };
  }
}

export type MessageRepository = ReturnType<typeof messageRepository>;
