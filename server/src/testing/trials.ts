import type { HttpClient } from './http-client.ts';

/** Starts a trial of unsaved settings and returns its thread’s id. */
export async function newTrial(
  visitor: HttpClient,
  settings: Record<string, unknown> = {},
  assistantId: number | null = null,
): Promise<number> {
  const draft = { assistantId, settings: { model: 'gpt-4o', ...settings } };
  const { status, body } = await visitor.post('/api/assistants/trials', draft);
  if (status !== 201) throw new Error(`No trial: ${status} ${JSON.stringify(body)}`);
  return body.id;
}
