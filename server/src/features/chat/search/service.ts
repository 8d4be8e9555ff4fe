import type { OpenDatabase } from '#server/db/connect';
import type { PartialAnswers } from '#server/features/chat/runs/events/partial-answers';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { hasFilters, idsFulfilling } from '#server/features/chat/shared/thread-filter-repository';
import { type ThreadRecord, threadRepository } from '#server/features/chat/shared/thread-repository';
import type { SearchOptions } from './result-page-repository.ts';
import { type FoundThread, findThreads } from './threads-repository.ts';
import { besideMessage, hasWords, isMatch, searchQueryOf } from './tokenize.ts';

/** Searches titles and messages, the answers of open runs included. */
export function threadSearch(
  { db, reader }: Pick<OpenDatabase, 'db' | 'reader'>,
  partialAnswers: Pick<PartialAnswers, 'logOf'>,
) {
  /** Active answers are not indexed yet, so their text is scanned. */
  async function beingWritten(
    userId: number,
    q: string,
    { archived, programs, filters = {} }: SearchOptions,
  ): Promise<FoundThread[]> {
    const query = searchQueryOf(q);
    if (query.anywhere.phrases.length === 0) return [];
    const found: FoundThread[] = [];
    for (const { id, threadId, messageId } of await runRepository(db).inProgress(userId)) {
      const text = (await partialAnswers.logOf(id))?.text ?? '';
      const thread = isMatch(text, query.anywhere) ? await threadRepository(db).find(userId, threadId) : undefined;
      // A temporary thread is in no search.
      if (thread?.expiresAt !== null || !isMatch(thread.title, besideMessage(query))) continue;
      if (fits(archived, thread.archived) && fits(programs, thread.madeBy !== null))
        found.push({ thread, match: { messageId, text } });
    }
    if (!hasFilters(filters)) return found;
    const ids = found.map(({ thread }) => thread.id);
    const fulfilling = await idsFulfilling(db, userId, ids, filters);
    return found.filter(({ thread }) => fulfilling.has(thread.id));
  }

  /** For a query of exclusions alone: without the threads whose answer contains them already while it is written. */
  async function withoutExcluded(userId: number, q: string, found: FoundThread[]): Promise<FoundThread[]> {
    const { anywhere } = searchQueryOf(q);
    const excluded = new Set<number>();
    for (const { id, threadId } of await runRepository(db).inProgress(userId))
      if (!isMatch((await partialAnswers.logOf(id))?.text ?? '', anywhere)) excluded.add(threadId);
    return found.filter(({ thread }) => !excluded.has(thread.id));
  }

  return async function search(userId: number, q: string, options: SearchOptions): Promise<FoundThread[]> {
    const found = await findThreads(reader, userId, q, options);
    if (!hasWords(searchQueryOf(q))) return withoutExcluded(userId, q, found);
    if (options.after) return found;
    const listed = new Set(found.map(({ thread }) => thread.id));
    for (const one of await beingWritten(userId, q, options)) {
      if (listed.has(one.thread.id)) continue;
      listed.add(one.thread.id);
      found.push(one);
    }
    return found.sort((a, b) => inOrderOfList(a.thread, b.thread));
  };
}

export type ThreadSearch = ReturnType<typeof threadSearch>;

const fits = (wanted: boolean | undefined, is: boolean) => wanted === undefined || wanted === is;

/** Pinned threads first, then the newest. */
const inOrderOfList = (a: ThreadRecord, b: ThreadRecord) =>
  Number(b.pinned) - Number(a.pinned) || compare(b.updatedAt, a.updatedAt) || b.id - a.id;
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
