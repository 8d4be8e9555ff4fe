import type { Model, ModelList } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { chatTargetOptions } from './chat-target-options.ts';

const plainLook = { starters: [], icon: null, color: null };

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  shutdownDate: null,
  lifecycle: 'current',
  successor: null,
  price: { input: 2.5, cachedInput: null, output: 10, asOf: '2026-11-01', family: null },
  temperature: 'yes',
  efforts: [],
  contextTokens: null,
  tuned: false,
  marks: [],
  ...more,
});
const list = (models: Model[], source: ModelList['source'] = 'provider'): ModelList => ({
  source,
  notice: null,
  models,
  defaultModel: 'gpt-4o',
  connections: [],
});
const chatTargets = [
  { assistantId: 7, name: 'Tutor', model: 'gpt-4o', description: '', ...plainLook },
  { assistantId: null, name: 'No assistant', model: 'gpt-4o', description: '', ...plainLook },
];
const offered = (models: ModelList, text = '', modelsOnly = false) =>
  chatTargetOptions({ chatTargets, models, text, modelsOnly }).map(({ title, options }) => [
    title,
    ...options.map(({ label }) => label),
  ]);

test('groups assistants, models, tuned models and retired models', () => {
  const models = list([model('gpt-4o'), model('ft:mine', { tuned: true }), model('old', { lifecycle: 'gone' })]);
  expect(offered(models)).toEqual([
    ['Assistants', 'Tutor'],
    ['Your models', 'Default model', 'gpt-4o'],
    ['Fine-tuned', 'ft:mine'],
    ['Retired', 'old'],
  ]);
  expect(offered(models, 'mine', true)).toEqual([['Fine-tuned', 'ft:mine']]);
  expect(offered(models, 'unheard-of')).toEqual([]);
});

test('accepts any model id only while the key’s models are unknown', () => {
  expect(offered(list([], 'unknown'), 'unheard-of')).toEqual([['Another model', 'unheard-of']]);
});
