import type { Model, ModelList } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { baseOf, modelGroups } from './model-options.ts';

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

test('lists tuned models first and once, without retired ones', () => {
  const models = list(
    model('gpt-4o'),
    model('ft:gpt-4o-mini:me::1', { tuned: true }),
    model('ft:gpt-4o:me::2', { tuned: true }),
    model('old', { lifecycle: 'gone' }),
  );
  expect(modelGroups(tuned, models)).toEqual([
    { label: 'Tuned here', options: [{ id: 'ft:gpt-4o-mini:me::1', words: 'Pirate (ft:gpt-4o-mini:me::1)' }] },
    { label: 'Tuned elsewhere', options: [{ id: 'ft:gpt-4o:me::2', words: 'ft:gpt-4o:me::2' }] },
    { label: 'Other models', options: [{ id: 'gpt-4o', words: 'gpt-4o' }] },
  ]);
});

test('offers the specified models while the list is unknown', () => {
  expect(modelGroups([], undefined).map(({ label, options }) => [label, options.length])).toEqual([
    ['Other models', 3],
  ]);
});

test('takes the base model from the data, otherwise from the id', () => {
  expect(baseOf('ft:gpt-4o-mini:me::1', tuned)).toBe('gpt-4o-mini-2024-07-18');
  expect(baseOf('ft:gpt-4.1-2025-04-14:me::2', tuned)).toBe('gpt-4.1-2025-04-14');
  expect(baseOf('gpt-4o', tuned)).toBeUndefined();
});
