import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

type ExportedMessage = {
  id: string;
  parent: string | null;
  role: string;
  text: string;
  at?: number;
  model?: string;
  /** Fields of the message's content and metadata. */
  content?: object;
  metadata?: object;
};

/** A conversation as ChatGPT exports it. */
export const exportedChat = (id: string, title: string | null, messages: ExportedMessage[], more: object = {}) => ({
  conversation_id: id,
  title,
  create_time: 1_700_000_000,
  update_time: 1_700_000_500,
  current_node: messages.at(-1)?.id,
  mapping: Object.fromEntries(
    messages.map(({ id: node, parent, role, text, at, model, content, metadata }, index) => [
      node,
      {
        id: node,
        parent,
        message: {
          id: node,
          author: { role },
          create_time: at ?? 1_700_000_000 + index,
          content: { content_type: 'text', parts: [text], ...content },
          metadata: { ...(model && { model_slug: model }), ...metadata },
        },
      },
    ]),
  ),
  ...more,
});

/** A question with its answer. */
export const exchange = (word: string): ExportedMessage[] => [
  { id: 'q', parent: null, role: 'user', text: `Question about ${word}` },
  { id: 'a', parent: 'q', role: 'assistant', text: `Answer about ${word}`, model: 'gpt-4o' },
];

/** An archive with these files: bytes, or values as JSON. */
export async function zipped(files: Record<string, unknown>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, value] of Object.entries(files))
    archive.addBuffer(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)), name);
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Writes an archive of any size to disk. */
export async function writeArchive(path: string, files: Record<string, Readable>) {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addReadStream(content, name);
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(path));
}
