import { z } from 'zod';
import { defineJob } from '#server/jobs/define';

/** Fetches what code has made from its container. Each may take minutes: other work must not wait for them. */
export const fetchMadeFileJob = defineJob({
  name: 'chat.fetch-made-file',
  payload: z.object({ userId: z.number(), madeFileId: z.number() }),
  atOnce: 2,
});

/** So long the provider keeps a container that nobody uses. */
const containerMs = 20 * 60_000;
/** How long after that a job that waits for its turn may still find its end. */
const graceMs = 10 * 60_000;

export const fetchUntil = (endedAt: string) => new Date(Date.parse(endedAt) + containerMs).toISOString();
export const givenUpBefore = () => new Date(Date.now() - graceMs).toISOString();
