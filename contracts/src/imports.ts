import { z } from 'zod';
import { Empty, endpoint, Id, PathId, positiveInteger, Time } from './endpoint.ts';

/** Size of an uploaded export: 2 GiB. */
export const exportSizeLimit = 2_147_483_648;

const importSources = ['chatgpt', 'claude', 'gemini', 'librechat', 'open-webui', 'roster'] as const;
export const ImportSource = z.enum(importSources);
export type ImportSource = z.output<typeof ImportSource>;

export const leftOutReasons = [
  'files',
  'large_files',
  'damaged_files',
  'files_without_room',
  'files_not_allowed',
  'tool_steps',
  'system_messages',
  'hidden_messages',
  'custom_instructions',
  'projects',
  'gpts',
  'other_activities',
  'empty_conversations',
  'unreadable_conversations',
  'assistants_not_allowed',
  'projects_without_room',
  'keys',
  'tool_servers',
  'limits',
  'drafts',
  'comparisons',
  'training',
  'program_data',
] as const;
/** Parts of an export that cannot be imported. */
export const LeftOutReason = z.enum(leftOutReasons);
export type LeftOutReason = z.output<typeof LeftOutReason>;

/**
 * `reading`: the export is being counted. `ready`: waits to be started. `importing`, `undoing`: in progress. `done`,
 * `canceled`: what was imported is there. `failed`: see `error`. `undone`: what was imported is deleted again.
 */
const importStates = [
  'reading',
  'ready',
  'importing',
  'done',
  'canceled',
  'failed',
  'undoing',
  'undone',
  'expired',
] as const;
export const ImportState = z.enum(importStates);
export type ImportState = z.output<typeof ImportState>;

export const Import = z.object({
  id: Id,
  filename: z.string(),
  /** Bytes. */
  size: z.number().int(),
  /** null: not known yet. If an export has several, the first. */
  source: ImportSource.nullable(),
  state: ImportState,
  /** The contents of the export; while it is read, those read so far. */
  conversations: z.number().int(),
  messages: z.number().int(),
  /** Files of its messages that can be imported and are not here yet. */
  files: z.number().int(),
  /** Contents of an account beside its conversations. */
  assistants: z.number().int(),
  projects: z.number().int(),
  prompts: z.number().int(),
  /** Messages that wait to be sent. */
  queued: z.number().int(),
  /** The conversations of the export that were here already when it was read. */
  known: z.number().int(),
  /** The time of the first and the last conversation; null: not known. */
  from: Time.nullable(),
  to: Time.nullable(),
  /** `names`: those of them that have one, as far as the export says; 20 at most. */
  leftOut: z.array(z.object({ reason: LeftOutReason, count: z.number().int(), names: z.array(z.string()) })),
  /** Conversations of the export that have been processed, for showing progress. */
  processed: z.number().int(),
  /** New ones, which have been imported. */
  importedConversations: z.number().int(),
  importedMessages: z.number().int(),
  importedFiles: z.number().int(),
  importedAssistants: z.number().int(),
  importedProjects: z.number().int(),
  /** Conversations that an undo has kept, because they were continued. */
  kept: z.number().int(),
  /** Message for people; null: no error. */
  error: z.string().nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
  /** Until then it can be undone; null: it cannot. */
  undoUntil: Time.nullable(),
});
export type Import = z.output<typeof Import>;

const byId = z.strictObject({ id: PathId });

export const imports = {
  create: endpoint({
    method: 'POST',
    path: '/api/imports',
    access: 'user',
    rate: 'uploads',
    summary:
      'Uploads an export of at most 2 GiB as the part `file`. It is read in the background; nothing is imported.',
    accepts: 'multipart',
    body: Empty,
    bodyLimit: exportSizeLimit,
    output: Import,
    status: 201,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/imports',
    access: 'user',
    summary: 'Lists the imports, newest first.',
    query: z.strictObject({ limit: positiveInteger(100).default(20), cursor: z.string().max(200).optional() }),
    output: z.object({ items: z.array(Import), nextCursor: z.string().nullable() }),
  }),
  find: endpoint({
    method: 'GET',
    path: '/api/imports/:id',
    access: 'user',
    summary: 'Returns one import with its progress.',
    params: byId,
    output: Import,
  }),
  start: endpoint({
    method: 'POST',
    path: '/api/imports/:id/start',
    access: 'user',
    rate: 'jobs',
    summary: 'Imports the conversations of an export. Those that were imported before stay unchanged.',
    params: byId,
    output: Import,
    status: 202,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/api/imports/:id/cancel',
    access: 'user',
    summary: 'Stops an import. What has been imported stays and can be undone.',
    params: byId,
    output: Import,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/imports/:id/undo',
    access: 'user',
    rate: 'jobs',
    summary: 'Undoes an import within 30 days: deletes its conversations. Those that were continued stay.',
    params: byId,
    output: Import,
    status: 202,
  }),
};
