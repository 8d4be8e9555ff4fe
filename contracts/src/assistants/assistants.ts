import { z } from 'zod';
import { ApiKey } from '../account.ts';
import { PresetId } from '../connections/connections.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { ModelText } from '../model-text.ts';
import { ConnectionOfModel, hasPlainModel, plainModelMissing, withReference } from '../models/connection-of-model.ts';
import { ReasoningEffort } from '../models/models.ts';
import { ResponseSchema } from '../response-schema.ts';
import { codePointLength } from '../text/length.ts';
import { nameText, requiredText, textUpTo } from '../text/text.ts';
import { ToolChoices } from '../tool-servers/tool-choice.ts';
import { AssistantColor, AssistantIcon, Starters } from './avatar.ts';
import { AssistantTools } from './tools.ts';

export const untitled = 'Untitled assistant';
export const nameLimit = 100;
export const descriptionLimit = 500;
export const instructionsLimit = 1500;
/** The limit of the retired Assistants API, up to which imported instructions are kept whole. */
export const importedInstructionsLimit = 256_000;

const Name = nameText(nameLimit, `Name cannot exceed ${nameLimit} characters`, 'Name is required');
const Description = textUpTo(descriptionLimit, `Description cannot exceed ${descriptionLimit} characters`).trim();
const Temperature = z
  .number()
  .min(0, 'Temperature must be at least 0')
  .max(1, 'Temperature cannot exceed 1')
  .multipleOf(0.1, 'Temperature goes in steps of 0.1');
const instructionsMessage = `Instructions cannot exceed ${instructionsLimit} characters`;

const Effort = ReasoningEffort.nullable();
const EarlierMessages = z.enum(['keep', 'summarize']);

export const assistantFileLimit = 50;
const tagLimit = 30;
export const tagCountLimit = 10;

/** Words to find and group assistants by; each once, whatever its case. */
const Tags = z
  .array(requiredText(tagLimit, `A tag cannot exceed ${tagLimit} characters`, 'A tag cannot be empty').trim())
  .max(tagCountLimit, `An assistant can have at most ${tagCountLimit} tags`)
  .transform((tags) => tags.filter((tag, index) => tags.findIndex((other) => sameTag(tag, other)) === index));
export const sameTag = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/**
 * The fields of an assistant: as sent by the form of a new one, as sent by a change, and as stored. Drafts, changes,
 * responses, export and import, the database’s columns and both forms follow from this list.
 */
const assistantFields = {
  name: { draft: Name, change: Name, stored: z.string() },
  description: { draft: Description.default(''), change: Description, stored: z.string() },
  model: { draft: ModelText, change: ModelText, stored: z.string() },
  /** Asked when the model is down, over its limit or gone; null: none. */
  fallbackModel: {
    draft: ModelText.nullable().default(null),
    change: ModelText.nullable(),
    stored: z.string().nullable(),
  },
  temperature: { draft: Temperature.default(0.7), change: Temperature, stored: z.number() },
  /** null: the model’s default. */
  reasoningEffort: { draft: Effort.default(null), change: Effort, stored: Effort },
  instructions: {
    draft: textUpTo(instructionsLimit, instructionsMessage).default(''),
    /**
     * May exceed the form’s limit only if it does not grow, so that an imported text stays whole, or with
     * `longInstructions`. The service checks it against the stored text.
     */
    change: textUpTo(importedInstructionsLimit, instructionsMessage),
    stored: z.string(),
  },
  starters: { draft: Starters.default([]), change: Starters, stored: z.array(z.string()) },
  tags: { draft: Tags.default([]), change: Tags, stored: z.array(z.string()) },
  icon: {
    draft: AssistantIcon.nullable().default(null),
    change: AssistantIcon.nullable(),
    stored: AssistantIcon.nullable(),
  },
  color: {
    draft: AssistantColor.nullable().default(null),
    change: AssistantColor.nullable(),
    stored: AssistantColor.nullable(),
  },
  tools: { draft: AssistantTools.default({}), change: AssistantTools, stored: AssistantTools },
  /** A JSON schema for answers, as text; null: none. */
  responseSchema: {
    draft: ResponseSchema.nullable().default(null),
    change: ResponseSchema.nullable(),
    stored: z.string().nullable(),
  },
  /** `summarize`: before a question is sent, earlier messages are summarized if they nearly fill the model’s context. */
  earlierMessages: { draft: EarlierMessages.default('keep'), change: EarlierMessages, stored: EarlierMessages },
};

type Fields = typeof assistantFields;

/** The schemas of one form, by field name. */
const schemasOf = <Form extends 'draft' | 'change' | 'stored'>(form: Form) =>
  // The keys are those of the list, which `fromEntries` does not know.
  Object.fromEntries(Object.entries(assistantFields).map(([name, field]) => [name, field[form]])) as {
    [Name in keyof Fields]: Fields[Name][Form];
  };

export const AssistantDraft = z.strictObject(schemasOf('draft'));
export type AssistantDraft = z.output<typeof AssistantDraft>;

/** true: instructions up to the limit of the retired Assistants API, instead of the form’s. */
const LongInstructions = z.literal(true);

export const AssistantChanges = z
  .strictObject({ ...schemasOf('change'), longInstructions: LongInstructions })
  .partial();
export type AssistantChanges = z.output<typeof AssistantChanges>;

const isWithinFormLimit = (draft: { instructions: string; longInstructions?: true | undefined }) =>
  draft.longInstructions === true || codePointLength(draft.instructions) <= instructionsLimit;

/** Models and their connections in separate fields; either these or one reference in `model` and `fallbackModel`. */
const separateFields = {
  connectionId: ConnectionOfModel,
  fallback: z
    .strictObject({ connectionId: ConnectionOfModel, model: ModelText })
    .refine(hasPlainModel, plainModelMissing)
    .nullable()
    .optional(),
};
type SeparateFields = { [Name in keyof typeof separateFields]?: z.output<(typeof separateFields)[Name]> };
type References = { model?: string | undefined; fallbackModel?: string | null | undefined };
const hasOneFallback = ({ fallback, fallbackModel }: { fallback?: unknown; fallbackModel?: unknown }) =>
  !fallback || !fallbackModel;
const oneFallback = { message: 'Send fallback or fallbackModel, not both', path: ['fallback'] };

/** A draft or changes with one reference for each model. */
export function withReferences<Body extends References & SeparateFields>({ connectionId, fallback, ...body }: Body) {
  const { model } = withReference({ model: body.model, connectionId });
  const fallbackModel = fallback && withReference(fallback).model;
  return { ...body, ...(model !== undefined && { model }), ...(fallbackModel !== undefined && { fallbackModel }) };
}

/** A draft with the parts that a saved assistant gets by calls of their own. Its instructions may be long, if its author chose that. */
const NewAssistantBody = AssistantDraft.extend({
  instructions: textUpTo(
    importedInstructionsLimit,
    `Instructions cannot exceed ${importedInstructionsLimit} characters`,
  ).default(''),
  longInstructions: LongInstructions.optional(),
  fileIds: z.array(Id).max(assistantFileLimit, `An assistant can have at most ${assistantFileLimit} files`).optional(),
  chosenTools: ToolChoices.optional(),
  ...separateFields,
})
  .refine(isWithinFormLimit, { message: instructionsMessage, path: ['instructions'] })
  .refine(hasPlainModel, plainModelMissing)
  .refine(hasOneFallback, oneFallback);
export type NewAssistant = Omit<z.output<typeof NewAssistantBody>, keyof SeparateFields>;

const AssistantChangesBody = AssistantChanges.extend(separateFields)
  .refine(hasPlainModel, plainModelMissing)
  .refine(hasOneFallback, oneFallback);

/** The fields alone; parsing removes everything else. */
export const AssistantSettings = z.object(schemasOf('stored'));
export type AssistantSettings = z.output<typeof AssistantSettings>;
export const assistantFieldNames = AssistantSettings.keyof().options;

export const assistantDefaults = AssistantDraft.omit({ name: true, model: true }).parse({});

export const Assistant = z.object({
  id: Id,
  ...AssistantSettings.shape,
  isDefault: z.boolean(),
  /** The provider’s own id if the assistant was imported. */
  openaiAssistantId: z.string().nullable(),
  /** The number of files that it searches. */
  files: z.number().int(),
  /** The number of its current version. */
  version: z.number().int(),
  createdAt: Time,
  updatedAt: Time,
});
export type Assistant = z.output<typeof Assistant>;

/**
 * Searchability of an assistant’s file. `waiting`: the provider does not have it yet. `indexing`: the provider is
 * reading it. `ready`: it is searched. `failed`: see `error`. `not_served`: the provider has no file search.
 */
const knowledgeStates = ['waiting', 'indexing', 'ready', 'failed', 'not_served'] as const;
export const KnowledgeState = z.enum(knowledgeStates);
export type KnowledgeState = z.output<typeof KnowledgeState>;

export const AssistantFile = z.object({
  fileId: Id,
  filename: z.string(),
  /** Bytes. */
  size: z.number().int(),
  state: KnowledgeState,
  /** Message for people; null: no error. */
  error: z.string().nullable(),
  addedAt: Time,
});
export type AssistantFile = z.output<typeof AssistantFile>;

export const ImportCandidate = z.object({
  id: z.string(),
  name: z.string(),
  model: z.string(),
  description: z.string(),
  source: z.enum(['assistants', 'agents']),
  /** Notes on what is lost or changed by the import. */
  notes: z.array(z.string()),
  /** The assistant that came from this one in an earlier import. */
  importedAs: z.object({ id: Id, name: z.string() }).nullable(),
});
export type ImportCandidate = z.output<typeof ImportCandidate>;

export const ImportResult = z.object({
  imported: z.array(Assistant.extend({ notes: z.array(z.string()) })),
  failed: z.array(z.object({ id: z.string(), name: z.string().nullable(), reason: z.string() })),
});
export type ImportResult = z.output<typeof ImportResult>;

/** The result of importing a file, or a preview of it. */
export const FileImportResult = ImportResult.extend({
  /** With `preview`: the assistants that would be created. */
  planned: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      model: z.string(),
      description: z.string(),
      notes: z.array(z.string()),
    }),
  ),
});
export type FileImportResult = z.output<typeof FileImportResult>;

const ExportedConnection = z.object({ preset: PresetId, name: z.string() });

/** Roster’s export format, which `import-file` reads. */
export const AssistantExport = z.object({
  format: z.literal('roster.assistants'),
  version: z.literal(1),
  exportedAt: Time,
  assistants: z.array(
    z.object({
      ...AssistantSettings.shape,
      openaiAssistantId: z.string().nullable(),
      /** The names of the files that it searches. */
      files: z.array(z.string()),
      /** The connection of the model; left out for one of the installation’s own provider. */
      connection: ExportedConnection.optional(),
      /** As above, for the fallback model. */
      fallbackConnection: ExportedConnection.optional(),
      /** Fields set by API clients beyond these, as they sent them. */
      api: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
export type AssistantExport = z.output<typeof AssistantExport>;

/** As in the provider’s list. It is compared with that list and never put into a URL. */
export const ProviderAssistantId = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'This is not an assistant id of the provider');

const byId = z.strictObject({ id: PathId });

export const assistants = {
  list: endpoint({
    method: 'GET',
    path: '/api/assistants',
    access: 'user',
    summary: 'Lists the assistants, newest first; the next page is in the Link header.',
    query: z.strictObject({
      limit: positiveInteger(200).default(100),
      cursor: PathId.optional(),
    }),
    output: z.array(Assistant),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants',
    access: 'editor',
    summary: 'Creates an assistant with its files and tools, or nothing at all. The first one is the default.',
    body: NewAssistantBody,
    bodyLimit: 2 * 1024 * 1024,
    output: Assistant,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/assistants/:id',
    access: 'editor',
    summary: 'Changes an assistant.',
    params: byId,
    body: AssistantChangesBody,
    bodyLimit: 2 * 1024 * 1024,
    output: Assistant,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/assistants/:id',
    access: 'editor',
    summary: 'Deletes an assistant; its conversations stay. Another one becomes the default.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  duplicate: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/duplicate',
    access: 'editor',
    summary: 'Duplicates an assistant, with its files and tools.',
    params: byId,
    output: Assistant,
    status: 201,
  }),
  files: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/files',
    access: 'user',
    summary: 'Lists the knowledge files of an assistant, in the order they were added.',
    params: byId,
    output: z.array(AssistantFile),
  }),
  addFiles: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/files',
    access: 'editor',
    summary: 'Adds files to the knowledge of an assistant. Files that it has already stay unchanged.',
    params: byId,
    body: z.strictObject({
      fileIds: z
        .array(Id, 'Please select at least one file')
        .min(1, 'Please select at least one file')
        .max(assistantFileLimit, `An assistant can have at most ${assistantFileLimit} files`),
    }),
    output: z.array(AssistantFile),
  }),
  removeFile: endpoint({
    method: 'DELETE',
    path: '/api/assistants/:id/files/:fileId',
    access: 'editor',
    summary: 'Removes a file from an assistant. The file itself stays.',
    params: z.strictObject({ id: PathId, fileId: PathId }),
    output: NoContent,
    status: 204,
  }),
  retryFile: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/files/:fileId/retry',
    access: 'editor',
    rate: 'uploads',
    summary: 'Indexes a file again after a failure.',
    params: z.strictObject({ id: PathId, fileId: PathId }),
    output: z.array(AssistantFile),
  }),
  setDefault: endpoint({
    method: 'POST',
    path: '/api/settings/default-assistant',
    access: 'editor',
    summary: 'Makes an assistant the default.',
    body: z.strictObject({ assistantId: Id }),
    output: Assistant,
  }),
  fetchFromProvider: endpoint({
    method: 'POST',
    path: '/api/assistants/fetch-from-openai',
    access: 'editor',
    rate: 'keyUse',
    summary:
      'Lists the assistants that can be imported from the provider. Without `apiKey`, the saved key is used; a key that is sent is not stored.',
    body: z.strictObject({ apiKey: ApiKey.optional() }),
    output: z.array(ImportCandidate),
  }),
  importBatch: endpoint({
    method: 'POST',
    path: '/api/assistants/import-batch-from-openai',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Imports the selected assistants. Those that were imported before are reported, not duplicated.',
    body: z.strictObject({
      assistantIds: z
        .array(ProviderAssistantId, 'Please select at least one assistant to import')
        .min(1, 'Please select at least one assistant to import')
        .max(100, 'At most 100 assistants can be imported at once'),
      apiKey: ApiKey.optional(),
    }),
    output: ImportResult,
  }),
  importFile: endpoint({
    method: 'POST',
    path: '/api/assistants/import-file',
    access: 'editor',
    rate: 'keyUse',
    summary:
      'Imports from JSON: one assistant, a list, or `{assistants: […]}`, as the retired API, Roster, Open WebUI or LibreChat write them. With `preview`, reports what it would do and stores nothing.',
    query: z.strictObject({
      preview: z
        .enum(['true', 'false'])
        .transform((value) => value === 'true')
        .optional(),
    }),
    body: z.unknown(),
    bodyLimit: 5 * 1024 * 1024,
    output: FileImportResult,
  }),
  exportAll: endpoint({
    method: 'GET',
    path: '/api/assistants/export',
    access: 'user',
    summary: 'Downloads all assistants in Roster’s export format.',
    output: AssistantExport,
  }),
  exportOne: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/export',
    access: 'user',
    summary: 'Downloads one assistant in Roster’s export format.',
    params: byId,
    output: AssistantExport,
  }),
};
