import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  assistantFieldNames,
} from '@roster/contracts/assistants/assistants';

/** Values are primitives, or objects normalized by the contract. */
const isSame = (one: unknown, other: unknown) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Fields that the form changed. Only those are sent, so that imported values beyond the form's limits are kept. */
export function changesBetween(stored: Assistant, draft: AssistantDraft): AssistantChanges {
  const changes: AssistantChanges = {};
  const take = <Name extends keyof AssistantDraft>(name: Name) => {
    if (!isSame(draft[name], stored[name])) changes[name] = draft[name];
  };
  for (const name of assistantFieldNames) take(name);
  return changes;
}
