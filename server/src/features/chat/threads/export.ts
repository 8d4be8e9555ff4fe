import { Readable } from 'node:stream';
import type { EndedEarly, Message } from '@roster/contracts/chat';
import { appendFootnotes } from '@roster/contracts/text/numbered-links';
import type { BranchRepository } from '#server/features/chat/messages/branch-repository';
import type { MessageExportRepository, MessageToKeep } from '#server/features/chat/messages/export-repository';
import type { MessagePages } from '#server/features/chat/messages/pages';
import type { MessageRepository } from '#server/features/chat/messages/repository';
import type { PartialAnswers } from '#server/features/chat/runs/partial-answers';
import type { ThreadRecord } from './repository.ts';
import { type ThreadToKeep, toKeptThread } from './thread.ts';

const atOnce = 200;

/** A file name that every system takes. */
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
  const who = message.role === 'user' ? 'You' : `Assistant${message.model ? ` (${message.model})` : ''}`;
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
  kept: Pick<MessageExportRepository, 'page'>;
  underWay: Pick<PartialAnswers, 'withWords'>;
};

/** One conversation as a file, read while it is sent. */
export function conversationDownloads({ pages, messages, branches, kept, underWay }: Dependencies) {
  /** The shown branch, from the beginning, a page at a time. */
  async function* inPages(userId: number, thread: ThreadRecord) {
    yield `# ${thread.title}\n\n`;
    const end = await pages(userId, thread.id, { limit: 1 });
    const head = end.items.at(-1);
    if (!head) return;
    const place = await messages.place(userId, head.id);
    for (let from = 0; from <= (place?.depth ?? 0); from += atOnce) {
      const range = { threadId: thread.id, head: head.id, from, to: from + atOnce - 1 };
      for (const message of await underWay.withWords(userId, await branches.messages(userId, range)))
        yield inMarkdown(message);
    }
  }

  return function download(userId: number, thread: ThreadRecord, format: 'md' | 'json') {
    const name = fileName(thread.title, format);
    // JSON has all branches; `parentId` says how they hang together.
    return format === 'json'
      ? {
          name,
          type: 'application/json; charset=utf-8',
          content: Readable.from(
            conversationText(toKeptThread(thread), pagesOf(userId, thread.id, { kept, underWay })),
          ),
        }
      : { name, type: 'text/markdown; charset=utf-8', content: Readable.from(inPages(userId, thread)) };
  };
}

export type ConversationDownloads = ReturnType<typeof conversationDownloads>;

/** All messages of a conversation, a page at a time, with what has arrived of those that are being written. */
export async function* pagesOf(
  userId: number,
  threadId: number,
  { kept, underWay }: Pick<Dependencies, 'kept' | 'underWay'>,
) {
  let after = 0;
  for (;;) {
    const page = await kept.page(userId, threadId, after, atOnce);
    yield await underWay.withWords(userId, page.messages);
    if (page.last === undefined) return;
    after = page.last;
  }
}

/** A conversation in Roster's own form, in pieces; docs/user/export-format.md describes it. */
export async function* conversationText(
  thread: ThreadToKeep,
  pages: AsyncIterable<MessageToKeep[]> | Iterable<MessageToKeep[]>,
): AsyncGenerator<string> {
  yield `{"format":"roster.conversation","version":1,"thread":${JSON.stringify(thread)},"messages":[`;
  let separator = '\n';
  for await (const page of pages)
    for (const message of page) {
      yield `${separator}${JSON.stringify(toKept(message))}`;
      separator = ',\n';
    }
  yield '\n]}\n';
}

/** As it is taken along: without what says only where it stands in this installation. */
const toKept = ({ threadId: _thread, run: _run, ...kept }: MessageToKeep) => kept;
