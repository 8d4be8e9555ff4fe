import { expect, test } from 'vitest';
import { model, modelList } from '#web/testing/new-account.ts';
import { exampleModels } from './example-models.ts';

const priced = (id: string, output: number, more = {}) =>
  model(id, { price: { input: output / 4, cachedInput: null, output, asOf: '2026-11-20', family: null }, ...more });

test('chooses the default model, the cheapest and the most expensive one', () => {
  const list = modelList(priced('gpt-4o', 10), priced('mini', 1), priced('medium', 5), priced('large', 20));
  expect(exampleModels(list)).toEqual(['gpt-4o', 'mini', 'large']);
});

test('leaves out retiring, fine-tuned, dated and very expensive models', () => {
  const list = modelList(
    priced('gpt-4o', 10, { lifecycle: 'ending' }),
    priced('ft:gpt-4o:me::1', 10, { tuned: true }),
    priced('mini-2026-01-14', 1),
    priced('pro', 120),
    priced('mini', 1),
    priced('large', 20),
  );
  expect(exampleModels(list)).toEqual(['mini', 'large']);
});

test('fills up with other models, and chooses none while the list is unknown', () => {
  const list = modelList(model('llama'), model('qwen'), model('gemma'), model('phi'));
  expect(exampleModels(list)).toEqual(['llama', 'qwen', 'gemma']);
  expect(exampleModels({ ...list, source: 'unknown' })).toEqual([]);
});
