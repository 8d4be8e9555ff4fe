import type { FileSort } from '@roster/contracts/files/files';
import type { PurposeFilter } from '#web/api/files.ts';

/** Listed here because the router needs them before anything else is loaded. */
export const sorts = ['newest', 'oldest', 'name', 'size'] as const satisfies readonly FileSort[];
export const purposes = ['assistants', 'user_data', 'fine-tune', 'made'] as const satisfies readonly PurposeFilter[];
