import { expect, test } from 'vitest';
import { loadCatalogue } from '#server/provider/catalogue/catalogue';
import { baseModels } from './base-models.ts';

const catalogue = loadCatalogue();
const id = 'gpt-4o-2024-08-06';

/** True if the provider's own list, or another one's, offers to train the model on a day. */
const isOffered = async (day: string, isOpenAi: boolean) => {
  const listed = async () => [catalogue.describe(id, null, day)];
  const rest = { listedAtConnections: async () => [], hasKey: async () => true };
  const bases = baseModels({ ...rest, catalogue, listed, isOpenAi, now: () => Date.parse(`${day}T12:00:00Z`) });
  return Object.hasOwn(await bases.list(1), id);
};

test('offers a model until its provider stops training it, elsewhere until it is retired', async () => {
  expect([await isOffered('2027-01-05', true), await isOffered('2027-01-06', true)]).toEqual([true, false]);
  expect([await isOffered('2027-01-06', false), await isOffered('2027-01-13', false)]).toEqual([true, true]);
});
