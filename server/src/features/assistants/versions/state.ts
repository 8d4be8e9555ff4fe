import { type Assistant, AssistantSettings, assistantFieldNames } from '@roster/contracts/assistants/assistants';
import type { VersionField } from '@roster/contracts/assistants/versions';
import { ToolApproval } from '@roster/contracts/tool-servers/tool-choice';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { knowledgeRepository } from '#server/features/assistants/knowledge/repository';
import { type ApiFields, apiFieldsRepository } from '#server/features/assistants/shared/api-fields-repository';
import { assistantRepository } from '#server/features/assistants/shared/repository';
import type { toolSelectionRepository } from '#server/features/tool-servers/shared/tool-selection-repository';

/** A file by its id, with the name it had. */
export const VersionFile = z.object({ fileId: z.number(), filename: z.string() });
type VersionFile = z.output<typeof VersionFile>;
/** A chosen tool, with the name its server had; empty if the server was not available. */
export const VersionTool = z.object({
  serverId: z.number(),
  serverName: z.string(),
  name: z.string(),
  approval: ToolApproval,
  digest: z.string(),
});
type VersionTool = z.output<typeof VersionTool>;

export type AssistantState = {
  settings: AssistantSettings;
  files: VersionFile[];
  chosenTools: VersionTool[];
  programFields: ApiFields | null;
};

/** The connected tools that assistants may use, in a transaction. */
export type ToolSelectionsIn = (
  db: Kysely<Database>,
) => Pick<ReturnType<typeof toolSelectionRepository>, 'chosenBySome' | 'present' | 'replace'>;

export const nonEmptyFields = (fields: ApiFields | undefined): ApiFields | null =>
  fields && Object.keys(fields).length > 0 ? fields : null;

type Present = { assistant: Assistant; state: AssistantState };

/** Current states by id, without assistants that are not the user’s. */
export async function loadStates(
  db: Kysely<Database>,
  choicesIn: ToolSelectionsIn,
  userId: number,
  ids: number[],
): Promise<Map<number, Present>> {
  const assistants = await assistantRepository(db).some(userId, ids);
  const files = await knowledgeRepository(db).filesOfSome(userId, ids);
  const chosen = Map.groupBy(await choicesIn(db).chosenBySome(userId, ids), (row) => row.assistant_id);
  const api = await apiFieldsRepository(db).of(userId, ids);
  const stateOfOne = (assistant: Assistant): AssistantState => ({
    settings: AssistantSettings.parse(assistant),
    files: files.get(assistant.id) ?? [],
    chosenTools: (chosen.get(assistant.id) ?? []).map((row) => ({
      serverId: row.server_id,
      serverName: row.is_within_reach ? row.server_name : '',
      name: row.name,
      approval: row.approval,
      digest: row.digest,
    })),
    programFields: nonEmptyFields(api.get(assistant.id)),
  });
  return new Map(assistants.map((assistant) => [assistant.id, { assistant, state: stateOfOne(assistant) }]));
}

/** Current state; undefined: the user has no such assistant. */
export const loadState = async (
  db: Kysely<Database>,
  choicesIn: ToolSelectionsIn,
  userId: number,
  id: number,
): Promise<Present | undefined> => (await loadStates(db, choicesIn, userId, [id])).get(id);

/** Independent of the order of keys. */
const stableStringify = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** The fields in which two states differ. Names of files and servers do not count. */
export function changedFields(before: AssistantState, after: AssistantState): VersionField[] {
  const settings = assistantFieldNames.filter(
    (name) => stableStringify(before.settings[name]) !== stableStringify(after.settings[name]),
  );
  const files = ({ files: all }: AssistantState) =>
    stableStringify(all.map(({ fileId }) => fileId).sort((a, b) => a - b));
  const tools = ({ chosenTools }: AssistantState) =>
    stableStringify(chosenTools.map(({ serverName: _, ...tool }) => tool));
  return [
    ...settings,
    ...(files(before) === files(after) ? [] : (['files'] as const)),
    ...(tools(before) === tools(after) ? [] : (['chosenTools'] as const)),
    ...(stableStringify(before.programFields) === stableStringify(after.programFields)
      ? []
      : (['programFields'] as const)),
  ];
}
