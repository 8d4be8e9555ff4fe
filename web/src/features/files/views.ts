import type { FileSort } from '@roster/contracts/files/files';
import type { PurposeFilter } from '#web/api/files.ts';

/** Written out, because the router reads them before anything else is loaded. */
export const sorts = ['newest', 'oldest', 'name', 'size'] as const satisfies readonly FileSort[];
export const purposes = ['assistants', 'user_data', 'fine-tune', 'made'] as const satisfies readonly PurposeFilter[];
