import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time, wholeNumber } from '../endpoint.ts';

/** 50 MB. */
export const fileSizeLimit = 52_428_800;
/** What one person may keep: 1 GiB in at most 1,000 files. */
export const storageLimit = 1_073_741_824;
export const fileCountLimit = 1_000;
export const filenameLimit = 255;

/** What a file is for, in the provider's own words: knowledge of assistants, attachments to messages, training. */
export const filePurposes = ['assistants', 'user_data', 'fine-tune'] as const;
export const FilePurpose = z.enum(filePurposes);
export type FilePurpose = z.output<typeof FilePurpose>;

/**
 * How far the provider has a copy.
 * `waiting_for_key`: it is sent once a key is saved. `queued`: it will be sent; `error` says why an earlier try came to
 * nothing. `forwarding`: it is being sent. `ready`: the provider has it. `failed`: it does not take it, `error` says why,
 * and `retry` tries again. `not_served`: this provider keeps no files.
 */
export const providerCopyStates = ['waiting_for_key', 'queued', 'forwarding', 'ready', 'failed', 'not_served'] as const;
export const ProviderCopyState = z.enum(providerCopyStates);
export type ProviderCopyState = z.output<typeof ProviderCopyState>;

export const File = z.object({
  id: Id,
  filename: z.string(),
  /** The media type that the upload named: a label, never trusted. */
  type: z.string(),
  /** Bytes. */
  size: z.number().int(),
  /** The same as `createdAt`. */
  date: Time,
  createdAt: Time,
  purpose: FilePurpose,
  /** A tool of the provider has made it for an answer. */
  madeByAssistant: z.boolean(),
  /** How many assistants, messages, fine-tuning jobs and vector stores of programs use it. */
  usedBy: z.number().int(),
  provider: z.object({
    state: ProviderCopyState,
    /** In words for people; null where nothing went wrong. */
    error: z.string().nullable(),
  }),
});
export type File = z.output<typeof File>;

export const fileSorts = ['newest', 'oldest', 'name', 'size'] as const;
export const FileSort = z.enum(fileSorts);
export type FileSort = z.output<typeof FileSort>;

export const FilesQuery = z.strictObject({
  limit: wholeNumber(1, 100).default(50),
  cursor: z.string().max(2_000).optional(),
  /** A part of the name. */
  q: z.string().trim().max(255, 'The search cannot exceed 255 characters').optional(),
  sort: FileSort.default('newest'),
  purpose: FilePurpose.optional(),
  /** Only those that tools of the provider have made for answers, or only the others. */
  madeByAssistant: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
});

/** What has become of a deleted file. Roster's own copy is gone in any case. */
export const RemovedFile = z.object({
  id: Id,
  filename: z.string(),
  /** `removed`: gone there too, or never was there. `removing`: not yet; it is tried again until it is. */
  provider: z.enum(['removed', 'removing']),
  /** Why the provider's copy is still there, in words; null where it is gone. */
  message: z.string().nullable(),
});
export type RemovedFile = z.output<typeof RemovedFile>;

/** The provider's copy of a file that was deleted here and could not be removed there yet. */
export const PendingRemoval = z.object({
  id: Id,
  filename: z.string(),
  /** Why, in words; null before the first try. */
  error: z.string().nullable(),
});
export type PendingRemoval = z.output<typeof PendingRemoval>;

const byId = z.strictObject({ id: PathId });

export const files = {
  list: endpoint({
    method: 'GET',
    path: '/api/files',
    access: 'user',
    summary: 'The files; the next page is in the Link header.',
    query: FilesQuery,
    output: z.array(File),
  }),
  summary: endpoint({
    method: 'GET',
    path: '/api/files/summary',
    access: 'user',
    summary: 'How many files there are, the bytes they take, and how many of them are used.',
    output: z.object({
      totalFiles: z.number().int(),
      storageUsedBytes: z.number().int(),
      /** Attached to an assistant, a message or a fine-tuning job. */
      filesUsedByAi: z.number().int(),
    }),
  }),
  upload: endpoint({
    method: 'POST',
    path: '/api/files/upload',
    access: 'editor',
    rate: 'uploads',
    summary: 'Stores one file of at most 50 MB, sent as the part `file`, and forwards it to the provider.',
    accepts: 'multipart',
    body: z.strictObject({ purpose: FilePurpose }),
    bodyLimit: fileSizeLimit,
    output: File,
    status: 201,
  }),
  content: endpoint({
    method: 'GET',
    path: '/api/files/:id/content',
    access: 'user',
    summary: 'The bytes of a file.',
    params: byId,
    output: NoContent,
    respondsWith: 'bytes',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/files/:id',
    access: 'editor',
    summary: 'Deletes a file here and at the provider; the answer says whether the provider’s copy is gone.',
    params: byId,
    output: RemovedFile,
  }),
  removeMany: endpoint({
    method: 'POST',
    path: '/api/files/delete',
    access: 'editor',
    summary: 'Deletes several files.',
    body: z.strictObject({
      ids: z
        .array(Id, 'Please select at least one file')
        .min(1, 'Please select at least one file')
        .max(100, 'At most 100 files can be deleted at once'),
    }),
    output: z.object({
      deleted: z.array(RemovedFile),
      failed: z.array(z.object({ id: Id, message: z.string() })),
    }),
  }),
  removals: endpoint({
    method: 'GET',
    path: '/api/files/removals',
    access: 'user',
    summary: 'Deleted files whose copy at the provider could not be removed yet; Roster goes on trying.',
    output: z.array(PendingRemoval),
  }),
  retry: endpoint({
    method: 'POST',
    path: '/api/files/:id/retry',
    access: 'editor',
    rate: 'uploads',
    summary: 'Forwards a file to the provider again.',
    params: byId,
    output: File,
  }),
};
