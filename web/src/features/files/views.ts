import type { FilePurpose, FileSort } from '@roster/contracts/files';

/** Written out, because the router reads them before anything else is loaded. */
export const sorts = ['newest', 'oldest', 'name', 'size'] as const satisfies readonly FileSort[];
export const purposes = ['assistants', 'user_data', 'fine-tune'] as const satisfies readonly FilePurpose[];
