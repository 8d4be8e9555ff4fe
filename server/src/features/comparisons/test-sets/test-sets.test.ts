import { testQuestionLimit, testSetLimit } from '@roster/contracts/comparisons/test-sets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, benchText, forgetAsks, newThread, until } from '#server/testing/chat';
import { comparisonOf, comparisonsPath, votePrompt } from '#server/testing/comparisons';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { questionsOf } from '#server/testing/replays';
import { newSet, runOf, runTestSet, setPath, setsPath, typed, versionOne } from '#server/testing/test-sets';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

const same = 'Always the same [[bench 4]] [[delay 0]]';
const telling = 'What do you keep to? [[delay 0]]';
const judge = { model: 'gpt-4o', criteria: 'The better one.' };
const counted = (counts: object) => ({ unchanged: 0, better: 0, worse: 0, open: 0, new: 0, unanswered: 0, ...counts });
const draftOf = (instructions: string, version = 1) => ({
  candidate: { kind: 'draft', changes: { instructions } },
  baseline: { kind: 'version', version },
});

describe.each(engines)('test sets on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const someone = async () => (await app.someone()).visitor;
  const tutor = (visitor: HttpClient, more: object = {}) =>
    createAssistant(visitor, { name: 'Tutor', model: 'gpt-4o', instructions: 'Be brief.', ...more });
  const resultsOf = async (visitor: HttpClient, runId: number) => (await visitor.get(`/api/test-runs/${runId}`)).body;

  test('takes typed questions, and those of conversations and datasets, each once', async () => {
    const ada = await someone();
    const assistantId = await tutor(ada);
    const threadId = await newThread(ada, { title: 'Fractions', assistantId });
    await ask(app, ada, threadId, 'First [[bench 2]]');
    const { answer } = await ask(app, ada, threadId, 'Second [[bench 2]]');
    await ada.post(`/api/messages/${answer.id}/rating`, { value: 'good' });
    const { body: dataset } = await ada.post('/api/fine-tuning/datasets', { name: 'Good ones', assistantId });
    const { body: examples } = await ada.get(`/api/fine-tuning/datasets/${dataset.id}/examples`);
    const [second] = await questionsOf(ada, assistantId);
    const set = await newSet(ada, assistantId, [
      { kind: 'typed', text: 'Typed', expected: 'Wished' },
      ...typed('Typed'),
      { kind: 'conversation', answerId: second?.answerId },
      { kind: 'dataset', exampleId: examples.items[0]?.id },
    ]);
    const before = [
      { role: 'user', text: 'First [[bench 2]]' },
      { role: 'assistant', text: benchText(2) },
      { role: 'user', text: 'Second [[bench 2]]' },
    ];
    expect(set).toMatchObject({
      ...{ name: 'Basics', runs: 0, newestRun: null, questions: 2 },
      assistant: { id: assistantId, name: 'Tutor', version: 1, model: 'gpt-4o' },
    });
    // The example and the conversation have the same question: the later one counts, with its answer.
    expect(set.items.map(({ source, turns, expected }) => ({ source, turns, expected }))).toEqual([
      { source: 'typed', turns: [{ role: 'user', text: 'Typed' }], expected: null },
      { source: 'dataset', turns: before, expected: benchText(2) },
    ]);
    const [one, two] = set.items;
    const { body: changed } = await ada.patch(setPath(set.id), {
      name: 'Renamed',
      questions: [
        { kind: 'kept', questionId: two?.id, expected: ' ' },
        { kind: 'kept', questionId: one?.id, text: 'Typed otherwise' },
      ],
    });
    expect(changed).toMatchObject({
      name: 'Renamed',
      items: [
        { source: 'dataset', turns: before, expected: null },
        { source: 'typed', turns: [{ role: 'user', text: 'Typed otherwise' }] },
      ],
    });
    const stale = await ada.patch(setPath(set.id), { questions: [{ kind: 'kept', questionId: one?.id }] });
    expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining('changed in the meantime')]);
  });

  test('refuses too many sets, and too many questions', async () => {
    const ada = await someone();
    const assistantId = await tutor(ada);
    const post = (questions: object[], name = 'Basics') => ada.post(setsPath(assistantId), { name, questions });
    const many = Array.from({ length: testQuestionLimit + 1 }, (_, index) => `Question ${index}`);
    expect((await post(typed(...many))).body.fields).toEqual({ questions: 'At most 50 questions' });
    expect((await post([])).body.fields).toEqual({ questions: 'Enter or choose at least one question' });
    expect((await post(typed('One'), ' ')).body.fields).toEqual({ name: 'Name is required' });
    expect((await post(typed('x'.repeat(10_001)))).status).toBe(400);
    expect((await post([{ kind: 'conversation', answerId: 2_000_000_000 }])).status).toBe(404);
    expect((await post([{ kind: 'dataset', exampleId: 2_000_000_000 }])).status).toBe(404);
    const { id: example } = await newSet(ada, assistantId, typed('One'));
    for (let more = 1; more < testSetLimit; more++) await newSet(ada, assistantId, typed('One'));
    const { status, body } = await post(typed('One'));
    expect([status, body.message]).toEqual([409, 'An assistant can have 20 test sets. Delete one of them first.']);
    expect((await ada.get(setsPath(assistantId))).body.items).toHaveLength(testSetLimit);
    expect((await ada.delete(setPath(example))).status).toBe(204);
    expect((await post(typed('One'))).status).toBe(201);
  });

  test('estimates a run, asks it, and compares the next with its answers without repeating them', async () => {
    const { visitor: ada, email } = await app.someone();
    const assistantId = await tutor(ada);
    const { id } = await newSet(ada, assistantId, typed(same, telling));
    const { body: first } = await ada.post(`${setPath(id)}/runs/estimate`, versionOne);
    expect(first).toMatchObject({ answers: 2, baselineAnswers: 0, stored: 0, withoutBaseline: 2, judge: null });
    expect(first.costUsd).toBeGreaterThan(0);
    await forgetAsks(app);
    const { body: none } = await ada.get(`${setPath(id)}/runs`);
    expect(none.items).toEqual([]);
    const run = await runTestSet(ada, id);
    expect(run).toMatchObject({ kind: 'test', title: 'Tutor, Basics: Version 1', counts: counted({ new: 2 }) });

    await ada.patch(`/api/assistants/${assistantId}`, { instructions: 'Be very long and friendly.' });
    const next = {
      candidate: { kind: 'version', version: 2 },
      baseline: { kind: 'run', runId: run.id },
      judge,
    };
    const { body: second } = await ada.post(`${setPath(id)}/runs/estimate`, next);
    expect(second).toMatchObject({ answers: 2, stored: 2, withoutBaseline: 0, judge: { answers: 4 } });
    await forgetAsks(app);
    const compared = await runTestSet(ada, id, next);
    // One has the same words, which the judge is not asked about; the other is longer, which this judge prefers.
    expect(compared.counts).toEqual(counted({ unchanged: 1, better: 1 }));
    const instructions = (await asksOf(app)).map(({ body }) => String(body.instructions).slice(0, 9));
    expect(instructions.sort()).toEqual(['Be very l', 'Be very l', 'You judge', 'You judge']);
    const { set, items } = await resultsOf(ada, compared.id);
    expect(set).toEqual({ id, name: 'Basics' });
    expect(items).toMatchObject([
      { result: 'unchanged', by: 'words' },
      { result: 'better', by: 'judge' },
    ]);
    // The user's vote overrides the judge.
    await votePrompt(ada, compared.id, items[1].promptId, 'baseline');
    expect((await resultsOf(ada, compared.id)).run.counts).toEqual(counted({ unchanged: 1, worse: 1 }));
    const { body: history } = await ada.get(`${setPath(id)}/runs?limit=1`);
    expect(history).toMatchObject({ items: [{ id: compared.id, baseline: { label: 'Version 1' } }] });
    const { body: older } = await ada.get(`${setPath(id)}/runs?cursor=${history.nextCursor}`);
    expect(older.items.map((item: { id: number }) => item.id)).toEqual([run.id]);
    const recorded = await withDatabase(app, (db) =>
      db
        .selectFrom('usage_records')
        .innerJoin('users', 'users.id', 'usage_records.user_id')
        .select(['purpose', ({ fn }) => fn.countAll<number>().as('count')])
        .where('users.email', '=', email)
        .groupBy('purpose')
        .orderBy('purpose')
        .execute(),
    );
    expect(recorded.map(({ purpose, count }) => [purpose, Number(count)])).toEqual([
      ['chat', 4],
      ['evaluation', 2],
    ]);
  });

  test('tries a draft before it is saved, and counts its answers for the version it becomes', async () => {
    const ada = await someone();
    const assistantId = await tutor(ada);
    const { id } = await newSet(ada, assistantId, typed(same, telling));
    const { body: estimate } = await ada.post(`${setPath(id)}/runs/estimate`, draftOf('Be long.'));
    expect(estimate).toMatchObject({ answers: 4, baselineAnswers: 2, stored: 0 });
    await forgetAsks(app);
    const first = await runTestSet(ada, id, draftOf('Be long.'));
    expect(first.counts).toEqual(counted({ unchanged: 1, open: 1 }));
    expect(await asksOf(app)).toHaveLength(4);
    // The current version has answered with the first draft: only the second draft is asked.
    await forgetAsks(app);
    const second = await runTestSet(ada, id, { ...draftOf('Be longer than that.'), judge });
    expect(second).toMatchObject({ title: 'Tutor, Basics: Draft of version 1', counts: { unchanged: 1, better: 1 } });
    expect((await asksOf(app)).filter(({ body }) => body.instructions === 'Be brief.')).toEqual([]);
    const { body: saved } = await ada.post(`${comparisonsPath}/${second.id}/draft/save`);
    expect(saved).toMatchObject({ version: 2, instructions: 'Be longer than that.' });
    const { body: third } = await ada.post(`${setPath(id)}/runs/estimate`, draftOf('Other.', 2));
    expect(third).toMatchObject({ answers: 2, stored: 2 });
    const late = await runOf(ada, id, draftOf('Late.', 1));
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('now at version 2')]);
    expect((await runOf(ada, id, { ...draftOf('No.', 2), baseline: { kind: 'nothing' } })).status).toBe(400);
  });

  test('asks any model, and compares nothing if a question is new', async () => {
    const ada = await someone();
    const assistantId = await tutor(ada);
    const set = await newSet(ada, assistantId, typed(same));
    const run = await runTestSet(ada, set.id);
    const questions = [
      ...set.items.map((item) => ({ kind: 'kept', questionId: item.id })),
      ...typed('New [[bench 2]]'),
    ];
    await ada.patch(setPath(set.id), { questions });
    const other = await runTestSet(ada, set.id, {
      candidate: { kind: 'model', model: 'gpt-4.1' },
      baseline: { kind: 'run', runId: run.id },
    });
    expect(other).toMatchObject({
      candidate: { model: 'gpt-4.1', label: 'gpt-4.1', instructions: 'Be brief.' },
      answered: 2,
      counts: counted({ unchanged: 1, new: 1 }),
    });
    expect((await comparisonOf(ada, other.id)).items[1]).toMatchObject({ baseline: null, hasBaseline: false });
  });

  test('reports that an assistant’s model is gone, and uses its earlier answers', async () => {
    const ada = await someone();
    const assistantId = await tutor(ada);
    const { id } = await newSet(ada, assistantId, typed(same, telling));
    await runTestSet(ada, id);
    // As if it had answered with a model that is no longer served.
    await withDatabase(app, async (db) => {
      for (const table of ['assistants', 'assistant_versions'] as const)
        await db
          .updateTable(table)
          .set({ model: 'gpt-gone' })
          .where(table === 'assistants' ? 'id' : 'assistant_id', '=', assistantId)
          .execute();
      const { candidate } = await db
        .selectFrom('comparisons')
        .select('candidate')
        .where('test_set_id', '=', id)
        .executeTakeFirstOrThrow();
      await db
        .updateTable('comparisons')
        .set({ candidate: JSON.stringify({ ...JSON.parse(candidate), model: 'gpt-gone' }) })
        .where('test_set_id', '=', id)
        .execute();
    });
    const { status, body } = await runOf(ada, id);
    expect([status, body.fields]).toEqual([
      400,
      { candidate: expect.stringContaining('Your API key cannot use gpt-gone.') },
    ]);
    const changes = { model: 'gpt-4.1' };
    const moved = await runTestSet(ada, id, { ...draftOf(''), candidate: { kind: 'draft', changes } });
    expect(moved.counts).toMatchObject({ new: 0, unanswered: 0 });
    const { id: unasked } = await newSet(ada, assistantId, typed('Never asked'));
    const refused = await runOf(ada, unasked, { ...draftOf(''), candidate: { kind: 'draft', changes } });
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      { baseline: expect.stringContaining('has not answered these questions yet') },
    ]);
  });

  test('deletes them with their runs and answers, and with the assistant', async () => {
    const { visitor: ada, email } = await app.someone();
    const assistantId = await tutor(ada);
    const { id } = await newSet(ada, assistantId, typed(same));
    const run = await runTestSet(ada, id);
    const kept = await newSet(ada, assistantId, typed(same));
    const other = await runTestSet(ada, kept.id);
    const { body } = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(jsonLines(files.get('test-sets.jsonl'))).toMatchObject([
      { id, assistantId, name: 'Basics', questions: [{ source: 'typed', expected: null }] },
      { id: kept.id },
    ]);
    expect(jsonLines(files.get('comparisons.jsonl'))).toMatchObject([
      { kind: 'test', testSetId: kept.id, prompts: [{ result: 'new' }] },
      { kind: 'test', testSetId: id },
    ]);
    expect((await ada.delete(setPath(id))).status).toBe(204);
    expect((await ada.get(setPath(id))).status).toBe(404);
    expect((await ada.get(`${comparisonsPath}/${run.id}`)).status).toBe(404);
    const left = (runId: number) =>
      withDatabase(app, async (db) => {
        const [prompts, threads] = await Promise.all([
          db.selectFrom('comparison_prompts').select('id').where('comparison_id', '=', runId).execute(),
          db
            .selectFrom('threads')
            .innerJoin('users', 'users.id', 'threads.user_id')
            .select('threads.id')
            .where('threads.purpose', '=', 'comparison')
            .where('users.email', '=', email)
            .execute(),
        ]);
        return [prompts.length, threads.length];
      });
    await until('Its answers are removed', async () => (await left(run.id)).join() === '0,1');
    expect((await ada.delete(`/api/assistants/${assistantId}`)).status).toBe(204);
    expect((await ada.get(`${comparisonsPath}/${other.id}`)).status).toBe(404);
    expect((await ada.get(comparisonsPath)).body.items).toEqual([]);
    // Hourly tasks also run at startup.
    await app.restart();
    await until('The rest is removed', async () => (await left(other.id)).join() === '0,0');
  });
});
