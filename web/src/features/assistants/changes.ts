import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  assistantFieldNames,
} from '@roster/contracts/assistants/assistants';

/** What a field holds is a single value, or an object as the contract has written it. */
const isSame = (one: unknown, other: unknown) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** What the form changed. Only that is sent, so that what was imported beyond the form's limits stays as it is. */
export function assistantChanges(stored: Assistant, draft: AssistantDraft): AssistantChanges {
  const changes: AssistantChanges = {};
  const take = <Name extends keyof AssistantDraft>(name: Name) => {
    if (!isSame(draft[name], stored[name])) changes[name] = draft[name];
  };
  for (const name of assistantFieldNames) take(name);
  return changes;
}
