import { noModelChoices } from '@roster/contracts/models/model-choices';
import { expect, test } from 'vitest';
import { connection, model, modelList } from '#web/testing/new-account.ts';
import { isOption, type Offer, optionLabel, pickerRows } from './picker-rows.ts';

const offer = (more: Partial<Offer> = {}): Offer => ({
  list: modelList(model('gpt-4o')),
  choices: noModelChoices,
  extras: [],
  without: [],
  text: '',
  open: new Set(),
  current: null,
  providerName: 'OpenAI',
  ...more,
});
const shown = (more: Partial<Offer>) =>
  pickerRows(offer(more)).map((row) => (isOption(row) ? optionLabel(row) : `${row.kind}: ${row.text}`));

const several = {
  ...modelList(model('gpt-4o'), model('ft:mine', { tuned: true })),
  connections: [
    connection(7, 'Home', model('@7/llama3.2'), model('@7/qwen3')),
    { ...connection(8, 'Work'), notice: 'The list cannot be read.' },
  ],
};

test('groups by connection, the installation’s provider first, below favorites and recent models', () => {
  const choices = { favorites: ['@7/qwen3'], hidden: [], recent: ['@7/qwen3', 'gpt-4o', 'gone'] };
  expect(shown({ list: several, choices })).toEqual([
    ...['title: Favorites', 'qwen3'],
    ...['title: Recently used', 'gpt-4o'],
    ...['title: Fine-tuned', 'ft:mine'],
    ...['title: Home', 'llama3.2'],
    ...['title: Work', 'note: The list cannot be read. Type the id of a model above to use it.'],
  ]);
});

test('folds dated, retiring and retired models, and finds them by search', () => {
  const list = modelList(
    model('gpt-4o'),
    model('gpt-4o-2024-08-06'),
    model('gpt-4', { lifecycle: 'ending' }),
    model('only-2024-08-06'),
    model('large-2411'),
    model('large-latest'),
  );
  expect(shown({ list })).toEqual([
    'title: Your models',
    ...['gpt-4o', 'only-2024-08-06', 'large-latest', 'Show 3 dated or retiring models'],
  ]);
  expect(shown({ list, open: new Set(['fold-own']) })).toContain('gpt-4o-2024-08-06');
  expect(shown({ list, text: '4O 2024' })).toEqual(['title: Your models', 'gpt-4o-2024-08-06']);
  expect(shown({ list, current: 'gpt-4' })).toContain('gpt-4');
  expect(shown({ list: modelList(model('gpt-4', { lifecycle: 'ending' })) })).toContain('gpt-4');
});

test('keeps hidden models away until they are shown, and offers none that are left out', () => {
  const list = modelList(model('a'), model('b'), model('c'));
  const choices = { favorites: [], hidden: ['b'], recent: [] };
  expect(shown({ list, choices, without: ['c'] })).toEqual(['title: Your models', 'a', 'Show hidden (1)']);
  expect(shown({ list, choices, open: new Set(['fold-hidden']) })).toContain('b');
});

test('accepts any id only where a list is unknown', () => {
  expect(shown({ text: 'unheard-of' })).toEqual([]);
  const unknown = { ...modelList(), source: 'unknown' as const };
  expect(shown({ list: unknown, text: 'unheard-of' })).toEqual(['title: Your models', 'unheard-of']);
  const typed = pickerRows(offer({ list: several, text: 'phi4' })).filter(isOption);
  expect(typed.map((row) => row.kind === 'model' && row.reference)).toEqual(['@8/phi4']);
});
