import type { Assistant, AssistantChanges, AssistantDraft } from '@roster/contracts/assistants';

/** What the form changed. Only that is sent, so that what was imported beyond the form's limits stays as it is. */
export function changesBetween(stored: Assistant, draft: AssistantDraft): AssistantChanges {
  const changes: AssistantChanges = {};
  if (draft.name !== stored.name) changes.name = draft.name;
  if (draft.description !== stored.description) changes.description = draft.description;
  if (draft.model !== stored.model) changes.model = draft.model;
  if (draft.temperature !== stored.temperature) changes.temperature = draft.temperature;
  if (draft.reasoningEffort !== stored.reasoningEffort) changes.reasoningEffort = draft.reasoningEffort;
  if (draft.instructions !== stored.instructions) changes.instructions = draft.instructions;
  return changes;
}
