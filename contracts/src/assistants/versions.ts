import { z } from 'zod';
import { endpoint, Id, PathId, positiveInteger, Time } from '../endpoint.ts';
import { ToolApproval } from '../tool-servers/tool-choice.ts';
import { Assistant, AssistantSettings, assistantFieldNames } from './assistants.ts';

/** The newest versions, which are always stored. Older ones are stored if an answer came from them. */
export const retainedVersionCount = 1_000;

/** The cause of a version. */
export const VersionOrigin = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person') }),
  /** `name`: the name of the access token. */
  z.object({ kind: z.literal('program'), name: z.string() }),
  z.object({ kind: z.literal('import') }),
  z.object({ kind: z.literal('restore'), number: z.number().int() }),
  z.object({ kind: z.literal('duplicate'), name: z.string() }),
  /** Migration of several assistants to the model `name`, and its undo. */
  z.object({ kind: z.literal('move'), name: z.string() }),
  z.object({ kind: z.literal('move_undone'), name: z.string() }),
  /** Created before versions were stored. */
  z.object({ kind: z.literal('before') }),
]);
export type VersionOrigin = z.output<typeof VersionOrigin>;

/** Contents of a version: the assistant’s fields, its files, its connected tools, and the fields set by API clients. */
export const versionFields = [...assistantFieldNames, 'files', 'chosenTools', 'programFields'] as const;
export const VersionField = z.enum(versionFields);
export type VersionField = z.output<typeof VersionField>;

export const AssistantVersion = z.object({
  number: z.number().int(),
  origin: VersionOrigin,
  /** The fields that differ from the previous version. */
  changed: z.array(VersionField),
  createdAt: Time,
});
export type AssistantVersion = z.output<typeof AssistantVersion>;

export const AssistantVersionDetail = AssistantVersion.extend({
  settings: AssistantSettings,
  /** `isThere`: false if the file has been deleted since. */
  files: z.array(z.object({ fileId: Id, filename: z.string(), isThere: z.boolean() })),
  chosenTools: z.array(
    z.object({
      serverId: Id,
      /** Empty if the server was not available even then. */
      serverName: z.string(),
      name: z.string(),
      approval: ToolApproval,
      isThere: z.boolean(),
    }),
  ),
  /** Fields set by API clients beyond the form; null: none. */
  programFields: z.record(z.string(), z.unknown()).nullable(),
});
export type AssistantVersionDetail = z.output<typeof AssistantVersionDetail>;

export const RestoredVersion = z.object({
  assistant: Assistant,
  /** Notes on what could not be restored. */
  notes: z.array(z.string()),
});
export type RestoredVersion = z.output<typeof RestoredVersion>;

const byNumber = z.strictObject({ id: PathId, number: PathId });

export const assistantVersions = {
  list: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/versions',
    access: 'user',
    summary: 'Lists the versions of an assistant, newest first; the next page is in the Link header.',
    params: z.strictObject({ id: PathId }),
    query: z.strictObject({ limit: positiveInteger(200).default(50), cursor: PathId.optional() }),
    output: z.array(AssistantVersion),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/versions/:number',
    access: 'user',
    summary: 'Returns one version of an assistant.',
    params: byNumber,
    output: AssistantVersionDetail,
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/versions/:number/restore',
    access: 'editor',
    summary: 'Restores a version of an assistant as a new version, and reports what is no longer available.',
    params: byNumber,
    output: RestoredVersion,
  }),
};
