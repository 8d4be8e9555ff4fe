import type { Feature } from '#server/features/feature';
import { apiAssistantFeature } from './assistants/feature.ts';
import { apiMessageFeature } from './messages/feature.ts';
import { messageObjects } from './messages/message-object.ts';
import { apiRunFeature } from './runs/feature.ts';
import { apiThreadFeature } from './threads/feature.ts';
import { keptToolResources, shownToolResources } from './tool-resources.ts';

type Dependencies = Omit<Parameters<typeof apiThreadFeature>[0], 'keptResources' | 'shownResources'> &
  Omit<Parameters<typeof apiMessageFeature>[0], 'keptResources' | 'objectsOf'> &
  Omit<Parameters<typeof apiAssistantFeature>[0], 'keptResources' | 'shownResources'> &
  Omit<Parameters<typeof apiRunFeature>[0], 'objectsOf' | 'keptResources'> &
  Parameters<typeof messageObjects>[0] &
  Parameters<typeof keptToolResources>[0];

/** The retired Assistants API, version 2, over Roster's own assistants and conversations. */
export function assistantsApiFeatures(dependencies: Dependencies): Feature[] {
  const keptResources = keptToolResources(dependencies);
  const shownResources = shownToolResources(dependencies);
  const objectsOf = messageObjects(dependencies);
  return [
    apiAssistantFeature({ ...dependencies, keptResources, shownResources }),
    apiThreadFeature({ ...dependencies, keptResources, shownResources }),
    apiMessageFeature({ ...dependencies, keptResources, objectsOf }),
    apiRunFeature({ ...dependencies, keptResources, objectsOf }),
  ];
}
