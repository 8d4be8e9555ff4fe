import type { ResponseState } from '@roster/contracts/public-api/responses';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { NumberedPage } from '#server/features/public-api/shared/list';
import type { StoredItem } from './items.ts';

type NewResponse = {
  userId: number;
  tokenId: number;
  assistantId: number | null;
  model: string;
  previousId: number | null;
  state: ResponseState;
  isBackground: boolean;
  /** JSON. */
  fields: string;
  callId: number;
  input: StoredItem[];
  expiresAt: string;
};
type ResponseEnd = { state: ResponseState; fields: string; error: string | null; output: StoredItem[] };

type StoredResponse = {
  id: number;
  state: ResponseState;
  isBackground: boolean;
  fields: string;
  error: string | null;
};
type ChainLink = { id: number; previousId: number | null; state: ResponseState; bytes: number };

type Direction = 'in' | 'out';

const rowsAtOnce = 1_000;
/** Bytes of the smallest response: its row and its index entries. */
const leastBytes = 2_048;
const expiredAtOnce = 500;

const now = () => new Date().toISOString();

/** Stored responses. An item is stored as the JSON that clients receive. */
export function responseRepository(db: Kysely<Database>) {
  async function insertItems(userId: number, responseId: number, direction: Direction, items: StoredItem[]) {
    let bytes = 0;
    for (let at = 0; at < items.length; at += rowsAtOnce) {
      const rows = items.slice(at, at + rowsAtOnce).map((one) => {
        const item = JSON.stringify(one);
        bytes += Buffer.byteLength(item);
        return { user_id: userId, response_id: responseId, direction, item_id: one.id, item };
      });
      await db.insertInto('response_items').values(rows).execute();
    }
    return bytes;
  }

  const grow = (id: number, bytes: number) =>
    db
      .updateTable('responses')
      .set(({ eb }) => ({ bytes: eb('bytes', '+', bytes) }))
      .where('id', '=', id)
      .execute();

  const kept = (userId: number) =>
    db.selectFrom('responses').where('user_id', '=', userId).where('expires_at', '>', now());

  return {
    /** Call in a transaction. */
    async insert(response: NewResponse): Promise<number> {
      const { userId, tokenId, assistantId, model, previousId, state, isBackground, fields, callId } = response;
      const { id } = await db
        .insertInto('responses')
        .values({
          user_id: userId,
          access_token_id: tokenId,
          assistant_id: assistantId,
          model,
          previous_id: previousId,
          state,
          background: isBackground ? 1 : 0,
          fields,
          error: null,
          bytes: Buffer.byteLength(fields),
          call_id: callId,
          cancel_requested_at: null,
          created_at: now(),
          expires_at: response.expiresAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await grow(id, await insertItems(userId, id, 'in', response.input));
      return id;
    },
    /** Call in the transaction that records the cost. A response deleted meanwhile stays deleted. */
    async end(userId: number, id: number, { state, fields, error, output }: ResponseEnd) {
      const ended = await db
        .updateTable('responses')
        .set({ state, fields, error, call_id: null })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('call_id', 'is not', null)
        .returning('id')
        .executeTakeFirst();
      if (ended) await grow(id, await insertItems(userId, id, 'out', output));
    },
    /** Another call answers it; call in its transaction. Returns false if it was cancelled, deleted or has ended. */
    async askedAgain(userId: number, id: number, { callId, fields }: { callId: number; fields: string }) {
      const { numUpdatedRows } = await db
        .updateTable('responses')
        .set({ call_id: callId, fields })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('call_id', 'is not', null)
        .where('cancel_requested_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Fails the response of an abandoned call. */
    async fail(callId: number, error: string) {
      await db
        .updateTable('responses')
        .set({ state: 'failed', error, call_id: null })
        .where('call_id', '=', callId)
        .execute();
    },
    async started(userId: number, id: number) {
      await db
        .updateTable('responses')
        .set({ state: 'in_progress' })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('state', '=', 'queued')
        .execute();
    },
    async find(userId: number, id: number): Promise<StoredResponse | undefined> {
      const row = await kept(userId)
        .select(['id', 'state', 'background', 'fields', 'error'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row && { ...row, isBackground: row.background === 1 };
    },
    /** Returns false if there is none. */
    async remove(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('responses')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /**
     * A response and those it continues, the last one first, until a limit is exceeded. Includes expired responses,
     * because a response that others continue is kept.
     */
    async chain(userId: number, lastId: number, atMost: { links: number; bytes: number }): Promise<ChainLink[]> {
      const links = await db
        .withRecursive('chain(id, previous_id, state, bytes, depth, total)', (chain) =>
          chain
            .selectFrom('responses')
            .select(['id', 'previous_id', 'state', 'bytes', sql<number>`1`.as('depth'), 'bytes as total'])
            .where('user_id', '=', userId)
            .where('id', '=', lastId)
            .where('expires_at', '>', now())
            .unionAll(
              chain
                .selectFrom('responses')
                .innerJoin('chain', 'chain.previous_id', 'responses.id')
                .select(({ eb }) => [
                  'responses.id',
                  'responses.previous_id',
                  'responses.state',
                  'responses.bytes',
                  eb('chain.depth', '+', 1).as('depth'),
                  eb('chain.total', '+', eb.ref('responses.bytes')).as('total'),
                ])
                .where('responses.user_id', '=', userId)
                .where('chain.depth', '<=', atMost.links)
                .where('chain.total', '<=', atMost.bytes),
            ),
        )
        .selectFrom('chain')
        .select(['id', 'previous_id as previousId', 'state', 'bytes'])
        .orderBy('depth')
        .execute();
      return links;
    },
    /** Items as JSON, in order within each response. */
    async items(userId: number, responseIds: number[], direction?: Direction) {
      if (responseIds.length === 0) return [];
      return db
        .selectFrom('response_items')
        .select(['response_id as responseId', 'direction', 'item'])
        .where('user_id', '=', userId)
        .where('response_id', 'in', responseIds)
        .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? 'in'))
        .orderBy('response_id')
        .orderBy('direction')
        .orderBy('id')
        .execute();
    },
    async inputPage(userId: number, responseId: number, { limit, order, after, before }: NumberedPage) {
      const [beyond, short] = order === 'asc' ? (['>', '<'] as const) : (['<', '>'] as const);
      return db
        .selectFrom('response_items')
        .select('item')
        .where('user_id', '=', userId)
        .where('response_id', '=', responseId)
        .where('direction', '=', 'in')
        .$if(after !== null, (query) => query.where('id', beyond, after))
        .$if(before !== null, (query) => query.where('id', short, before))
        .orderBy('id', order)
        .limit(limit + 1)
        .execute();
    },
    /** Items with these names, the newest last; of one response if it is given. */
    async named(userId: number, names: string[], responseId?: number) {
      if (names.length === 0) return [];
      return db
        .selectFrom('response_items')
        .innerJoin('responses', 'responses.id', 'response_items.response_id')
        .select(['response_items.id', 'response_items.item_id as name', 'response_items.item'])
        .where('response_items.user_id', '=', userId)
        .where('response_items.item_id', 'in', names)
        .where('responses.expires_at', '>', now())
        .$if(responseId !== undefined, (query) => query.where('response_items.response_id', '=', responseId ?? 0))
        .orderBy('response_items.id')
        .execute();
    },
    /** Which of these names belong to stored items. */
    async existing(userId: number, names: string[]): Promise<Set<string>> {
      if (names.length === 0) return new Set();
      const rows = await db
        .selectFrom('response_items')
        .select('item_id as name')
        .distinct()
        .where('user_id', '=', userId)
        .where('item_id', 'in', names)
        .execute();
      return new Set(rows.map(({ name }) => name));
    },
    /** Bytes that a user's responses take; runs on the reader. */
    async takes(userId: number): Promise<number> {
      const { total } = await db
        .selectFrom('responses')
        .select(sql<number | null>`sum(case when bytes < ${leastBytes} then ${leastBytes} else bytes end)`.as('total'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(total ?? 0);
    },
    /** Returns false if it is not being written in the background. */
    async requestCancel(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('responses')
        .set({ cancel_requested_at: now() })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('background', '=', 1)
        .where('call_id', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Which of these active responses are to continue. */
    async wanted(ids: number[]): Promise<Set<number>> {
      const rows = await db
        .selectFrom('responses')
        .select('id')
        .where('id', 'in', ids)
        .where('cancel_requested_at', 'is', null)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Deletes expired responses that no other one continues. */
    async forgetExpired() {
      for (;;) {
        const expired = db
          .selectFrom('responses as old')
          .select('old.id')
          .where('old.expires_at', '<=', now())
          .where('old.call_id', 'is', null)
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('responses as next').select('next.id').whereRef('next.previous_id', '=', 'old.id'))),
          )
          .orderBy('old.id', 'desc')
          .limit(expiredAtOnce);
        const { numDeletedRows } = await db.deleteFrom('responses').where('id', 'in', expired).executeTakeFirst();
        if (numDeletedRows === 0n) return;
      }
    },
    /** For the data export: a batch after an id. */
    async page(userId: number, after: number, limit: number) {
      return db
        .selectFrom('responses')
        .selectAll()
        .where('user_id', '=', userId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
    },
  };
}

export type ResponseRepository = ReturnType<typeof responseRepository>;
