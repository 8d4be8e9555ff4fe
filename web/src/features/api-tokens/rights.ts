import type { TokenRight } from '@roster/contracts/api-tokens';

export const rightNames: Record<TokenRight, string> = { chat: 'Chat', assistants: 'Assistants', files: 'Files' };

export const rightHints: Record<TokenRight, string> = {
  chat: 'Ask your models and assistants, and hold conversations.',
  assistants: 'Create, change and delete your assistants.',
  files: 'Read, add and delete your files and vector stores.',
};
