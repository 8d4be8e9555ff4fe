import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { nameText, requiredText } from '../text/text.ts';

export const promptsPerUser = 1_000;
export const promptNameLimit = 50;
export const promptTitleLimit = 100;
export const promptTextLimit = 32_000;
/** Entries of a file that one import reads. */
export const promptImportLimit = 1_000;
export const promptImportBytes = 16 * 1024 * 1024;

/** Returns a name as it is stored: `/Summary ` becomes `summary`. Idempotent. */
const tidyPromptName = (given: string) => given.normalize('NFC').trim().replace(/^\/+/, '').toLowerCase();
const promptNamePattern = new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}-]{0,${promptNameLimit - 1}}$`, 'u');

/** Without the slash that people type before it. */
export const PromptName = requiredText(200, `Name cannot exceed ${promptNameLimit} characters`, 'Name is required')
  .overwrite(tidyPromptName)
  .regex(promptNamePattern, `Use up to ${promptNameLimit} letters, digits and hyphens, such as weekly-report`);

const Title = nameText(promptTitleLimit, `Title cannot exceed ${promptTitleLimit} characters`, 'Title is required');
const Text = requiredText(promptTextLimit, `Text cannot exceed ${promptTextLimit} characters`, 'Text is required');

export const PromptDraft = z.strictObject({ name: PromptName, title: Title, text: Text });
export type PromptDraft = z.output<typeof PromptDraft>;

export const Prompt = z.object({
  id: Id,
  name: z.string(),
  title: z.string(),
  text: z.string(),
  createdAt: Time,
  updatedAt: Time,
  /** null: not used yet. */
  usedAt: Time.nullable(),
});
export type Prompt = z.output<typeof Prompt>;

/** `preview`: how the text starts. */
export const PromptListItem = Prompt.omit({ text: true }).extend({ preview: z.string() });
export type PromptListItem = z.output<typeof PromptListItem>;

const promptSorts = ['name', 'used'] as const;
export const PromptSort = z.enum(promptSorts);
export type PromptSort = z.output<typeof PromptSort>;

/** Roster's own format, which an import reads back. */
export const promptExportFormat = 'roster.prompts';

/** Programs whose files can be imported. */
export const PromptSource = z.enum(['roster', 'open-webui', 'librechat']);
export type PromptSource = z.output<typeof PromptSource>;

export const PromptImportEntry = z.object({
  /** Its place in the file, from 1. */
  position: z.number().int(),
  name: z.string(),
  title: z.string(),
  /** `present`: a prompt with this name and text exists already. */
  state: z.enum(['new', 'present', 'refused']),
  /** Why it is refused; null otherwise. */
  reason: z.string().nullable(),
  /** Differences from the file. */
  notes: z.array(z.string()),
});
export type PromptImportEntry = z.output<typeof PromptImportEntry>;

export const PromptImport = z.object({
  source: PromptSource,
  entries: z.array(PromptImportEntry),
  added: z.number().int(),
  present: z.number().int(),
  refused: z.number().int(),
  /** Entries after the first 1,000, which are not read. */
  left: z.number().int(),
});
export type PromptImport = z.output<typeof PromptImport>;

const byId = z.strictObject({ id: PathId });

export const prompts = {
  list: endpoint({
    method: 'GET',
    path: '/api/prompts',
    access: 'user',
    summary: 'Lists the prompts by name, or the most recently used first. `search` looks in names and titles.',
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: z.string().max(2_000).optional(),
      search: z.string().max(200).optional(),
      sort: PromptSort.default('name'),
    }),
    output: z.object({ items: z.array(PromptListItem), nextCursor: z.string().nullable() }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/prompts/:id',
    access: 'user',
    summary: 'Returns one prompt with its text.',
    params: byId,
    output: Prompt,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/prompts',
    access: 'user',
    summary: 'Saves a prompt.',
    body: PromptDraft,
    output: Prompt,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/prompts/:id',
    access: 'user',
    summary: 'Changes a prompt. With `updatedAt`, only if it was last changed then.',
    params: byId,
    body: z.strictObject({ ...PromptDraft.partial().shape, updatedAt: Time.max(40).optional() }),
    output: Prompt,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/prompts/:id',
    access: 'user',
    summary: 'Deletes a prompt.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  markUsed: endpoint({
    method: 'POST',
    path: '/api/prompts/:id/used',
    access: 'user',
    summary: 'Records that a prompt was used.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  exportAll: endpoint({
    method: 'GET',
    path: '/api/prompts/export',
    access: 'user',
    summary: 'Downloads all prompts as one JSON file, which the import reads back.',
    output: NoContent,
    respondsWith: 'bytes',
  }),
  importFile: endpoint({
    method: 'POST',
    path: '/api/prompts/import',
    access: 'user',
    rate: 'uploads',
    summary:
      'Imports prompts from a JSON file of Roster, Open WebUI or LibreChat. With `preview`, reports what it would do and stores nothing.',
    query: z.strictObject({
      preview: z
        .enum(['true', 'false'])
        .transform((value) => value === 'true')
        .optional(),
    }),
    body: z.unknown(),
    bodyLimit: promptImportBytes,
    output: PromptImport,
  }),
};
