import type { BilledTool, UsageRequest } from '@roster/contracts/usage/usage';

export const toolNames: Record<BilledTool, string> = {
  file_search: 'File search',
  web_search: 'Web search',
  code_interpreter: 'Code interpreter',
  image_generation: 'Image generation',
};

type Assistant = { id: number; name: string | null } | null;

/** What to call the answerer: chats may have no assistant, or one that was deleted since. */
export const assistantName = (assistant: Assistant): string =>
  assistant === null ? 'No assistant' : (assistant.name ?? `Deleted assistant ${assistant.id}`);

/** A fine-tuning job is nobody's answer. */
export const answererOf = ({ purpose, assistant }: Pick<UsageRequest, 'purpose' | 'assistant'>): string =>
  purpose === 'training' ? 'Fine-tuning' : assistantName(assistant);
