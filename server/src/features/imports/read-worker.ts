import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { ImportedFile } from '#server/conversation/imported';
import type { ReadBatch, ReadTask } from './read-worker-client.ts';
import { type ReadConversation, UnreadableExportError } from './readers/conversation.ts';
import { readExport } from './readers/read-export.ts';

/** A batch is stored in one transaction, during which the event loop of a server with SQLite does nothing else. */
const conversationsAtOnce = 5;
const messagesAtOnce = 50;
/** Counting needs no texts, so more fit into a batch. */
const countedAtOnce = 500;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const { path, skip, isCounting }: ReadTask = workerData;

// Streamed answers go first. Only on Linux is this the priority of the thread; elsewhere it is that of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const withoutContent = ({ content: _content, ...file }: ImportedFile): ImportedFile => file;

function withoutTexts({ conversation, part, ...read }: ReadConversation): ReadConversation {
  if (part?.kind === 'assistant') return { ...read, conversation, part: { ...part, versions: [] } };
  if (part?.kind === 'project')
    return { ...read, conversation, part: { ...part, files: part.files.map(withoutContent) } };
  if (part) return { ...read, conversation, part };
  if (!conversation) return { ...read, conversation };
  const messages = conversation.messages.map(({ answer: _answer, summary: _summary, ...message }) => ({
    ...message,
    ...{ text: '', reasoning: '', rating: null },
  }));
  return { ...read, conversation: { ...conversation, messages } };
}

async function* batches(): AsyncGenerator<ReadConversation[]> {
  let batch: ReadConversation[] = [];
  let messages = 0;
  let position = 0;
  for await (const read of readExport(path)) {
    if (position++ < skip) continue;
    batch.push(isCounting ? withoutTexts(read) : read);
    messages += read.conversation?.messages.length ?? 0;
    const isFull = isCounting
      ? batch.length >= countedAtOnce || messages >= countedAtOnce * 10
      : batch.length >= conversationsAtOnce || messages >= messagesAtOnce;
    if (!isFull && !read.part) continue;
    yield batch;
    batch = [];
    messages = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A batch for each request, so that a fast reader does not fill the memory. */
async function serve() {
  const all = batches();
  const postBatch = (message: ReadBatch) => port?.postMessage(message);
  port?.on('message', async () => {
    try {
      const { done, value } = await all.next();
      postBatch(done ? { end: true } : { batch: value });
    } catch (error) {
      if (error instanceof UnreadableExportError) postBatch({ unreadable: error.message });
      else postBatch({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}

await serve();
