import type { Import } from '@roster/contracts/imports';
import { ZipFile } from 'yazl';
import { form, ownForm } from './files.ts';
import type { HttpClient } from './http-client.ts';
import { bareRequest } from './test-environment.ts';
import { until } from './until.ts';

type Said = { id: string; parent: string | null; role: string; text: string; at?: number; model?: string };

/** A conversation as ChatGPT exports it. */
export const exportedChat = (id: string, title: string | null, said: Said[], more: object = {}) => ({
  conversation_id: id,
  title,
  create_time: 1_700_000_000,
  update_time: 1_700_000_500,
  current_node: said.at(-1)?.id,
  mapping: Object.fromEntries(
    said.map(({ id: node, parent, role, text, at, model }, index) => [
      node,
      {
        id: node,
        parent,
        message: {
          id: node,
          author: { role },
          create_time: at ?? 1_700_000_000 + index,
          content: { content_type: 'text', parts: [text] },
          metadata: model ? { model_slug: model } : {},
        },
      },
    ]),
  ),
  ...more,
});

/** A question with its answer. */
export const exchange = (word: string): Said[] => [
  { id: 'q', parent: null, role: 'user', text: `Question about ${word}` },
  { id: 'a', parent: 'q', role: 'assistant', text: `Answer about ${word}`, model: 'gpt-4o' },
];

/** An archive with these files, as JSON. */
export async function zipped(files: Record<string, unknown>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, value] of Object.entries(files)) archive.addBuffer(Buffer.from(JSON.stringify(value)), name);
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

export const uploadExport = (
  app: { url: string },
  visitor: HttpClient,
  content: Buffer | string,
  filename = 'export.zip',
) => bareRequest(app, 'POST', '/api/imports', ownForm(visitor), form([{ name: 'file', filename, content }]));

export const untilImport = (visitor: HttpClient, id: number, states: Import['state'][]): Promise<Import> =>
  until(`An import that is ${states.join(' or ')}`, async () => {
    const { body } = await visitor.get(`/api/imports/${id}`);
    return states.includes(body.state) && body;
  });

/** Uploads an export, and waits until it has been read. */
export async function readImport(
  app: { url: string },
  visitor: HttpClient,
  content: Buffer | string,
  filename?: string,
): Promise<Import> {
  const { status, body, text } = await uploadExport(app, visitor, content, filename);
  if (status !== 201) throw new Error(`Not uploaded: ${status} ${text}`);
  return untilImport(visitor, body.id, ['ready', 'failed']);
}

/** Imports an export to its end. */
export async function imported(app: { url: string }, visitor: HttpClient, content: Buffer | string): Promise<Import> {
  const { id } = await readImport(app, visitor, content);
  const { status, body } = await visitor.post(`/api/imports/${id}/start`);
  if (status !== 202) throw new Error(`Not started: ${status} ${JSON.stringify(body)}`);
  return untilImport(visitor, id, ['done', 'failed']);
}
