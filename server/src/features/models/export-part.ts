import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { modelChoiceRepository } from './choice-repository.ts';

/** Marked, hidden and last chosen models in an account export. Uses the read connection. */
export const modelChoicesPart = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['model-choices.json             the models that were marked, hidden and chosen last'],
  async *entries(userId) {
    const choices = await modelChoiceRepository(reader).find(userId);
    yield { name: 'model-choices.json', content: [`${JSON.stringify(choices, undefined, 2)}\n`] };
  },
});
