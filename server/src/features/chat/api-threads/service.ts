import type { Kysely } from 'kysely';
import { codeFilesOf, fileIdsOf } from '#server/conversation/content';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { AttachmentReader } from '#server/features/chat/shared/attachments';
import type { Attachment } from '#server/features/chat/shared/message-file-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { deleteThread, stopRunsOf } from '#server/features/chat/shared/remove-thread';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { newTitle } from '#server/features/chat/shared/thread-title';
import { AppError } from '#server/lib/errors';
import { type ApiMessageDraft, appendMessages, deleteMessage, type SearchedStore } from './messages.ts';
import { type ApiMessage, type ApiThread, apiThreadRepository, type MessagePage, type Metadata } from './repository.ts';

/** An API client that writes; `recheckAccess` checks in the transaction that it is still allowed to. */
type Writer = { userId: number; tokenId: number; recheckAccess: (trx: Kysely<Database>) => Promise<void> };

/** A message whose files have not been checked yet. */
export type NewMessage = Omit<ApiMessageDraft, 'attached'>;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  attachments: Pick<AttachmentReader, 'inspect'>;
  executor: Pick<RunExecutor, 'stop'>;
};

/** Call before storing anything. @throws AppError if a file cannot be sent to a model */
const inspected = (
  attachments: Dependencies['attachments'],
  userId: number,
  messages: NewMessage[],
): Promise<ApiMessageDraft[]> =>
  Promise.all(
    messages.map(async (message) => {
      const content = message.content ?? {};
      const attached = await attachments.inspect(userId, fileIdsOf(content), codeFilesOf(content));
      refuseOtherImages(message, attached);
      return { ...message, attached };
    }),
  );

const inTransaction = <T>(
  db: Kysely<Database>,
  { recheckAccess }: Writer,
  work: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    return work(trx);
  });

type NewThread = { metadata: Metadata | null; toolResources: unknown; messages: NewMessage[] };

function threadCalls({ database: { db }, attachments, executor }: Dependencies) {
  /** Checks the files now; returns a function that creates the thread in a transaction. */
  async function makingThread({ userId, tokenId }: Writer, given: NewThread) {
    const drafts = await inspected(attachments, userId, given.messages);
    return async (trx: Kysely<Database>): Promise<ApiThread> => {
      const { id } = await threadRepository(trx).insert(
        userId,
        { title: newTitle, titleSource: 'opening', assistantId: null, model: null, at: new Date().toISOString() },
        {
          accessTokenId: tokenId,
          metadata: given.metadata && JSON.stringify(given.metadata),
          toolResources: given.toolResources === null ? null : JSON.stringify(given.toolResources),
        },
      );
      await searchRepository(trx).putTitle(userId, id, newTitle);
      if (drafts.length > 0) await appendMessages(trx, userId, id, drafts);
      return own(trx, userId, id);
    };
  }

  return {
    makingThread,
    thread: (userId: number, threadId: number): Promise<ApiThread> => own(db, userId, threadId),
    async createThread(writer: Writer, given: NewThread): Promise<ApiThread> {
      return inTransaction(db, writer, await makingThread(writer, given));
    },
    changeThread: (
      writer: Writer,
      threadId: number,
      changes: { metadata?: Metadata | null | undefined; toolResources?: unknown },
    ): Promise<ApiThread> =>
      inTransaction(db, writer, async (trx) => {
        if (!(await apiThreadRepository(trx).changeThread(writer.userId, threadId, changes))) throw noThread();
        return own(trx, writer.userId, threadId);
      }),
    /** For good: clients do not see the trash. */
    async removeThread(userId: number, threadId: number) {
      await own(db, userId, threadId);
      await stopRunsOf(db, executor, userId, [threadId]);
      if (!(await deleteThread(db, userId, threadId))) throw noThread();
    },
  };
}

function messageCalls({ database: { db }, attachments }: Dependencies) {
  return {
    async messages(userId: number, threadId: number, page: MessagePage): Promise<ApiMessage[]> {
      const { head } = await own(db, userId, threadId);
      return head === null ? [] : apiThreadRepository(db).page(userId, { threadId, head }, page);
    },
    /** True if the message is in another thread. false for a deleted one. */
    async isElsewhere(userId: number, threadId: number, messageId: number): Promise<boolean> {
      await own(db, userId, threadId);
      return apiThreadRepository(db).isElsewhere(userId, threadId, messageId);
    },
    async message(userId: number, threadId: number, messageId: number): Promise<ApiMessage> {
      await own(db, userId, threadId);
      return ownMessage(db, userId, threadId, messageId);
    },
    /** Appends to the shown branch. */
    async addMessage(
      writer: Writer,
      threadId: number,
      message: NewMessage,
      store: SearchedStore | null = null,
    ): Promise<ApiMessage> {
      await own(db, writer.userId, threadId);
      const drafts = await inspected(attachments, writer.userId, [message]);
      return inTransaction(db, writer, async (trx) => {
        // Checked again in the transaction; internal threads are rejected too.
        await own(trx, writer.userId, threadId);
        const [id = 0] = await appendMessages(trx, writer.userId, threadId, drafts, store);
        return ownMessage(trx, writer.userId, threadId, id);
      });
    },
    /** Checks the files now; returns a function that appends the messages in a transaction. */
    async appending(userId: number, threadId: number, messages: NewMessage[], store: SearchedStore | null = null) {
      const drafts = await inspected(attachments, userId, messages);
      return async (trx: Kysely<Database>) => {
        if (drafts.length > 0) await appendMessages(trx, userId, threadId, drafts, store);
        return threadId;
      };
    },
    changeMessage: (writer: Writer, threadId: number, messageId: number, metadata: Metadata | null | undefined) =>
      inTransaction(db, writer, async (trx) => {
        const { userId } = writer;
        await own(trx, userId, threadId);
        if (metadata !== undefined) await apiThreadRepository(trx).changeMessage(userId, threadId, messageId, metadata);
        return ownMessage(trx, userId, threadId, messageId);
      }),
    removeMessage: (writer: Writer, threadId: number, messageId: number) =>
      inTransaction(db, writer, async (trx) => {
        await own(trx, writer.userId, threadId);
        await deleteMessage(trx, writer.userId, threadId, messageId);
      }),
  };
}

/** Threads and messages of API clients. Nothing here starts a run. */
export const apiThreads = (dependencies: Dependencies) => ({
  ...threadCalls(dependencies),
  ...messageCalls(dependencies),
});

export type ApiThreads = ReturnType<typeof apiThreads>;

function refuseOtherImages({ content }: NewMessage, attached: Attachment[]) {
  const images = new Set(content?.parts?.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])));
  const other = attached.find(({ fileId, kind }) => images.has(fileId) && kind !== 'image');
  if (!other) return;
  const message = `“${other.filename}” is not an image. Only images (PNG, JPEG, WebP, GIF) can be message content; attach other files instead.`;
  throw new AppError('invalid_input', message, { fields: { content: message } });
}

async function own(db: Kysely<Database>, userId: number, threadId: number) {
  const thread = await apiThreadRepository(db).thread(userId, threadId);
  if (!thread) throw noThread();
  return thread;
}

async function ownMessage(db: Kysely<Database>, userId: number, threadId: number, messageId: number) {
  const message = await apiThreadRepository(db).message(userId, threadId, messageId);
  if (!message) throw noMessage();
  return message;
}
