import { Assistant, AssistantDraft, assistants } from '@roster/contracts/assistants/assistants';
import { modelMigrations } from '@roster/contracts/assistants/model-migrations';
import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { testSets } from '@roster/contracts/comparisons/test-sets';
import { answer, refusal } from './answers.ts';
import { fixtureDate } from './new-account.ts';

export const assistant = (id: number, more: Partial<Assistant> = {}): Assistant => ({
  ...AssistantDraft.parse({ name: 'Tutor', model: 'gpt-4o', instructions: 'Explain with one example.' }),
  id,
  isDefault: id === 1,
  openaiAssistantId: null,
  files: 0,
  version: 1,
  createdAt: fixtureDate,
  updatedAt: fixtureDate,
  ...more,
});

/** Answers calls about assistants from a list that can be changed. */
export function serveAssistants(...given: Assistant[]) {
  let kept = given;
  const found = (id: number) =>
    kept.find((one) => one.id === id) ?? refusal('not_found', 'There is no such assistant.');
  answer(assistants.list, () => kept);
  answer(modelMigrations.list, []);
  answer(comparisons.list, { items: [], nextCursor: null });
  answer(testSets.list, { items: [] });
  answer(assistants.create, ({ body }) => {
    const created = assistant(kept.length + 1, { ...body, isDefault: kept.length === 0 });
    kept = [created, ...kept];
    return created;
  });
  answer(assistants.update, ({ params: { id }, body }) => {
    kept = kept.map((one) => (one.id === id ? Assistant.parse({ ...one, ...body }) : one));
    return found(id);
  });
  answer(assistants.remove, ({ params: { id } }) => {
    kept = kept.filter((one) => one.id !== id);
  });
  answer(assistants.setDefault, ({ body: { assistantId } }) => {
    kept = kept.map((one) => ({ ...one, isDefault: one.id === assistantId }));
    return found(assistantId);
  });
  return { now: () => kept };
}
