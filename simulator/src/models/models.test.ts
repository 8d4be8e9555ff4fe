import { expect, test } from 'vitest';
import { at, expectError, expectSchema, listAt, startedSimulator } from '../testing.ts';

test('lists the models of November 2026, mixed and unordered, with their shutdown days', async () => {
  const { get } = await startedSimulator({ shutdownDays: 'announced' });
  const { status, body } = await get('/models');
  expect(status).toBe(200);
  expectSchema('ListModelsResponse', body);
  const models = listAt(body, 'data');
  const ending = new Map(models.map((model) => [at(model, 'id'), at(model, 'shutdown_date')]));
  expect(ending.get('gpt-4o')).toBe('2027-01-14');
  expect(ending.get('gpt-5')).toBe('2026-12-11');
  expect(ending.get('gpt-6-luna')).toBeNull();
  const ids = [...ending.keys()];
  expect(ids).toEqual(expect.arrayContaining(['text-embedding-3-small', 'whisper-1', 'gpt-image-2', 'gpt-realtime-2']));
  expect(ids).not.toEqual([...ids].sort());
  for (const gone of ['gpt-4-turbo', 'gpt-3.5-turbo', 'gpt-4', 'o4-mini']) expect(ids).not.toContain(gone);
});

test('lists models that end in the far future unless a day is set', async () => {
  const { get } = await startedSimulator();
  const ends = listAt((await get('/models')).body, 'data').map((model) => at(model, 'shutdown_date'));
  expect(new Set(ends)).toEqual(new Set([null, '2099-12-31']));
});

test('returns a single model, and does not find a retired one', async () => {
  const { get } = await startedSimulator();
  expectSchema('Model', (await get('/models/gpt-6-luna')).body);
  expectError(await get('/models/gpt-4-turbo'), 404, { code: 'model_not_found' });
});

test('answers on a set day with a model that ends tomorrow, not with one that has ended', async () => {
  const { get, post } = await startedSimulator({ day: () => '2027-01-13' });
  const ids = listAt((await get('/models')).body, 'data').map((model) => at(model, 'id'));
  expect(ids).toContain('gpt-4o');
  expect(ids).not.toContain('gpt-5');
  expect((await post('/responses', { model: 'gpt-4o', input: 'x' })).status).toBe(200);
  expectError(await post('/responses', { model: 'gpt-5', input: 'x' }), 404, { code: 'model_not_found' });
  expectError(await get('/models/gpt-5'), 404, { code: 'model_not_found' });
  expectError(await post('/responses', { model: 'gpt-6.1-terra', input: 'x', temperature: 0.7 }), 400, {
    param: 'temperature',
  });
});

test('does not delete the provider’s models', async () => {
  const simulator = await startedSimulator();
  expectError(await simulator.delete('/models/gpt-4o'), 403, { type: 'invalid_request_error' });
  expectError(await simulator.delete('/models/ft:gpt-4o:roster::none'), 404, { code: 'model_not_found' });
});

test('answers nothing with a retired model, or one that does not write text', async () => {
  const { post } = await startedSimulator();
  const message = 'The model `gpt-4-turbo` does not exist or you do not have access to it.';
  expectError(await post('/responses', { model: 'gpt-4-turbo', input: 'x' }), 404, {
    code: 'model_not_found',
    message,
  });
  expectError(
    await post('/chat/completions', { model: 'gpt-3.5-turbo', messages: [{ role: 'user', content: 'x' }] }),
    404,
    { code: 'model_not_found' },
  );
  expectError(await post('/responses', { model: 'text-embedding-3-small', input: 'x' }), 404, { param: 'model' });
});

const refused = {
  message: "Unsupported parameter: 'temperature' is not supported with this model.",
  param: 'temperature',
};

test.each([
  ['gpt-4o', {}, true],
  ['gpt-4.1-mini', {}, true],
  ['gpt-5', {}, false],
  ['o3', {}, false],
  ['gpt-5.4', {}, true],
  ['gpt-5.4', { reasoning: { effort: 'high' } }, false],
  ['gpt-6-luna', {}, false],
  ['gpt-6-luna', { reasoning: { effort: 'none' } }, true],
  ['gpt-6-astra', {}, false],
])('%s with %j accepts a temperature: %s', async (model, more, taken) => {
  const { post } = await startedSimulator();
  const answer = await post('/responses', { model, input: 'x', temperature: 0.7, ...more });
  if (taken) expect(answer.status).toBe(200);
  else expectError(answer, 400, refused);
  expect((await post('/responses', { model, input: 'x', temperature: 1, ...more })).status).toBe(200);
});

test('rejects efforts that a model does not know', async () => {
  const { post } = await startedSimulator();
  const ask = (model: string, effort: string) => post('/responses', { model, input: 'x', reasoning: { effort } });
  expectError(await ask('gpt-6-astra', 'none'), 400, { param: 'reasoning.effort', code: 'unsupported_value' });
  expectError(await ask('gpt-4o', 'low'), 400, { param: 'reasoning.effort' });
  expect((await ask('gpt-6.1-terra', 'max')).status).toBe(200);
});
