import type { HttpClient } from './http-client.ts';
import { whenAvailable } from './until.ts';

/** A draft as the form sends it. */
export const draft = (more: Record<string, unknown> = {}) => ({ name: 'Tutor', model: 'gpt-4o', ...more });

/** Creates an assistant and returns its id. */
export async function createAssistant(visitor: HttpClient, more: Record<string, unknown> = {}): Promise<number> {
  const { status, body } = await whenAvailable(() => visitor.post('/api/assistants', draft(more)));
  if (status !== 201) throw new Error(`Not created: ${JSON.stringify(body)}`);
  return body.id;
}

export async function idsOf(visitor: HttpClient): Promise<number[]> {
  const { body } = await visitor.get('/api/assistants?limit=200');
  return body.map(({ id }: { id: number }) => id);
}

export async function defaultsOf(visitor: HttpClient): Promise<number[]> {
  const { body } = await visitor.get('/api/assistants?limit=200');
  return body.flatMap(({ id, isDefault }: { id: number; isDefault: boolean }) => (isDefault ? [id] : []));
}
