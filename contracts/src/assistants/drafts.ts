import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { ReasoningEffort } from '../models/models.ts';
import { textUpTo } from '../text/text.ts';
import { importedInstructionsLimit } from './assistants.ts';
import { AssistantColor, AssistantIcon } from './avatar.ts';
import { AssistantTools } from './tools.ts';

const anyText = (limit: number) => textUpTo(limit, `This text cannot exceed ${limit} characters`);

/** The values of a form, which need not be valid yet: fields that were not changed are left out. */
export const AssistantDraftValues = z
  .strictObject({
    name: anyText(1_000),
    description: anyText(5_000),
    model: anyText(200),
    temperature: z.number().min(0).max(2),
    reasoningEffort: ReasoningEffort.nullable(),
    instructions: anyText(importedInstructionsLimit),
    starters: z.array(anyText(1_000)).max(50),
    tags: z.array(anyText(200)).max(50),
    icon: AssistantIcon.nullable(),
    color: AssistantColor.nullable(),
    tools: AssistantTools,
    responseSchema: anyText(200_000).nullable(),
  })
  .partial();
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
    summary: 'The form of an assistant, or of a new one, that was left without saving; null if there is none.',
    query: ofAssistant,
    output: z.object({ draft: KeptDraft.nullable() }),
  }),
  keep: endpoint({
    method: 'POST',
    path: '/api/assistants/draft',
    access: 'editor',
    summary: 'Keeps the form of an assistant, or of a new one, until it is saved or discarded.',
    query: ofAssistant,
    body: z.strictObject({ version: z.number().int().min(1).nullable(), values: AssistantDraftValues }),
    bodyLimit: 2 * 1024 * 1024,
    output: NoContent,
    status: 204,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/assistants/draft',
    access: 'editor',
    summary: 'Discards the kept form of an assistant, or of a new one.',
    query: ofAssistant,
    output: NoContent,
    status: 204,
  }),
};
