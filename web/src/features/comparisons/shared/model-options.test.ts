import type { Model, ModelList } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { baseOf, isOffered, tunedGroups } from './model-options.ts';

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  shutdownDate: null,
  lifecycle: 'current',
  successor: null,
  price: null,
  temperature: 'yes',
  efforts: [],
  contextTokens: null,
  tuned: false,
  goodFor: null,
  marks: [],
  ...more,
});
const list = (...models: Model[]): ModelList => ({
  source: 'provider',
  notice: null,
  models,
  defaultModel: 'gpt-4o',
  connections: [],
});
const tuned = [{ name: 'Pirate', model: 'ft:gpt-4o-mini:me::1', baseModel: 'gpt-4o-mini-2024-07-18' }];

test('offers models that were tuned here, and those of the list that have not retired', () => {
  const models = list(model('gpt-4o'), model('old', { lifecycle: 'gone' }));
  const offered = ['ft:gpt-4o-mini:me::1', 'gpt-4o', 'old', 'unheard-of'].map((id) => isOffered(models, tuned, id));
  expect(offered).toEqual([true, true, false, false]);
  expect(tunedGroups(tuned, 'gpt-4o', () => undefined)).toMatchObject([
    { title: 'Tuned here', options: [{ label: 'Pirate (ft:gpt-4o-mini:me::1)', isChosen: false }] },
  ]);
});

test('takes the base model from the data, otherwise from the id', () => {
  expect(baseOf('ft:gpt-4o-mini:me::1', tuned)).toBe('gpt-4o-mini-2024-07-18');
  expect(baseOf('ft:gpt-4.1-2025-04-14:me::2', tuned)).toBe('gpt-4.1-2025-04-14');
  expect(baseOf('gpt-4o', tuned)).toBeUndefined();
});
