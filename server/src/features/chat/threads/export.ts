import { Readable } from 'node:stream';
import type { EndedEarly, Message } from '@roster/contracts/chat';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { appendFootnotes } from '@roster/contracts/text/numbered-links';
import type { ExportedMessage, MessageExportRepository } from '#server/features/chat/messages/export-repository';
import type { MessagePages } from '#server/features/chat/messages/pages';
import type { PartialAnswers } from '#server/features/chat/runs/events/partial-answers';
import type { BranchRepository } from '#server/features/chat/shared/branch-repository';
import type { MessageRepository } from '#server/features/chat/shared/message-repository';
import { type ExportedThread, toExportedThread } from '#server/features/chat/shared/thread';
import type { ThreadRecord } from '#server/features/chat/shared/thread-repository';

const atOnce = 200;

/** A file name that is valid on every system. */
function fileName(title: string, extension: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9 _-]/g, '')
    .trim()
    .replace(/\s+/g, '-')
    .slice(0, 60);
  return `${plain || 'conversation'}.${extension}`;
}

const endedEarly: Record<EndedEarly, string> = {
  length: 'reached the output limit',
  content_filter: 'ended by the provider’s content filter',
};

function inMarkdown(message: Message): string {
  const who = message.role === 'user' ? 'You' : `Assistant${message.model ? ` (${modelIdOf(message.model)})` : ''}`;
  const ended = message.endedEarly === null ? message.state : endedEarly[message.endedEarly];
  const state = message.role === 'assistant' && ended !== 'complete' ? `\n\n*(${ended})*` : '';
  const names = message.files.map(({ filename }) => filename).join(', ');
  const attached = names === '' ? '' : `\n\n*(${message.role === 'user' ? 'attached' : 'made'}: ${names})*`;
  const sources = message.sources.length === 0 ? '' : `\n\n*(sources: ${message.sources.join(', ')})*`;
  return `## ${who}, ${message.createdAt}\n\n${appendFootnotes(message.text, message.links)}${attached}${sources}${state}\n\n`;
}

type Dependencies = {
  pages: MessagePages;
  messages: Pick<MessageRepository, 'place'>;
  branches: Pick<BranchRepository, 'messages'>;
  exportedMessages: Pick<MessageExportRepository, 'page'>;
  partialAnswers: Pick<PartialAnswers, 'withWords'>;
};

/** Streams one thread as a file. */
export function conversationDownloads({ pages, messages, branches, exportedMessages, partialAnswers }: Dependencies) {
  /** The shown branch from the beginning, in pages. */
  async function* inPages(userId: number, thread: ThreadRecord) {
    yield `# ${thread.title}\n\n`;
    const end = await pages(userId, thread.id, { limit: 1 });
    const head = end.items.at(-1);
    if (!head) return;
    const place = await messages.place(userId, head.id);
    for (let from = 0; from <= (place?.depth ?? 0); from += atOnce) {
      const range = { threadId: thread.id, head: head.id, from, to: from + atOnce - 1 };
      for (const message of await partialAnswers.withWords(userId, await branches.messages(userId, range)))
        yield inMarkdown(message);
    }
  }

  return function download(userId: number, thread: ThreadRecord, format: 'md' | 'json') {
    const name = fileName(thread.title, format);
    // JSON contains all branches, linked by `parentId`.
    return format === 'json'
      ? {
          name,
          type: 'application/json; charset=utf-8',
          content: Readable.from(
            conversationText(
              toExportedThread(thread),
              pagesOf(userId, thread.id, { exportedMessages, partialAnswers }),
            ),
          ),
        }
      : { name, type: 'text/markdown; charset=utf-8', content: Readable.from(inPages(userId, thread)) };
  };
}

export type ConversationDownloads = ReturnType<typeof conversationDownloads>;

/** All messages of a thread in pages, partial answers included. */
export async function* pagesOf(
  userId: number,
  threadId: number,
  { exportedMessages, partialAnswers }: Pick<Dependencies, 'exportedMessages' | 'partialAnswers'>,
) {
  let after = 0;
  for (;;) {
    const page = await exportedMessages.page(userId, threadId, after, atOnce);
    yield await partialAnswers.withWords(userId, page.messages);
    if (page.last === undefined) return;
    after = page.last;
  }
}

/** A thread in Roster's export format (docs/user/export-format.md), in chunks. */
export async function* conversationText(
  thread: ExportedThread,
  pages: AsyncIterable<ExportedMessage[]> | Iterable<ExportedMessage[]>,
): AsyncGenerator<string> {
  yield `{"format":"roster.conversation","version":1,"thread":${JSON.stringify(thread)},"messages":[`;
  let separator = '\n';
  for await (const page of pages)
    for (const message of page) {
      yield `${separator}${JSON.stringify(toExported(message))}`;
      separator = ',\n';
    }
  yield '\n]}\n';
}

/** Drops the ids that are only valid in this installation. */
const toExported = ({ threadId: _thread, run: _run, ...exported }: ExportedMessage) => exported;
