import type { OpenDatabase } from '#server/db/connect';
import type { Feature } from '#server/feature';
import type { AssistantLabel } from '#server/features/assistants/repository';
import { assistantModels } from './assistant-models.ts';
import { idKey } from './id-key-repository.ts';
import { createIds, type Ids } from './ids.ts';
import { apiModelFeature } from './models/feature.ts';

type Dependencies = Omit<Parameters<typeof apiModelFeature>[0], 'assistantModels'> & {
  database: Pick<OpenDatabase, 'db'>;
  assistants: { labels: (userId: number) => Promise<AssistantLabel[]> };
};

/** What programs call under /v1: the provider's API over the same services that the pages use. */
export function openAiApiFeatures({ database, assistants, ...base }: Dependencies): Feature[] {
  let made: Promise<Ids> | undefined;
  /** The key is read with the first call that needs it. */
  function ids(): Promise<Ids> {
    made ??= idKey(database.db)
      .then(createIds)
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  }
  const models = assistantModels({ ids, labels: assistants.labels });
  return [apiModelFeature({ ...base, assistantModels: models })];
}
