import { z } from 'zod';
import { defineJob } from '#server/jobs/define';

export const ImportPayload = z.object({ userId: z.number(), importId: z.number() });
export type ImportPayload = z.output<typeof ImportPayload>;

/** Most of the work is done by a thread, so it does not keep jobs that compute from running. */
const inBackground = { payload: ImportPayload, attempts: 20, atOnce: 1, waits: true };

/** Counts what an export contains. */
export const readJob = defineJob({ name: 'imports.read', ...inBackground });

/** Imports for some time, and enqueues itself for the rest. */
export const storeJob = defineJob({ name: 'imports.store', ...inBackground });

export const undoJob = defineJob({ name: 'imports.undo', ...inBackground });
