import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usageRepository } from '#server/features/usage/repository';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, forgetAsks, newThread, sendMessage, titleAsksOf, until } from '#server/testing/chat';
import {
  askPrompt,
  compared,
  comparisonOf,
  newComparison,
  comparisonsPath as path,
  votePrompt,
} from '#server/testing/comparisons';
import { setUser, withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import { openEvents, readEvents, textOf } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('comparing two models on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const someone = () => app.withKey(`person${++people}`);
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  const analyticsOf = (visitor: HttpClient) => visitor.get(`/api/analytics?${aroundToday()}`);
  const threadsOf = (userId: number) =>
    withDatabase(app, (db) => db.selectFrom('threads').selectAll().where('user_id', '=', userId).execute());

  test('asks both the same prompts, one after the other, and counts the votes', async () => {
    const ada = await someone();
    const made = await newComparison(ada, ['What is a parrot?', 'What is a fox?'], {
      instructions: 'Answer like a pirate.',
    });
    expect(made).toMatchObject({
      kind: 'models',
      title: 'gpt-4o-mini and gpt-4o',
      assistant: null,
      candidate: { model: 'gpt-4o-mini', instructions: null, temperature: null },
      baseline: { model: 'gpt-4o', instructions: null, temperature: null },
      state: 'idle',
      refusal: null,
      prompts: 2,
      answered: 0,
      tally: { candidate: 0, baseline: 0, tie: 0 },
    });
    const [first, second] = made.items;
    if (!first || !second) throw new Error('two prompts');
    expect(first).toEqual({
      id: first.id,
      instructions: 'Answer like a pirate.',
      turns: [{ role: 'user', text: 'What is a parrot?' }],
      expected: null,
      candidate: null,
      baseline: null,
      vote: null,
      hasBaseline: true,
      isDue: false,
    });

    await forgetAsks(app);
    const { status, body: started } = await askPrompt(ada, made.id, first.id);
    expect(status).toBe(202);
    const streamed = await Promise.all(
      [started.candidate, started.baseline].map(({ runId }) => readEvents(app, ada, runId)),
    );
    const [answered, untouched] = (await comparisonOf(ada, made.id)).items;
    expect(untouched).toEqual(second);
    for (const [index, side] of (['candidate', 'baseline'] as const).entries()) {
      const answer = answered?.[side];
      expect(answer).toMatchObject({ runId: started[side].runId, state: 'complete', error: null });
      expect(answer?.text).toBe(textOf(streamed[index] ?? []));
      expect(answer?.text).not.toBe('');
      expect(answer?.usage).toMatchObject({ estimated: false, costUsd: expect.any(Number) });
      expect(Date.parse(answer?.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(answer?.createdAt ?? ''));
    }
    const requests = await asksOf(app);
    expect(requests.map(({ body }) => body.model).sort()).toEqual(['gpt-4o', 'gpt-4o-mini']);
    for (const { body } of requests) {
      expect(JSON.stringify(body)).toContain('What is a parrot?');
      expect(body.instructions).toBe('Answer like a pirate.');
      expect(body.temperature).toBeUndefined();
    }

    expect((await votePrompt(ada, made.id, first.id, 'candidate')).body).toMatchObject({
      id: first.id,
      vote: 'candidate',
    });
    await compared(app, ada, made.id, second.id);
    await votePrompt(ada, made.id, second.id, 'tie');
    const { body: list } = await ada.get(path);
    expect(list).toMatchObject({
      items: [{ id: made.id, prompts: 2, answered: 2, tally: { candidate: 1, baseline: 0, tie: 1 } }],
      nextCursor: null,
    });
    await votePrompt(ada, made.id, second.id, null);
    expect((await comparisonOf(ada, made.id)).tally).toEqual({ candidate: 1, baseline: 0, tie: 0 });
  });

  test('shows what the previous version has made, which may run alongside, and keeps its data', async () => {
    const ada = await someone();
    const userId = await idOf(ada);
    const at = '2026-11-24T12:00:00.000Z';
    const theirs = await withDatabase(app, async (db) => {
      const { rows } = await sql<{ id: number }>`insert into comparisons
        (user_id, tuned_model, base_model, temperature, created_at)
        values (${userId}, 'ft:"quoted"', 'gpt-4o', 0.5, ${at}) returning id`.execute(db);
      const id = rows[0]?.id ?? 0;
      for (const [index, vote] of ['tuned', 'base', 'tie', null].entries())
        await sql`insert into comparison_prompts (user_id, comparison_id, position, instructions, turns, vote)
          values (${userId}, ${id}, ${index}, 'Be brief', '[]', ${vote})`.execute(db);
      return id;
    });
    const side = { instructions: null, temperature: 0.5, effort: null, responseSchema: null, assistantVersion: null };
    expect(await comparisonOf(ada, theirs)).toMatchObject({
      kind: 'models',
      title: 'ft:"quoted" and gpt-4o',
      candidate: { ...side, label: 'ft:"quoted"', model: 'ft:"quoted"' },
      baseline: { ...side, label: 'gpt-4o', model: 'gpt-4o' },
      state: 'idle',
      answered: 0,
      tally: { candidate: 1, baseline: 1, tie: 1 },
      createdAt: at,
      items: [{ vote: 'candidate' }, { vote: 'baseline' }, { vote: 'tie' }, { vote: null }],
    });

    const { id, items } = await newComparison(ada, ['What is a fox?'], { temperature: 0.25 });
    const promptId = items[0]?.id ?? 0;
    await compared(app, ada, id, promptId);
    await votePrompt(ada, id, promptId, 'candidate');
    const stored = await withDatabase(app, (db) =>
      sql`select c.tuned_model, c.base_model, c.temperature, p.vote from comparisons c
        join comparison_prompts p on p.comparison_id = c.id join threads t on t.id = p.tuned_thread_id
        where c.id = ${id}`.execute(db),
    );
    expect(stored.rows).toEqual([
      { tuned_model: 'gpt-4o-mini', base_model: 'gpt-4o', temperature: 0.25, vote: 'tuned' },
    ]);
  });

  test('sends the temperature only to a model that takes one', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Hot?'], {
      candidateModel: 'gpt-4o',
      baselineModel: 'gpt-6-sol',
      temperature: 0.3,
    });
    await forgetAsks(app);
    await compared(app, ada, id, items[0]?.id ?? 0);
    const sent = new Map((await asksOf(app)).map(({ body }) => [body.model, body.temperature]));
    expect([sent.get('gpt-4o'), sent.get('gpt-6-sol')]).toEqual([0.3, undefined]);
  });

  test('asks again only on request, and drops the vote on the old answers', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Once more']);
    const promptId = items[0]?.id ?? 0;
    const before = await compared(app, ada, id, promptId);
    await votePrompt(ada, id, promptId, 'baseline');
    const same = await askPrompt(ada, id, promptId);
    expect([same.status, same.body]).toEqual([202, { ...before, vote: 'baseline' }]);

    const after = await compared(app, ada, id, promptId, { again: true });
    expect(after.vote).toBeNull();
    expect(after.candidate?.runId).not.toBe(before.candidate?.runId);
    expect(after.baseline?.runId).not.toBe(before.baseline?.runId);
    expect(await threadsOf(await idOf(ada))).toHaveLength(2);
    const { body } = await ada.get(`/api/runs/${before.baseline?.runId}/events`);
    expect(body.code).toBe('not_found');
    // The cost of the first answers stays.
    expect((await analyticsOf(ada)).body.totals.requests).toBe(4);
  });

  test('asks once if it is requested twice at once', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['At once']);
    const promptId = items[0]?.id ?? 0;
    const answers = await Promise.all([1, 2, 3].map(() => askPrompt(ada, id, promptId)));
    expect(
      new Set(answers.map(({ status, body }) => `${status} ${body.candidate.runId} ${body.baseline.runId}`)).size,
    ).toBe(1);
    expect(await threadsOf(await idOf(ada))).toHaveLength(2);
  });

  test('is no conversation: no list, search, title or export of conversations has it', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['A hippogriff, please']);
    await forgetAsks(app);
    await compared(app, ada, id, items[0]?.id ?? 0);
    expect((await ada.get('/api/threads')).body.items).toEqual([]);
    expect((await ada.get('/api/threads?q=hippogriff')).body.items).toEqual([]);
    for (const { id: threadId } of await threadsOf(await idOf(ada))) {
      expect((await ada.get(`/api/threads/${threadId}`)).status).toBe(404);
      expect((await ada.get(`/api/threads/${threadId}/messages`)).status).toBe(404);
      expect((await ada.get(`/api/threads/${threadId}/export?format=json`)).status).toBe(404);
      expect((await ada.patch(`/api/threads/${threadId}`, { title: 'Mine' })).status).toBe(404);
      expect((await ada.delete(`/api/threads/${threadId}`)).status).toBe(404);
      const message = { message: 'More', clientId: `more-${threadId}-more` };
      expect((await ada.post(`/api/threads/${threadId}/messages`, message)).status).toBe(404);
    }
    expect(await threadsOf(await idOf(ada))).toMatchObject([{ pinned: 0 }, { pinned: 0 }]);
    expect(await titleAsksOf(app)).toEqual([]);

    const { body } = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(jsonLines(files.get('conversations/INDEX.jsonl'))).toEqual([]);
    expect(jsonLines(files.get('comparisons.jsonl'))).toMatchObject([
      {
        kind: 'models',
        candidate: { model: 'gpt-4o-mini' },
        baseline: { model: 'gpt-4o' },
        prompts: [
          {
            turns: [{ role: 'user', text: 'A hippogriff, please' }],
            candidate: { state: 'complete', text: expect.stringMatching(/./) },
            baseline: { state: 'complete' },
            vote: null,
          },
        ],
      },
    ]);
  });

  test('counts its calls as comparisons in Analytics, with a link while it exists', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['How much?']);
    const { candidate, baseline } = await compared(app, ada, id, items[0]?.id ?? 0);
    const { body } = await analyticsOf(ada);
    const cost = (candidate?.usage?.costUsd ?? 0) + (baseline?.usage?.costUsd ?? 0);
    expect(body.totals).toMatchObject({ requests: 2, costUsd: expect.closeTo(cost, 9) });
    expect(body.recent).toHaveLength(2);
    for (const request of body.recent)
      expect(request).toMatchObject({ purpose: 'comparison', comparisonId: id, thread: null, jobId: null });
    expect((await ada.delete(`${path}/${id}`)).status).toBe(204);
    const { body: after } = await analyticsOf(ada);
    expect(after.totals).toEqual(body.totals);
    expect(after.recent).toHaveLength(2);
    for (const request of after.recent)
      expect(request).toMatchObject({ purpose: 'comparison', comparisonId: null, thread: null });
  });

  test('links an answer that was repeated, too', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Once more']);
    await compared(app, ada, id, items[0]?.id ?? 0);
    await compared(app, ada, id, items[0]?.id ?? 0, { again: true });
    const { body } = await analyticsOf(ada);
    expect(body.recent).toHaveLength(4);
    for (const request of body.recent) expect(request).toMatchObject({ purpose: 'comparison', comparisonId: id });
  });

  test('links no deleted conversation, and no comparison of another user', async () => {
    const [ada, bob] = [await someone(), await someone()];
    const { id } = await newComparison(ada, ['Mine']);
    const threadId = await newThread(bob);
    await ask(app, bob, threadId, 'Hello [[delay 0]]');
    const shown = async () => (await analyticsOf(bob)).body.recent;
    expect((await bob.delete(`/api/threads/${threadId}`)).status).toBe(204);
    const [call] = (await shown()).filter(({ purpose }: { purpose: string }) => purpose !== 'title');
    expect(call).toMatchObject({ purpose: 'chat', comparisonId: null, thread: null });
    const userId = await idOf(bob);
    await withDatabase(app, (db) =>
      db.updateTable('usage_records').set({ comparison_id: id }).where('user_id', '=', userId).execute(),
    );
    expect((await shown())[0]).toMatchObject({ purpose: 'comparison', comparisonId: null });
  });

  test('counts an answer that was deleted elsewhere meanwhile as a comparison’s', async () => {
    const ada = await someone();
    const userId = await idOf(ada);
    const { id, items } = await newComparison(ada, ['Under way [[bench 60000]] [[delay 10]]']);
    const { body: started } = await askPrompt(ada, id, items[0]?.id ?? 0);
    for (const { runId } of [started.candidate, started.baseline]) await (await openEvents(app, ada, runId)).until(3);
    await withDatabase(app, async (db) => {
      await db.deleteFrom('comparisons').where('user_id', '=', userId).execute();
      await db.deleteFrom('threads').where('user_id', '=', userId).execute();
    });
    await until('both calls on record', async () => (await analyticsOf(ada)).body.totals.requests === 2);
    for (const request of (await analyticsOf(ada)).body.recent)
      expect(request).toMatchObject({ purpose: 'comparison', comparisonId: null, thread: null });
  });

  test('shows one answer if the other model fails, and repeats only the failed one', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Half of it']);
    const promptId = items[0]?.id ?? 0;
    const half = await withFault(app, { fail: 'model_not_found' }, { model: 'gpt-4o-mini' }, () =>
      compared(app, ada, id, promptId),
    );
    expect(half.candidate).toMatchObject({ state: 'failed', text: '', error: { code: 'model_not_found' } });
    expect(half.candidate?.error?.message).toContain('does not exist');
    expect(half.baseline).toMatchObject({ state: 'complete' });
    expect((await comparisonOf(ada, id)).answered).toBe(0);

    const whole = await compared(app, ada, id, promptId);
    expect(whole.candidate).toMatchObject({ state: 'complete', error: null });
    expect(whole.baseline).toEqual(half.baseline);
    expect((await comparisonOf(ada, id)).answered).toBe(1);
  });

  test('can be stopped, and continues with what was stopped', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Stop this [[bench 60000]] [[delay 10]]']);
    const promptId = items[0]?.id ?? 0;
    const { body: started } = await askPrompt(ada, id, promptId);
    const reader = await openEvents(app, ada, started.candidate.runId);
    await reader.until(3);
    expect((await votePrompt(ada, id, promptId, 'tie')).body.code).toBe('conflict');
    expect((await askPrompt(ada, id, promptId, { again: true })).body.code).toBe('run_in_progress');
    const running = await askPrompt(ada, id, promptId);
    expect([running.body.candidate.runId, running.body.baseline.runId]).toEqual([
      started.candidate.runId,
      started.baseline.runId,
    ]);
    for (const { runId } of [started.candidate, started.baseline])
      expect((await ada.post(`/api/runs/${runId}/stop`)).body.state).toBe('stopped');
    const [stopped] = (await comparisonOf(ada, id)).items;
    expect(stopped?.candidate).toMatchObject({ state: 'stopped', text: expect.stringMatching(/^ t0000/) });
    expect(stopped?.baseline).toMatchObject({ state: 'stopped' });
    const { body: next } = await askPrompt(ada, id, promptId);
    expect(next.candidate.runId).not.toBe(started.candidate.runId);
    expect((await ada.delete(`${path}/${id}`)).status).toBe(204);
  });

  test('starts both sides together or not at all', async () => {
    const ada = await someone();
    const long = '[[bench 60000]] [[delay 10]]';
    const chats = [
      await sendMessage(ada, await newThread(ada), long),
      await sendMessage(ada, await newThread(ada), long),
    ];
    const { id, items } = await newComparison(ada, ['No room']);
    const refused = await askPrompt(ada, id, items[0]?.id ?? 0);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_runs']);
    expect(refused.body.message).toBe(
      '3 answers can be written at a time, and 2 are being written already. Wait for one of them.',
    );
    expect(await threadsOf(await idOf(ada))).toHaveLength(2);
    expect((await comparisonOf(ada, id)).items[0]).toMatchObject({ candidate: null, baseline: null });
    for (const { run } of chats) await ada.post(`/api/runs/${run.id}/stop`);
    expect((await compared(app, ada, id, items[0]?.id ?? 0)).baseline?.state).toBe('complete');
  });

  test('asks nothing over a budget with a hard stop, unless its owner insists', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Dear', 'Dearer']);
    await compared(app, ada, id, items[0]?.id ?? 0);
    const tokens = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 };
    const spent = { ...tokens, threadId: null, runId: null, assistantId: null, costUsd: 1, priceAsOf: null };
    const userId = await idOf(ada);
    await withDatabase(app, (db) =>
      db.transaction().execute((trx) =>
        usageRepository(trx).record(userId, {
          ...spent,
          model: 'gpt-4o',
          purpose: 'chat',
          estimated: false,
          createdAt: new Date().toISOString(),
        }),
      ),
    );
    await ada.post('/api/analytics/budgets', { assistantId: null, amountUsd: 0.01, hardStop: true });
    const refused = await askPrompt(ada, id, items[1]?.id ?? 0);
    expect([refused.status, refused.body.code]).toEqual([409, 'budget_exceeded']);
    expect((await comparisonOf(ada, id)).items[1]).toMatchObject({ candidate: null, baseline: null });
    expect((await compared(app, ada, id, items[1]?.id ?? 0, { overBudget: true })).candidate?.state).toBe('complete');
  });

  test('can be prepared without a key, and asked with one', async () => {
    const eve = await app.as('eve');
    const { id, items } = await newComparison(eve, ['Locked']);
    const refused = await askPrompt(eve, id, items[0]?.id ?? 0);
    expect([refused.status, refused.body.code]).toEqual([409, 'no_api_key']);
    await app.withKey('eve');
    expect((await compared(app, eve, id, items[0]?.id ?? 0)).candidate?.state).toBe('complete');
  });

  test('lets a Viewer read, but change nothing', async () => {
    const name = `person${people + 1}`;
    const vic = await someone();
    const { id, items } = await newComparison(vic, ['Look']);
    const promptId = items[0]?.id ?? 0;
    await compared(app, vic, id, promptId);
    await setUser(app, `${name}@example.com`, { role: 'Viewer' });
    expect((await vic.get(path)).body.items).toHaveLength(1);
    expect((await comparisonOf(vic, id)).answered).toBe(1);
    for (const { status } of [
      await askPrompt(vic, id, promptId, { again: true }),
      await votePrompt(vic, id, promptId, 'tie'),
      await vic.delete(`${path}/${id}`),
      await vic.post(path, { candidateModel: 'a', baselineModel: 'b', prompts: { typed: ['x'] } }),
    ])
      expect(status).toBe(403);
  });

  test('belongs to its owner alone', async () => {
    const [ada, bob] = [await someone(), await someone()];
    const [mine, theirs] = [await newComparison(ada, ['Mine']), await newComparison(bob, ['Theirs'])];
    const own = await compared(app, bob, theirs.id, theirs.items[0]?.id ?? 0);
    for (const [id, promptId] of [
      [theirs.id, theirs.items[0]?.id ?? 0],
      [mine.id, theirs.items[0]?.id ?? 0],
      [theirs.id, mine.items[0]?.id ?? 0],
    ] as const) {
      expect((await askPrompt(ada, id, promptId, { again: true })).status).toBe(404);
      expect((await votePrompt(ada, id, promptId, 'tie')).status).toBe(404);
    }
    expect((await ada.get(`${path}/${theirs.id}`)).status).toBe(404);
    expect((await ada.delete(`${path}/${theirs.id}`)).status).toBe(404);
    expect((await ada.get(path)).body.items.map(({ id }: { id: number }) => id)).toEqual([mine.id]);
    expect((await comparisonOf(bob, theirs.id)).items).toEqual([own]);
  });

  test('stops active answers when it is deleted, and leaves only their cost', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Farewell-to-both [[bench 60000]] [[delay 10]]', 'Done']);
    await compared(app, ada, id, items[1]?.id ?? 0);
    await forgetAsks(app);
    const { body: started } = await askPrompt(ada, id, items[0]?.id ?? 0);
    const reader = await openEvents(app, ada, started.baseline.runId);
    await reader.until(3);
    expect((await ada.delete(`${path}/${id}`)).status).toBe(204);
    await reader.all();
    expect((await ada.get(`${path}/${id}`)).status).toBe(404);
    expect((await ada.delete(`${path}/${id}`)).status).toBe(404);
    const userId = await idOf(ada);
    expect(await threadsOf(userId)).toEqual([]);
    for (const table of ['messages', 'runs', 'comparison_prompts'] as const)
      expect(
        await withDatabase(app, (db) => db.selectFrom(table).selectAll().where('user_id', '=', userId).execute()),
      ).toEqual([]);
    const requests = await asksOf(app);
    expect(requests.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect((await analyticsOf(ada)).body.totals.requests).toBe(4);
  });

  test('lists them in pages, the newest first', async () => {
    const ada = await someone();
    const made: number[] = [];
    for (const word of ['one', 'two', 'three']) made.unshift((await newComparison(ada, [word])).id);
    const { body: first } = await ada.get(`${path}?limit=2`);
    const { body: second } = await ada.get(`${path}?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ id }: { id: number }) => id)).toEqual(made);
    expect([first.items.length, second.nextCursor]).toEqual([2, null]);
  });

  test.each([
    [{ prompts: { typed: [] } }, 'Enter at least one prompt'],
    [{ prompts: { typed: [' '] } }, 'A prompt is required'],
    [{ prompts: { typed: Array.from({ length: 51 }, () => 'x') } }, 'At most 50 prompts'],
    [{ candidateModel: ' ' }, 'Model is required'],
    [{ temperature: 3 }, ''],
    [{ prompts: {} }, 'Enter prompts, or choose a file'],
    [{ prompts: { typed: ['x'], fileId: 1 } }, 'Enter prompts, or choose a file'],
    [{ prompts: { fileId: 1, count: 51 } }, 'At most 50 prompts'],
  ])('refuses a comparison that cannot be asked (%#)', async (wrong, message) => {
    const ada = await someone();
    const draft = { candidateModel: 'a', baselineModel: 'b', prompts: { typed: ['x'] }, ...wrong };
    const { status, body } = await ada.post(path, draft);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    if (message !== '') expect(JSON.stringify(body)).toContain(message);
    expect((await ada.get(path)).body.items).toEqual([]);
  });

  test('requires two answers before a vote', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Not yet']);
    const refused = await votePrompt(ada, id, items[0]?.id ?? 0, 'candidate');
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'You can pick the better answer once both are complete.',
    ]);
    expect((await votePrompt(ada, id, items[0]?.id ?? 0, null)).status).toBe(200);
  });

  test('shows an answer that a crash cut off, as far as it came, and asks it again', async () => {
    const ada = await someone();
    const { id, items } = await newComparison(ada, ['Cut off']);
    const promptId = items[0]?.id ?? 0;
    const { candidate, baseline } = await compared(app, ada, id, promptId);
    await withDatabase(app, async (db) => {
      const runId = candidate?.runId ?? 0;
      const unfinished = { state: 'running' as const, instance: 999_999, event_marks: null, finished_at: null };
      const { message_id } = await db
        .updateTable('runs')
        .set({ ...unfinished, last_event: 0 })
        .where('id', '=', runId)
        .returning('message_id')
        .executeTakeFirstOrThrow();
      await db.updateTable('messages').set({ text: '' }).where('id', '=', message_id).execute();
      await db.deleteFrom('usage_records').where('run_id', '=', runId).execute();
      const frame = 'id: 1\nevent: text\ndata: {"type":"text","text":"Half a"}\n\n';
      await db
        .insertInto('run_events')
        .values({ run_id: runId, first_event: 1, last_event: 1, events: frame })
        .execute();
    });
    await app.restart();
    const [left] = (await comparisonOf(ada, id)).items;
    expect(left?.candidate).toMatchObject({
      state: 'interrupted',
      text: 'Half a',
      usage: { estimated: true },
      error: { code: 'interrupted' },
    });
    expect(left?.baseline).toEqual(baseline);
    const { recent } = (await analyticsOf(ada)).body;
    expect(recent).toHaveLength(2);
    for (const request of recent) expect(request).toMatchObject({ purpose: 'comparison', comparisonId: id });
    expect((await ada.get('/api/threads?q=half')).body.items).toEqual([]);
    const whole = await compared(app, ada, id, promptId);
    expect([whole.candidate?.state, whole.baseline]).toEqual(['complete', baseline]);
  });
});
