import { z } from 'zod';
import { defineJob } from '#server/jobs/define';

/** Writes a summary that was started. */
export const summarizeJob = defineJob({
  name: 'chat.summarize',
  payload: z.object({ userId: z.number(), messageId: z.number() }),
  attempts: 3,
  perPerson: 2,
  waits: true,
});
