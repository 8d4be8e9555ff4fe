import { z } from 'zod';
import { positiveInteger } from '../endpoint.ts';
import { FilePurpose, fileSizeLimit } from '../files/files.ts';
import { apiEndpoint } from './endpoint.ts';
import { ApiId, apiDeleted, apiList, apiPage } from './list.ts';

export const ApiFile = z.object({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.number().int(),
  /** Unix seconds. */
  created_at: z.number().int(),
  filename: z.string(),
  purpose: FilePurpose,
  /**
   * `uploaded`: being sent to the provider. `processed`: there, or as far as it can get. `error`: rejected by the
   * provider.
   */
  status: z.enum(['uploaded', 'processed', 'error']),
  /** Why the provider rejected it. */
  status_details: z.string().optional(),
});
export type ApiFile = z.output<typeof ApiFile>;

const served = ['assistants', 'user_data', 'fine-tune', 'vision'] as const;

/** Purposes for uploads by clients. Images for vision are files with `user_data`, here as at the provider. */
const UploadPurpose = z
  .enum(served, {
    error: ({ input }) =>
      input === undefined
        ? "Missing required parameter: 'purpose'."
        : `Roster keeps files for ${served.join(', ')}: 'purpose' must be one of these.`,
  })
  .transform((purpose) => (purpose === 'vision' ? 'user_data' : purpose));

/** Further purposes of the provider, which no file of Roster has. */
const notServed = ['assistants_output', 'batch', 'batch_output', 'fine-tune-results'] as const;
const ListedPurpose = z
  .enum([...served, ...notServed])
  /** null: there are no such files. */
  .transform((purpose) => UploadPurpose.safeParse(purpose).data ?? null);

const expiry = z
  .never('Files do not expire in Roster: leave out expires_after, and delete the file instead.')
  .optional();

const byId = z.strictObject({ id: ApiId });

export const apiFiles = {
  list: apiEndpoint({
    method: 'GET',
    path: '/v1/files',
    right: 'files',
    summary: 'Lists the files of the account.',
    query: z.strictObject({
      purpose: ListedPurpose.optional(),
      limit: positiveInteger(10_000).default(10_000),
      order: apiPage.order,
      after: apiPage.after,
    }),
    output: apiList(ApiFile),
  }),
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/files',
    right: 'files',
    rate: 'uploads',
    summary: 'Stores one file of at most 50 MB, sent as the part `file`, and forwards it to the provider.',
    accepts: 'multipart',
    body: z.strictObject({
      purpose: UploadPurpose,
      'expires_after[anchor]': expiry,
      'expires_after[seconds]': expiry,
    }),
    bodyLimit: fileSizeLimit,
    output: ApiFile,
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/files/:id',
    right: 'files',
    summary: 'Returns one file.',
    params: byId,
    output: ApiFile,
  }),
  content: apiEndpoint({
    method: 'GET',
    path: '/v1/files/:id/content',
    right: 'files',
    summary: 'Downloads a file.',
    params: byId,
    output: z.unknown(),
  }),
  remove: apiEndpoint({
    method: 'DELETE',
    path: '/v1/files/:id',
    right: 'files',
    summary: 'Deletes a file, here and at the provider.',
    params: byId,
    output: apiDeleted('file'),
  }),
};
