import type { Kysely } from 'kysely';
import { type ImportedConversation, type ImportedMessage, missingFileText } from '#server/conversation/imported';
import type { Database } from '#server/db/schema';
import { type Attachment, messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { type AssistantIds, importedAnswerRepository } from './answer-repository.ts';
import { importedThreadRepository, type KnownMessage, type NewMessage } from './repository.ts';

/** `first`: the position of the first of the messages. */
type Place = { userId: number; threadId: number; importId: number; first: number };
export type InsertedMessage = { id: number; depth: number; at: string };

/**
 * Answers with the same time count as requested together, so each gets a time of its own. A message without a time
 * has that of the one before it.
 */
function createClock(conversation: ImportedConversation, existing: KnownMessage[]) {
  const now = new Date().toISOString();
  const times = new Map(existing.map(({ sourceId, createdAt }) => [sourceId, createdAt]));
  const taken = new Set(conversation.messages.map(({ sourceId, parent }) => `${parent} ${times.get(sourceId)}`));
  return ({ parent, createdAt }: ImportedMessage, before: InsertedMessage | undefined): string => {
    let at = createdAt ?? before?.at ?? conversation.createdAt ?? now;
    while (taken.has(`${parent} ${at}`)) at = new Date(Date.parse(at) + 1).toISOString();
    taken.add(`${parent} ${at}`);
    return at;
  };
}

/** How a finished answer falls into events. */
const marksOf = ({ text, reasoning }: Pick<ImportedMessage, 'text' | 'reasoning'>) => ({
  marks: `${reasoning === '' ? '' : `r${reasoning.length}`}t${text.length}`,
  lastEvent: reasoning === '' ? 2 : 3,
});

/** The files of a message that are stored, each once. */
function filesOf({ files }: ImportedMessage, attachments: ReadonlyMap<string, Attachment>): Attachment[] {
  const found = files.flatMap(({ sourceId }) => attachments.get(sourceId) ?? []);
  return [...new Map(found.map((one) => [one.fileId, one])).values()];
}

type Row = NewMessage & { id: number; message: ImportedMessage; files: Attachment[] };

/** Runs with their models, ratings, files and words of messages that are inserted. */
async function insertParts(
  trx: Kysely<Database>,
  { userId, threadId }: Place,
  inserted: Row[],
  assistants: AssistantIds,
) {
  const rows = importedThreadRepository(trx);
  const words: { id: number; userId: number; text: string }[] = [];
  for (const { id, text, files } of inserted) {
    // A file that was deleted meanwhile is not attached.
    const attached = (await messageFileRepository(trx).attach(userId, id, files)) ? files : [];
    words.push({ id, userId, text: [...attached.map(({ filename }) => filename), text].join('\n') });
  }
  const runs = inserted.flatMap(({ id, message: { role, model, answer }, at, ...texts }) =>
    role === 'assistant' && (model !== null || answer)
      ? [{ messageId: id, model: model ?? '', ...marksOf(texts), at, answer }]
      : [],
  );
  const answers = importedAnswerRepository(trx);
  await answers.insert(userId, threadId, runs, assistants);
  const summaries = inserted.flatMap(({ id, message: { summary } }) =>
    summary ? [{ messageId: id, ...summary }] : [],
  );
  await answers.insertSummaries(userId, threadId, summaries);
  const ratings = inserted.flatMap(({ id, message: { rating } }) => (rating ? [{ messageId: id, ...rating }] : []));
  await rows.insertRatings(userId, ratings, new Date().toISOString());
  await searchRepository(trx).putAll('message_search', words);
}

/** Inserts the messages of a conversation that are not known, with what belongs to them. Returns where each is. */
export async function insertMessages(
  trx: Kysely<Database>,
  place: Place,
  {
    conversation,
    messages,
    existing,
    attachments,
    assistants,
  }: {
    conversation: ImportedConversation;
    messages: ImportedMessage[];
    existing: KnownMessage[];
    attachments: ReadonlyMap<string, Attachment>;
    assistants: AssistantIds;
  },
): Promise<Map<string, InsertedMessage>> {
  const rows = importedThreadRepository(trx);
  const { first, ...within } = place;
  const timeOf = createClock(conversation, existing);
  const placed = new Map<string, InsertedMessage>(
    existing.map(({ id, sourceId, depth, createdAt }) => [sourceId, { id, depth, at: createdAt }]),
  );
  const reserved = await rows.reserveIds(messages.length);
  const inserted: Row[] = [];
  for (const [index, message] of messages.entries()) {
    const before = message.parent === null ? undefined : placed.get(message.parent);
    const { sourceId, role, reasoning } = message;
    const files = filesOf(message, attachments);
    const text = message.text === '' && files.length === 0 && !message.answer ? missingFileText : message.text;
    const at = timeOf(message, before);
    const depth = before ? before.depth + 1 : 0;
    const row = {
      ...within,
      sourceId,
      parentId: before?.id ?? null,
      position: first + index,
      depth,
      role,
      text,
      reasoning,
      content:
        message.answer && message.answer.links.length > 0 ? JSON.stringify({ links: message.answer.links }) : null,
      at,
    };
    const id = reserved?.[index] ?? (await rows.insertMessage(row));
    inserted.push({ ...row, id, message, files });
    placed.set(sourceId, { id, depth, at });
  }
  if (reserved) await rows.insertReserved(within, inserted);
  await insertParts(trx, place, inserted, assistants);
  return placed;
}
