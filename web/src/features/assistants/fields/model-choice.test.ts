import type { Model, ModelList } from '@roster/contracts/models/models';
import { describe, expect, test } from 'vitest';
import { endingModel } from '#web/testing/new-account.ts';
import { modelProblem, temperatureSupport } from './model-choice.ts';

const model = (id: string, rest: Partial<Model> = {}): Model => ({
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
  ...rest,
});
const list = (models: Model[]): ModelList => ({
  source: 'provider',
  notice: null,
  models,
  defaultModel: 'gpt-4o',
  connections: [],
});
const unknown: ModelList = { source: 'unknown', notice: 'No key', models: [], defaultModel: 'gpt-4o', connections: [] };

describe('model problems', () => {
  const ending = model('gpt-4o', { lifecycle: 'ending', shutdownDate: '2027-01-14', successor: 'gpt-5.2' });
  test('names the date and successor of a retiring model', () =>
    expect(modelProblem('gpt-4o', list([ending]))).toEqual({
      severity: 'warning',
      text: 'This model retires on January 14, 2027.',
      successor: 'gpt-5.2',
    }));
  test('reports a retired model, even if no list contains it', () => {
    const end = endingModel('gpt-4o', { lifecycle: 'gone' });
    const gone = {
      severity: 'destructive',
      text: 'This model retired on January 14, 2027.',
      successor: 'gpt-6.1-terra',
    };
    expect(modelProblem('gpt-4o', list([]), [end])).toEqual(gone);
    expect(modelProblem('gpt-4o', unknown, [end])).toEqual(gone);
  });
  test('reports nothing while the list is unknown', () => expect(modelProblem('gpt-4o', unknown)).toBeNull());
  test('reports a model that the key cannot use', () =>
    expect(modelProblem('other', list([ending]))?.text).toBe('Your key cannot use this model.'));
});

test('applies a conditional temperature only without reasoning', () => {
  const conditional = model('gpt-5.2', { temperature: 'conditional', efforts: ['none', 'low'] });
  expect(temperatureSupport(conditional, 'none')).toBe('used');
  expect(temperatureSupport(conditional, null)).toBe('withoutReasoning');
  expect(temperatureSupport(undefined, null)).toBe('used');
});
