import type { BilledTool, UsageRequest } from '@roster/contracts/usage/usage';

export const toolNames: Record<BilledTool, string> = {
  file_search: 'File search',
  web_search: 'Web search',
  code_interpreter: 'Code interpreter',
  image_generation: 'Image generation',
};

type Assistant = { id: number; name: string | null } | null;

/** Name of the assistant; a chat may have none, or one deleted since. */
export const assistantName = (assistant: Assistant): string =>
  assistant === null ? 'No assistant' : (assistant.name ?? `Deleted assistant ${assistant.id}`);

/** Fine-tuning jobs have no chat target. */
export const answeredBy = ({ purpose, assistant }: Pick<UsageRequest, 'purpose' | 'assistant'>): string =>
  purpose === 'training' ? 'Fine-tuning' : assistantName(assistant);
