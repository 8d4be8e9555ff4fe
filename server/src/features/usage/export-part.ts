import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { budgetRepository } from './budget-repository.ts';
import { priceRepository } from './price-repository.ts';

const json = (value: unknown) => [`${JSON.stringify(value, undefined, 2)}\n`];

/** Budgets and custom prices in an account export. Uses the read connection. */
export function usageExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  return {
    description: [
      'budgets.json                   what the calls of a month may cost',
      'prices.json                    prices that were entered by hand',
    ],
    async *entries(userId) {
      const budgets = await budgetRepository(reader).list(userId);
      yield { name: 'budgets.json', content: json(budgets.map(({ id: _, ...budget }) => budget)) };
      yield { name: 'prices.json', content: json(await priceRepository(reader).list(userId)) };
    },
  };
}
