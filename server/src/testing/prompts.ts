import type { Prompt, PromptDraft } from '@roster/contracts/prompts/prompts';
import type { HttpClient } from './http-client.ts';

/** Saves a prompt. */
export async function newPrompt(visitor: HttpClient, draft: Partial<PromptDraft> = {}): Promise<Prompt> {
  const all = { name: 'summary', title: 'Summary', text: 'Summarize {{topic}}', ...draft };
  const { status, body } = await visitor.post('/api/prompts', all);
  if (status !== 201) throw new Error(`No prompt: ${status} ${JSON.stringify(body)}`);
  return body;
}
