import { z } from 'zod';
import {
  AssistantDraft,
  assistantDefaults,
  descriptionLimit,
  importedInstructionsLimit,
  nameLimit,
} from './assistants/assistants.ts';
import { newParts } from './assistants/drafts.ts';
import { Thread } from './chat.ts';
import { endpoint, Id, NoContent, PathId } from './endpoint.ts';
import { textUpTo } from './text/text.ts';

/** Settings that are tried before they are saved. A name is not needed yet; imported texts may be long. */
export const TrialSettings = AssistantDraft.extend({
  name: textUpTo(nameLimit * 10, 'This name is too long').default(''),
  description: textUpTo(descriptionLimit * 10, 'This description is too long').default(''),
  instructions: textUpTo(
    importedInstructionsLimit,
    `Instructions cannot exceed ${importedInstructionsLimit} characters`,
  ).default(''),
  temperature: z.number().min(0).max(2).default(assistantDefaults.temperature),
  /** Only an assistant that is not saved yet has these. Its files are not indexed, and answers say so. */
  files: newParts.files.optional(),
  chosenTools: newParts.chosenTools.optional(),
});
export type TrialSettings = z.output<typeof TrialSettings>;

export const trials = {
  begin: endpoint({
    method: 'POST',
    path: '/api/assistants/trials',
    access: 'editor',
    summary:
      'Starts a trial: a temporary conversation with these settings instead of saved ones, and with the files and tools of the assistant if there is one.',
    body: z.strictObject({
      /** null: of an assistant that is not saved yet. */
      assistantId: Id.nullable(),
      settings: TrialSettings,
    }),
    bodyLimit: 2 * 1024 * 1024,
    output: Thread,
    status: 201,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/assistants/trials/:id',
    access: 'editor',
    summary: 'Changes the settings of a trial for its next messages.',
    params: z.strictObject({ id: PathId }),
    body: z.strictObject({ settings: TrialSettings }),
    bodyLimit: 2 * 1024 * 1024,
    output: NoContent,
    status: 204,
  }),
};
