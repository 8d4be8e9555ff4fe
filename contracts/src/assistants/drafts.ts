import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { filenameLimit } from '../files/files.ts';
import { ToolChoices } from '../tool-servers/tool-choice.ts';
import { AssistantSettings, assistantFileLimit } from './assistants.ts';

/** A file that a new assistant will have, as it was when it was chosen. */
export const DraftFile = z.strictObject({
  fileId: Id,
  filename: z.string().max(filenameLimit * 2),
  /** Bytes. */
  size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
});
export type DraftFile = z.output<typeof DraftFile>;

/** Parts of a new assistant beside its fields. A saved one has them at once, not with the form. */
export const newParts = {
  files: z.array(DraftFile).max(assistantFileLimit),
  chosenTools: ToolChoices,
};
export const newPartNames = ['files', 'chosenTools'] as const;

/** The values of a form, which need not be valid yet: fields that were not changed are left out. */
export const AssistantDraftValues = z.strictObject({ ...AssistantSettings.shape, ...newParts }).partial();
export type AssistantDraftValues = z.output<typeof AssistantDraftValues>;

/** A form that was left without saving. */
export const KeptDraft = z.object({
  /** null: of an assistant that is not saved yet. */
  assistantId: Id.nullable(),
  /** The version of the assistant that was changed; null: of a new one. */
  version: z.number().int().nullable(),
  values: AssistantDraftValues,
  savedAt: Time,
});
export type KeptDraft = z.output<typeof KeptDraft>;

const ofAssistant = z.strictObject({
  /** Left out: of a new assistant. */
  assistant: PathId.optional(),
});

export const assistantDrafts = {
  get: endpoint({
    method: 'GET',
    path: '/api/assistants/draft',
    access: 'editor',
    summary: 'Returns the draft of an assistant, or of a new one; null if there is none.',
    query: ofAssistant,
    output: z.object({ draft: KeptDraft.nullable() }),
  }),
  keep: endpoint({
    method: 'POST',
    path: '/api/assistants/draft',
    access: 'editor',
    summary: 'Saves the draft of an assistant, or of a new one, until it is saved or discarded.',
    query: ofAssistant,
    body: z.strictObject({
      version: z.number().int().min(1).max(1_000_000_000).nullable(),
      values: AssistantDraftValues,
    }),
    bodyLimit: 2 * 1024 * 1024,
    output: NoContent,
    status: 204,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/assistants/draft',
    access: 'editor',
    summary: 'Discards the draft of an assistant, or of a new one.',
    query: ofAssistant,
    output: NoContent,
    status: 204,
  }),
};
