import { ToolResources } from '@roster/contracts/public-api/assistants/tools';
import type { Kysely } from 'kysely';
import { addCodeFiles } from '#server/conversation/code-files';
import type { StoredContent } from '#server/conversation/content';
import { StoreChangedError } from '#server/conversation/errors';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { noSuchFile } from '#server/features/chat/shared/attachments';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import { type Attachment, messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { rejectActiveThread } from '#server/features/chat/shared/run-limits';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { newTitle, openingTitle } from '#server/features/chat/shared/thread-title';
import { apiThreadRepository, type Metadata } from './repository.ts';

/** A message to append without starting a run. */
export type ApiMessageDraft = {
  role: 'user' | 'assistant';
  text: string;
  content: StoredContent | null;
  metadata: Metadata | null;
  attached: Attachment[];
  /** Ids of its files for the code interpreter, in the API's format. */
  codeFiles: string[];
};

/** The vector store for a thread's attachments; `before`: the one the thread had when the request started. */
export type SearchedStore = { id: string; before: string | null };

/** Appends messages to the shown branch; call in a transaction. Returns their ids. @throws RunActiveError, StoreChangedError */
export async function appendMessages(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  drafts: ApiMessageDraft[],
  store: SearchedStore | null = null,
): Promise<number[]> {
  const at = new Date().toISOString();
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, drafts.length);
  if (!place) throw noThread();
  await rejectActiveThread(trx, userId, threadId);
  const { headMessageId, titleSource } = place.thread;
  const messages = messageRepository(trx);
  const search = searchRepository(trx);
  let parent = headMessageId === null ? undefined : await messages.place(userId, headMessageId);
  const ids: number[] = [];
  for (const [index, { role, text, content, metadata, attached }] of drafts.entries()) {
    const depth = parent ? parent.depth + 1 : 0;
    const parentId = parent?.id ?? null;
    const id = await messages.insert(userId, {
      ...{ threadId, parentId, position: place.first + index, depth, role, text, key: null, at },
      metadata: metadata && JSON.stringify(metadata),
      content: content && JSON.stringify(content),
    });
    if (id === undefined) throw new Error('A message without a client id was there already');
    if (!(await messageFileRepository(trx).attach(userId, id, attached))) throw noSuchFile();
    const filenames = attached.map(({ filename }) => filename);
    await search.putMessage(userId, id, text, filenames);
    parent = { id, threadId, parentId, depth, role };
    ids.push(id);
  }
  await keepCodeFiles(trx, userId, threadId, drafts);
  if (store) await keepStore(trx, userId, threadId, store);
  const opening = openingTitle(drafts[0]?.text ?? '');
  const title = titleSource === 'opening' && headMessageId === null && opening !== '' ? opening : undefined;
  await threads.showEnd(userId, threadId, { headMessageId: ids.at(-1), updatedAt: at, title });
  if (title !== undefined) await search.putTitle(userId, threadId, title);
  return ids;
}

/** Makes files available to the code interpreter. @throws AppError if there are too many */
async function keepCodeFiles(trx: Kysely<Database>, userId: number, threadId: number, drafts: ApiMessageDraft[]) {
  const files = drafts.flatMap(({ codeFiles }) => codeFiles);
  if (files.length === 0) return;
  const rows = apiThreadRepository(trx);
  const thread = await rows.thread(userId, threadId);
  const before = ToolResources.safeParse(thread?.toolResources).data ?? null;
  await rows.changeThread(userId, threadId, { toolResources: addCodeFiles(before, files) });
}

/** Call in a transaction that has locked the user. @throws StoreChangedError */
async function keepStore(trx: Kysely<Database>, userId: number, threadId: number, { id, before }: SearchedStore) {
  const rows = apiThreadRepository(trx);
  const resources = ToolResources.safeParse((await rows.thread(userId, threadId))?.toolResources).data ?? null;
  const [now = null] = resources?.file_search?.vector_store_ids ?? [];
  if (now === id) return;
  if (now !== before) throw new StoreChangedError();
  const toolResources = { ...resources, file_search: { vector_store_ids: [id] } };
  await rows.changeThread(userId, threadId, { toolResources });
}

/** Deletes one message with its run; call in a transaction. The others keep their order. @throws RunActiveError */
export async function deleteMessage(trx: Kysely<Database>, userId: number, threadId: number, messageId: number) {
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 0);
  if (!place) throw noThread();
  await rejectActiveThread(trx, userId, threadId);
  const message = await messageRepository(trx).place(userId, messageId);
  if (message?.threadId !== threadId) throw noMessage();
  const rows = apiThreadRepository(trx);
  await messageFileRepository(trx).releaseMessage(userId, messageId);
  await searchRepository(trx).forgetMessage(messageId);
  await rows.takeOut(userId, message);
  const beginning = message.parentId === null ? await rows.newestBeginning(userId, threadId) : undefined;
  if (message.parentId === null && place.thread.titleSource === 'opening') {
    // The title came from the deleted message.
    const title = openingTitle(beginning?.text ?? '') || newTitle;
    await threads.update(userId, threadId, { title });
    await searchRepository(trx).putTitle(userId, threadId, title);
  }
  if (place.thread.headMessageId !== messageId) return;
  // The new head continues the shown branch, so that no message becomes unreachable.
  const from = message.parentId ?? beginning?.id;
  const end = from === undefined ? null : await branchRepository(trx).newestEnd(from);
  await threads.showAnotherEnd(userId, threadId, end);
}
