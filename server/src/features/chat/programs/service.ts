import type { Kysely } from 'kysely';
import { codeFilesOf, fileIdsOf } from '#server/conversation/content';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { AttachmentReader } from '#server/features/chat/messages/attachments';
import type { Attachment } from '#server/features/chat/messages/file-repository';
import { noMessage, noThread } from '#server/features/chat/not-found';
import { searchRepository } from '#server/features/chat/search/repository';
import { threadRepository } from '#server/features/chat/threads/repository';
import { newTitle } from '#server/features/chat/threads/titles';
import { AppError } from '#server/lib/errors';
import { appendMessages, deleteMessage, type ProgramDraft, type SearchedStore } from './messages.ts';
import {
  type MessagePage,
  type Metadata,
  type ProgramMessage,
  type ProgramThread,
  programRepository,
} from './repository.ts';

/** A program that changes something: whose, with which token; and whether it still may, asked in the transaction. */
export type Writer = { userId: number; tokenId: number; stillMay: (trx: Kysely<Database>) => Promise<void> };

/** As it comes from a program: its files are not looked at yet. */
export type NewMessage = Omit<ProgramDraft, 'attached'>;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  attachments: Pick<AttachmentReader, 'inspect'>;
  removeThread: (userId: number, threadId: number) => Promise<void>;
};

/** @throws where one of their files cannot go to a model, before anything is stored */
const inspected = (
  attachments: Dependencies['attachments'],
  userId: number,
  messages: NewMessage[],
): Promise<ProgramDraft[]> =>
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
  { stillMay }: Writer,
  work: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await stillMay(trx);
    return work(trx);
  });

type NewThread = { metadata: Metadata | null; toolResources: unknown; messages: NewMessage[] };

function programThreads({ database: { db }, attachments, removeThread }: Dependencies) {
  /** What makes a conversation, in a transaction. The files of its messages are looked at now. */
  async function makingThread({ userId, tokenId }: Writer, given: NewThread) {
    const drafts = await inspected(attachments, userId, given.messages);
    return async (trx: Kysely<Database>): Promise<ProgramThread> => {
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
    thread: (userId: number, threadId: number): Promise<ProgramThread> => own(db, userId, threadId),
    async createThread(writer: Writer, given: NewThread): Promise<ProgramThread> {
      return inTransaction(db, writer, await makingThread(writer, given));
    },
    changeThread: (
      writer: Writer,
      threadId: number,
      changes: { metadata?: Metadata | null | undefined; toolResources?: unknown },
    ): Promise<ProgramThread> =>
      inTransaction(db, writer, async (trx) => {
        if (!(await programRepository(trx).changeThread(writer.userId, threadId, changes))) throw noThread();
        return own(trx, writer.userId, threadId);
      }),
    removeThread,
  };
}

function programMessages({ database: { db }, attachments }: Dependencies) {
  return {
    /** A page of the shown branch. */
    async messages(userId: number, threadId: number, page: MessagePage): Promise<ProgramMessage[]> {
      const { head } = await own(db, userId, threadId);
      return head === null ? [] : programRepository(db).page(userId, { threadId, head }, page);
    },
    /** Whether it stands in another conversation. One that was deleted stands nowhere. */
    async isElsewhere(userId: number, threadId: number, messageId: number): Promise<boolean> {
      await own(db, userId, threadId);
      return programRepository(db).isElsewhere(userId, threadId, messageId);
    },
    async message(userId: number, threadId: number, messageId: number): Promise<ProgramMessage> {
      await own(db, userId, threadId);
      return ownMessage(db, userId, threadId, messageId);
    },
    /** At the end of the shown branch. */
    async addMessage(
      writer: Writer,
      threadId: number,
      message: NewMessage,
      store: SearchedStore | null = null,
    ): Promise<ProgramMessage> {
      await own(db, writer.userId, threadId);
      const drafts = await inspected(attachments, writer.userId, [message]);
      return inTransaction(db, writer, async (trx) => {
        // A side question is no conversation that anybody adds to.
        await own(trx, writer.userId, threadId);
        const [id = 0] = await appendMessages(trx, writer.userId, threadId, drafts, store);
        return ownMessage(trx, writer.userId, threadId, id);
      });
    },
    /** What adds these at the end of the shown branch, in a transaction. Their files are looked at now. */
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
        if (metadata !== undefined) await programRepository(trx).changeMessage(userId, threadId, messageId, metadata);
        return ownMessage(trx, userId, threadId, messageId);
      }),
    removeMessage: (writer: Writer, threadId: number, messageId: number) =>
      inTransaction(db, writer, async (trx) => {
        await own(trx, writer.userId, threadId);
        await deleteMessage(trx, writer.userId, threadId, messageId);
      }),
  };
}

/** Conversations and messages that programs make, without starting an answer. */
export const programConversations = (dependencies: Dependencies) => ({
  ...programThreads(dependencies),
  ...programMessages(dependencies),
});

export type ProgramConversations = ReturnType<typeof programConversations>;

function refuseOtherImages({ content }: NewMessage, attached: Attachment[]) {
  const images = new Set(content?.parts?.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])));
  const other = attached.find(({ fileId, kind }) => images.has(fileId) && kind !== 'image');
  if (!other) return;
  const message = `“${other.filename}” is no image. Images (PNG, JPEG, WebP, GIF) can stand in a message; other files are attached to it.`;
  throw new AppError('invalid_input', message, { fields: { content: message } });
}

async function own(db: Kysely<Database>, userId: number, threadId: number) {
  const thread = await programRepository(db).thread(userId, threadId);
  if (!thread) throw noThread();
  return thread;
}

async function ownMessage(db: Kysely<Database>, userId: number, threadId: number, messageId: number) {
  const message = await programRepository(db).message(userId, threadId, messageId);
  if (!message) throw noMessage();
  return message;
}
