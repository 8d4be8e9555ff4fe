import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, forgetAsks, newThread, sendMessage, until } from '#server/testing/chat';
import { askPrompt, comparisonOf, newComparison, comparisonsPath as path, startOf } from '#server/testing/comparisons';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const quick = '[[bench 5]] [[delay 0]]';
const endless = '[[bench 40000]] [[delay 20]]';

describe.each(engines)('asking all prompts on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const someone = () => app.withKey(`person${++people}`);
  const idle = (visitor: HttpClient, id: number) =>
    until('The end', async () => {
      const comparison = await comparisonOf(visitor, id);
      return comparison.state === 'idle' && comparison;
    });

  test('works on the server, two answers at a time, each asked once', async () => {
    const ada = await someone();
    const { id } = await newComparison(
      ada,
      ['One', 'Two', 'Three'].map((word) => `${word} ${quick}`),
    );
    await forgetAsks(app);
    const started = await Promise.all([startOf(ada, id), startOf(ada, id)]);
    expect(started.map(({ status, body }) => [status, body.state])).toEqual([
      [202, 'asking'],
      [202, 'asking'],
    ]);
    const done = await idle(ada, id);
    expect(done).toMatchObject({ answered: 3, refusal: null });
    const requests = (await asksOf(app)).map(
      ({ body }) => `${body.model} ${JSON.stringify(body.input).match(/One|Two|Three/)}`,
    );
    expect(requests.sort()).toEqual(
      ['gpt-4o', 'gpt-4o-mini'].flatMap((model) => ['One', 'Three', 'Two'].map((word) => `${model} ${word}`)),
    );
    const again = await startOf(ada, id);
    expect([again.status, again.body.message]).toEqual([409, 'Every prompt has already been answered.']);
  });

  test('stops on request, and asks what is left when it is started again', async () => {
    const ada = await someone();
    const { id } = await newComparison(ada, [endless, quick]);
    await startOf(ada, id);
    await until('Both are written', async () => (await comparisonOf(ada, id)).items[0]?.baseline?.state === 'running');
    expect((await comparisonOf(ada, id)).items.map(({ isDue }) => isDue)).toEqual([false, true]);
    const { status, body } = await ada.post(`${path}/${id}/stop`);
    expect([status, body.state]).toEqual([200, 'idle']);
    const stopped = await until('Both have stopped', async () => {
      const { items } = await comparisonOf(ada, id);
      return items[0]?.candidate?.state === 'stopped' && items[0]?.baseline?.state === 'stopped' && items;
    });
    expect(stopped[1]).toMatchObject({ candidate: null, baseline: null, isDue: false });
  });

  test('is rejected without a key, and stops with the reason when a budget is exceeded', async () => {
    const eve = await app.as('eve');
    const { id: locked } = await newComparison(eve, ['Locked']);
    const refused = await startOf(eve, locked);
    expect([refused.status, refused.body.code]).toEqual([409, 'no_api_key']);

    const ada = await someone();
    const { id } = await newComparison(ada, ['[[tokens 3000]] [[delay 0]]', quick]);
    await ada.post('/api/analytics/budgets', { assistantId: null, amountUsd: 0.01, hardStop: true });
    expect((await startOf(ada, id)).status).toBe(202);
    const ended = await idle(ada, id);
    expect([ended.answered, ended.refusal?.code]).toEqual([1, 'budget_exceeded']);
    expect(ended.items[1]).toMatchObject({ candidate: null, baseline: null, isDue: false });
    expect((await startOf(ada, id)).body.code).toBe('budget_exceeded');
    expect((await startOf(ada, id, { overBudget: true })).status).toBe(202);
    expect((await idle(ada, id)).answered).toBe(2);
  });

  test('waits for room, says so, and continues by itself', async () => {
    const ada = await someone();
    const chats = [];
    for (let index = 0; index < 2; index++) chats.push(await sendMessage(ada, await newThread(ada), endless));
    const { id } = await newComparison(ada, [quick]);
    await startOf(ada, id);
    const waiting = await until('It waits', async () => {
      const comparison = await comparisonOf(ada, id);
      return comparison.refusal !== null && comparison;
    });
    expect([waiting.state, waiting.refusal?.code]).toEqual(['asking', 'too_many_runs']);
    for (const { run } of chats) await ada.post(`/api/runs/${run.id}/stop`);
    expect((await idle(ada, id)).answered).toBe(1);
  });

  test('stops for a user who may no longer ask', async () => {
    const ada = await someone();
    const { id } = await newComparison(ada, [endless, quick]);
    const { body: first } = await startOf(ada, id);
    expect(first.state).toBe('asking');
    const running = await until('Both are written', async () => {
      const [item] = (await comparisonOf(ada, id)).items;
      return item?.candidate?.state === 'running' && item?.baseline?.state === 'running' && item;
    });
    await setUser(app, `person${people}@example.com`, { role: 'Viewer' });
    for (const answer of [running.candidate, running.baseline]) await ada.post(`/api/runs/${answer?.runId}/stop`);
    const ended = await idle(ada, id);
    expect(ended.refusal?.code).toBe('not_allowed');
    expect(ended.items[1]).toMatchObject({ candidate: null, baseline: null });
  });

  test('continues after an answer that failed', async () => {
    const ada = await someone();
    const { id } = await newComparison(ada, ['First', quick], { candidateModel: 'ft:gpt-4o-mini:nobody::gone' });
    await startOf(ada, id);
    const ended = await idle(ada, id);
    expect(ended.items.map(({ candidate, baseline }) => [candidate?.state, baseline?.state])).toEqual([
      ['failed', 'complete'],
      ['failed', 'complete'],
    ]);
  });

  test('estimates its cost beforehand', async () => {
    const ada = await someone();
    const { id } = await newComparison(ada, ['x'.repeat(4_000), 'y'], { candidateModel: 'ft:unknown::' });
    const { body } = await ada.get(`${path}/${id}/estimate`);
    expect(body).toMatchObject({
      answers: 4,
      inputTokens: 2 * 1_001,
      outputTokens: 4 * 400,
      unpriced: ['ft:unknown::'],
    });
    expect(body.costUsd).toBeGreaterThan(0);
    const { id: comparisonId, items } = await newComparison(ada, [endless, 'y']);
    const { body: active } = await askPrompt(ada, comparisonId, items[0]?.id ?? 0);
    expect((await ada.get(`${path}/${comparisonId}/estimate`)).body).toMatchObject({ answers: 2, unpriced: [] });
    for (const { runId } of [active.candidate, active.baseline]) await ada.post(`/api/runs/${runId}/stop`);
  });

  test('compares with earlier answers without asking for them, or with none', async () => {
    const ada = await someone();
    const { id } = await newComparison(ada, ['Earlier', 'Alone']);
    const text = { text: 'What was said', model: 'gpt-4', version: 3, createdAt: '2026-01-02T03:04:05.000Z' };
    await withDatabase(app, (db) =>
      db
        .updateTable('comparison_prompts')
        .set({ baseline_text: JSON.stringify(text) })
        .where('comparison_id', '=', id)
        .execute(),
    );
    await forgetAsks(app);
    await startOf(ada, id);
    const { items, answered } = await idle(ada, id);
    expect(answered).toBe(2);
    expect((await asksOf(app)).map(({ body }) => body.model)).toEqual(['gpt-4o-mini', 'gpt-4o-mini']);
    expect(items[0]?.baseline).toEqual({
      ...{ runId: null, state: 'complete', text: text.text, usage: null, error: null },
      ...{ createdAt: text.createdAt, finishedAt: text.createdAt, stored: { model: 'gpt-4', version: 3 } },
    });
    expect((await ada.post(`${path}/${id}/prompts/${items[0]?.id}/vote`, { vote: 'baseline' })).body.vote).toBe(
      'baseline',
    );

    const { id: alone, items: two } = await newComparison(ada, ['Alone']);
    await withDatabase(app, (db) =>
      db.updateTable('comparisons').set({ baseline: null }).where('id', '=', alone).execute(),
    );
    await startOf(ada, alone);
    expect(await idle(ada, alone)).toMatchObject({ answered: 1, baseline: null, items: [{ baseline: null }] });
    expect((await ada.post(`${path}/${alone}/prompts/${two[0]?.id}/vote`, { vote: 'tie' })).status).toBe(409);
  });
});
