import type { Feature } from '#server/features/feature';
import { apiAssistantFeature } from './assistants/feature.ts';
import { apiMessageFeature } from './messages/feature.ts';
import { createMessageSerializer } from './messages/message-object.ts';
import { apiRunFeature } from './runs/feature.ts';
import { apiThreadFeature } from './threads/feature.ts';
import { createPublicResources, createStoredResources } from './tool-resources.ts';

type Dependencies = Omit<Parameters<typeof apiThreadFeature>[0], 'keptResources' | 'shownResources'> &
  Omit<Parameters<typeof apiMessageFeature>[0], 'keptResources' | 'objectsOf'> &
  Omit<Parameters<typeof apiAssistantFeature>[0], 'keptResources' | 'shownResources'> &
  Omit<Parameters<typeof apiRunFeature>[0], 'objectsOf' | 'keptResources'> &
  Parameters<typeof createMessageSerializer>[0] &
  Parameters<typeof createStoredResources>[0];

/** The retired Assistants API, version 2, over Roster's own assistants and conversations. */
export function assistantsApiFeatures(dependencies: Dependencies): Feature[] {
  const keptResources = createStoredResources(dependencies);
  const shownResources = createPublicResources(dependencies);
  const objectsOf = createMessageSerializer(dependencies);
  return [
    apiAssistantFeature({ ...dependencies, keptResources, shownResources }),
    apiThreadFeature({ ...dependencies, keptResources, shownResources }),
    apiMessageFeature({ ...dependencies, keptResources, objectsOf }),
    apiRunFeature({ ...dependencies, keptResources, objectsOf }),
  ];
}
