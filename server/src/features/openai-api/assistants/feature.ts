import type { Feature } from '#server/feature';
import { apiAssistantFeature } from './assistants/feature.ts';
import { apiMessageFeature } from './messages/feature.ts';
import { messageObjects } from './messages/message-object.ts';
import { apiThreadFeature } from './threads/feature.ts';
import { toolResourceCheck } from './tool-resources.ts';

type Dependencies = Omit<Parameters<typeof apiThreadFeature>[0], 'checkToolResources'> &
  Omit<Parameters<typeof apiMessageFeature>[0], 'objectsOf'> &
  Omit<Parameters<typeof apiAssistantFeature>[0], 'checkToolResources'> &
  Parameters<typeof messageObjects>[0] &
  Parameters<typeof toolResourceCheck>[0];

/** The retired Assistants API, version 2, over Roster's own assistants and conversations. */
export function assistantsApiFeatures(dependencies: Dependencies): Feature[] {
  const checkToolResources = toolResourceCheck(dependencies);
  return [
    apiAssistantFeature({ ...dependencies, checkToolResources }),
    apiThreadFeature({ ...dependencies, checkToolResources }),
    apiMessageFeature({ ...dependencies, objectsOf: messageObjects(dependencies) }),
  ];
}
