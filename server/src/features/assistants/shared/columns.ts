import { AssistantSettings, assistantFieldNames } from '@roster/contracts/assistants/assistants';
import type { Selectable } from 'kysely';
import { columnOf, toColumns } from '#server/db/columns';
import type { Database } from '#server/db/schema';

type SettingsColumns = ReturnType<typeof toSettingsColumns>;

/** The fields of an assistant as columns of its table and of the versions table. */
export function toSettingsColumns(given: AssistantSettings) {
  const { tools, starters, tags, ...settings } = AssistantSettings.parse(given);
  return {
    ...toColumns(settings),
    tools: JSON.stringify(tools),
    starters: JSON.stringify(starters),
    tags: JSON.stringify(tags),
  };
}

export const fromSettingsColumns = (
  row: Pick<Selectable<Database['assistants']>, keyof SettingsColumns>,
): AssistantSettings =>
  AssistantSettings.parse({
    ...Object.fromEntries(assistantFieldNames.map((name) => [name, row[columnOf(name)]])),
    tools: JSON.parse(row.tools),
    starters: JSON.parse(row.starters),
    tags: JSON.parse(row.tags),
  });
