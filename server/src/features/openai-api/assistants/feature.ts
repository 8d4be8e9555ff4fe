import type { Feature } from '#server/feature';
import { apiAssistantFeature } from './assistants/feature.ts';
import { apiMessageFeature } from './messages/feature.ts';
import { messageObjects } from './messages/message-object.ts';
import { apiRunFeature } from './runs/feature.ts';
import { apiThreadFeature } from './threads/feature.ts';
import { shownToolResources, toolResourceCheck } from './tool-resources.ts';

type Dependencies = Omit<Parameters<typeof apiThreadFeature>[0], 'checkToolResources' | 'shownResources'> &
  Omit<Parameters<typeof apiMessageFeature>[0], 'objectsOf'> &
  Omit<Parameters<typeof apiAssistantFeature>[0], 'checkToolResources' | 'shownResources'> &
  Omit<Parameters<typeof apiRunFeature>[0], 'objectsOf' | 'checkToolResources'> &
  Parameters<typeof messageObjects>[0] &
  Parameters<typeof toolResourceCheck>[0];

/** The retired Assistants API, version 2, over Roster's own assistants and conversations. */
export function assistantsApiFeatures(dependencies: Dependencies): Feature[] {
  const checkToolResources = toolResourceCheck(dependencies);
  const shownResources = shownToolResources(dependencies);
  const objectsOf = messageObjects(dependencies);
  return [
    apiAssistantFeature({ ...dependencies, checkToolResources, shownResources }),
    apiThreadFeature({ ...dependencies, checkToolResources, shownResources }),
    apiMessageFeature({ ...dependencies, objectsOf }),
    apiRunFeature({ ...dependencies, checkToolResources, objectsOf }),
  ];
}
