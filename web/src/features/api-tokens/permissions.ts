import type { TokenPermission } from '@roster/contracts/api-tokens';

export const permissionNames: Record<TokenPermission, string> = {
  chat: 'Chat',
  assistants: 'Assistants',
  files: 'Files',
};

export const permissionHints: Record<TokenPermission, string> = {
  chat: 'Ask your models and assistants, and continue conversations.',
  assistants: 'Create, change and delete your assistants.',
  files: 'Read, add and delete your files and vector stores.',
};
