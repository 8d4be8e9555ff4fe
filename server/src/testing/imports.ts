import type { Import } from '@roster/contracts/imports';
import { form, ownForm } from './files.ts';
import type { HttpClient } from './http-client.ts';
import { bareRequest } from './test-environment.ts';
import { until } from './until.ts';

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
