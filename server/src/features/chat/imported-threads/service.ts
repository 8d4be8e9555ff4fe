import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type {
  ImportedConversation,
  ImportedFile,
  ImportedMessage,
  ImportedQueuedMessage,
} from '#server/conversation/imported';
import type { OpenDatabase } from '#server/db/connect';
import { shareLockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { FileStorage } from '#server/features/chat/generated-files/store';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import type { Attachment } from '#server/features/chat/shared/message-file-repository';
import { queuedMessageRepository } from '#server/features/chat/shared/queued-message-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { newTitle, openingTitle } from '#server/features/chat/shared/thread-title';
import type { AssistantIds } from './answer-repository.ts';
import { importedFileRepository } from './file-repository.ts';
import { type OpenFile, takeFiles, takeListed } from './files.ts';
import { type InsertedMessage, insertMessages } from './insert-messages.ts';
import { importRemovalRepository } from './removal-repository.ts';
import { importedThreadRepository } from './repository.ts';

/** The id of a conversation, unique for a person. */
const sourceIdOf = ({ source, sourceId }: Pick<ImportedConversation, 'source' | 'sourceId'>) => `${source}:${sourceId}`;

const firstQuestion = ({ messages }: ImportedConversation) =>
  messages.find(({ role }) => role === 'user')?.text ?? messages[0]?.text ?? '';

/** Some exports have messages that are older than their conversation. */
function beginningOf({ createdAt, messages }: ImportedConversation): string | null {
  const times = [createdAt, ...messages.map((message) => message.createdAt)].filter((time) => time !== null);
  return times.reduce<string | null>((first, time) => (first === null || time < first ? time : first), null);
}

async function insertThread(
  trx: Kysely<Database>,
  userId: number,
  importId: number,
  conversation: ImportedConversation,
  { now, projects, assistants }: { now: string; projects: AssistantIds; assistants: AssistantIds },
) {
  const { archived, pinned, createdAt, updatedAt } = conversation;
  const title = conversation.title ?? (openingTitle(firstQuestion(conversation)) || newTitle);
  const times = { createdAt: beginningOf(conversation) ?? now, updatedAt: updatedAt ?? createdAt ?? now };
  const isTitleChosen = conversation.title !== null;
  const sourceId = sourceIdOf(conversation);
  const { project, assistant, model = null } = conversation.place ?? {};
  const place = {
    projectId: projects.get(project ?? '') ?? null,
    assistantId: assistants.get(assistant ?? '') ?? null,
    model,
  };
  const thread = { importId, sourceId, title, isTitleChosen, archived, pinned, ...place, ...times };
  const id = await importedThreadRepository(trx).insertThread(userId, thread);
  await searchRepository(trx).putAll('thread_search', [{ id, userId, text: title }]);
  return { id, headMessageId: null, updatedAt: times.updatedAt };
}

const latestOf = (messages: ImportedMessage[], placed: Map<string, InsertedMessage>) =>
  messages.reduce(
    (latest, { sourceId }) => {
      const one = placed.get(sourceId);
      return one && (latest === undefined || one.at >= latest.at) ? one : latest;
    },
    undefined as InsertedMessage | undefined,
  );

/** Shows the branch that the export shows. A branch that the user has continued here stays. */
async function showBranch(
  trx: Kysely<Database>,
  { userId, threadId, shown, isNew }: { userId: number; threadId: number; shown: number | null; isNew: boolean },
  { head, at, updatedAt }: { head: InsertedMessage | undefined; at: string; updatedAt: string | null },
) {
  const rows = importedThreadRepository(trx);
  if (!head || (shown !== null && !(await rows.isImported(userId, shown)))) return;
  const end = await branchRepository(trx).newestEnd(head.id);
  const later = updatedAt !== null && updatedAt > at ? updatedAt : at;
  await rows.show(userId, threadId, end, isNew ? at : later);
}

/** Stores a conversation, or what is new of it. Call in a transaction. Returns what was stored. */
async function store(
  trx: Kysely<Database>,
  userId: number,
  importId: number,
  conversation: ImportedConversation,
  attachments: ReadonlyMap<string, Attachment>,
): Promise<{ threads: number; messages: number }> {
  const rows = importedThreadRepository(trx);
  const now = new Date().toISOString();
  const found = await rows.find(userId, sourceIdOf(conversation));
  // It stays as it was deleted, until its owner restores it or the trash is emptied.
  if (found && found.deletedAt !== null) return { threads: 0, messages: 0 };
  const { place, messages: all } = conversation;
  const named = [place?.assistant, ...all.map(({ answer }) => answer?.by?.assistant)].filter(
    (id) => typeof id === 'string',
  );
  const assistants = await rows.broughtIds('assistants', userId, [...new Set(named)]);
  const projects = await rows.broughtIds('projects', userId, place?.project ? [place.project] : []);
  const thread = found ?? (await insertThread(trx, userId, importId, conversation, { now, projects, assistants }));
  const existing = found ? await rows.messages(userId, found.id) : [];
  const knownIds = new Set(existing.map(({ sourceId }) => sourceId));
  const messages = conversation.messages.filter(({ sourceId }) => !knownIds.has(sourceId));
  if (messages.length === 0) return { threads: 0, messages: 0 };
  const taken = await threadRepository(trx).takePositions(userId, thread.id, messages.length);
  if (!taken) throw new Error('A thread of an import is gone');
  const to = { userId, threadId: thread.id, importId, first: taken.first };
  const placed = await insertMessages(trx, to, { conversation, messages, existing, attachments, assistants });
  const head = (conversation.head === null ? undefined : placed.get(conversation.head)) ?? latestOf(messages, placed);
  await showBranch(
    trx,
    { userId, threadId: thread.id, shown: thread.headMessageId, isNew: !found },
    { head, at: thread.updatedAt, updatedAt: conversation.updatedAt },
  );
  return { threads: found ? 0 : 1, messages: messages.length };
}

/** Queues a message of a conversation that this import has brought. It is held until its owner decides. */
async function queue(
  trx: Kysely<Database>,
  userId: number,
  importId: number,
  { conversation, text, models, createdAt, files }: ImportedQueuedMessage,
  attachments: ReadonlyMap<string, Attachment>,
) {
  const sourceId = sourceIdOf({ source: 'roster', sourceId: conversation });
  const found = await importedThreadRepository(trx).find(userId, sourceId);
  if (!found || found.importId !== importId || found.deletedAt !== null) return;
  const attached = files.flatMap(({ sourceId: id }) => attachments.get(id) ?? []);
  const key = { id: randomUUID(), digest: '' };
  const at = createdAt ?? new Date().toISOString();
  const message = { threadId: found.id, text, files: attached, models, overBudget: false, key, at };
  await queuedMessageRepository(trx).insert(userId, message);
  await queuedMessageRepository(trx).hold(userId, [found.id], 'stopped');
}

/** Few, because the event loop of a server with SQLite does nothing else meanwhile. */
const threadsAtOnce = 4;

/** Deletes some of what an import has brought. Returns true if there may be more. */
async function removeSome(db: Kysely<Database>, userId: number, importId: number): Promise<boolean> {
  const ids = await importRemovalRepository(db).untouched(userId, importId, threadsAtOnce);
  await db.transaction().execute(async (trx) => {
    await shareLockUser(trx, userId);
    for (const id of ids) await importRemovalRepository(trx).removeThread(userId, id);
  });
  return ids.length === threadsAtOnce;
}

async function removeAdded(db: Kysely<Database>, userId: number, importId: number) {
  for (let after = 0; ; ) {
    const ids = await importRemovalRepository(db).extended(userId, importId, after, threadsAtOnce);
    const last = ids.at(-1);
    if (last === undefined) return;
    for (const id of ids)
      await db.transaction().execute((trx) => importRemovalRepository(trx).removeAdded(userId, importId, id));
    after = last;
  }
}

/** Conversations from other products. They are ordinary threads that know what they were imported from. */
export const importedThreads = ({ db, store: bytes, files }: Pick<OpenDatabase, 'db'> & FileStorage) => ({
  knownFiles: (userId: number, ids: string[]) => importedFileRepository(db).importedIds(userId, ids),
  takeFiles: (to: { userId: number; importId: number }, conversation: ImportedConversation, open: OpenFile) =>
    takeFiles({ db, store: bytes, files }, to, { ...conversation, threadSourceId: sourceIdOf(conversation) }, open),
  takeListed: (to: { userId: number; importId: number }, listed: ImportedFile[], open: OpenFile) =>
    takeListed({ db, store: bytes, files }, to, listed, open),
  queue,
  countImported: (userId: number, ids: string[]) => importedThreadRepository(db).countImported(userId, ids),
  sourceIdOf,
  store,
  /** Keeps the search index in few parts: SQLite would merge a thousand of them at once, for seconds. */
  mergeSearch: () => searchRepository(db).merge(),
  removeSome: (userId: number, importId: number) => removeSome(db, userId, importId),
  removeAdded: (userId: number, importId: number) => removeAdded(db, userId, importId),
  countContinued: (userId: number, importId: number) => importRemovalRepository(db).countContinued(userId, importId),
});

export type ImportedThreads = ReturnType<typeof importedThreads>;
