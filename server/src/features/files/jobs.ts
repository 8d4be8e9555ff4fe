import { z } from 'zod';
import { defineJob } from '#server/jobs/define';
import { FileKey } from '#server/storage/file-store';

/** More than a week of attempts. */
const removalAttempts = 200;

export const CopyPayload = z.object({ userId: z.number(), copyId: z.number() });
export type CopyPayload = z.output<typeof CopyPayload>;

/** Sends a file to the provider. Each may take minutes, and mail must not wait for it. */
export const forwardJob = defineJob({ name: 'files.forward', payload: CopyPayload, atOnce: 2 });

/** Checks that the copies are in the account of the key; others are sent again. */
export const checkCopiesJob = defineJob({ name: 'files.check-copies', payload: z.object({ userId: z.number() }) });

/** Removes a copy at the provider. */
export const removeCopyJob = defineJob({ name: 'files.remove-copy', payload: CopyPayload, attempts: removalAttempts });

/** Removes a copy at the provider of a connection. */
export const removeConnectionCopyJob = defineJob({
  name: 'files.remove-connection-copy',
  payload: CopyPayload,
  attempts: removalAttempts,
});

/** Removes bytes whose rows were deleted. */
export const removeBytesJob = defineJob({
  name: 'files.remove-bytes',
  payload: z.object({ storageKeys: z.array(FileKey) }),
  attempts: removalAttempts,
});
