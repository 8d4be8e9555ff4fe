import type { ReplayableQuestion } from '@roster/contracts/comparisons/replays';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, benchText, forgetAsks, newThread, regenerated, until } from '#server/testing/chat';
import { comparisonOf, startOf } from '#server/testing/comparisons';
import { setUser, withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { newReplay, questionsOf, replayOf } from '#server/testing/replays';

const textsOf = (items: ReplayableQuestion[]) => items.map(({ text }) => text);
const idsOf = (items: ReplayableQuestion[]) => items.map(({ answerId }) => answerId);

describe.each(engines)('replays on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const someone = async () => (await app.someone()).visitor;
  const threadWith = async (visitor: HttpClient, assistantId: number, ...questions: string[]) => {
    const threadId = await newThread(visitor, { title: 'Fractions', assistantId });
    for (const question of questions) await ask(app, visitor, threadId, question);
    return threadId;
  };
  const finished = (visitor: HttpClient, id: number) =>
    until('All is asked', async () => {
      const comparison = await comparisonOf(visitor, id);
      return comparison.state === 'idle' && comparison;
    });

  test('offers the questions of an assistant’s conversations, newest first, each once', async () => {
    const ada = await someone();
    const assistantId = await createAssistant(ada);
    const file = await uploaded(app, ada, { filename: 'notes.txt', content: 'Notes' });
    const threadId = await threadWith(ada, assistantId, 'One', 'Two');
    const { answer } = await ask(app, ada, threadId, 'Three', { fileIds: [file.id] });
    await regenerated(app, ada, answer.id);
    await threadWith(ada, assistantId, 'Two');
    await threadWith(ada, await createAssistant(ada, { name: 'Other' }), 'Of another');
    const byClient = await threadWith(ada, assistantId, 'By a program');
    const { id: tokenId } = await newToken(ada);
    await withDatabase(app, (db) =>
      db.updateTable('threads').set({ access_token_id: tokenId }).where('id', '=', byClient).execute(),
    );
    const questions = await questionsOf(ada, assistantId);
    expect(questions).toMatchObject([
      { text: 'Two', title: 'Fractions', earlier: 0, files: 0, byProgram: false },
      { text: 'Three', earlier: 4, files: 1 },
      { text: 'One', earlier: 0 },
    ]);
    expect(textsOf(await questionsOf(ada, assistantId, { programs: 'true' }))).toEqual([
      'By a program',
      'Two',
      'Three',
      'One',
    ]);
    expect(await questionsOf(ada, assistantId, { model: 'gpt-4.1' })).toEqual([]);
  });

  test('asks the new model with the original context, and shows the original answer', async () => {
    const ada = await someone();
    const assistantId = await createAssistant(ada, { instructions: 'Be brief.', temperature: 0.3 });
    await threadWith(ada, assistantId, 'First [[bench 2]]', 'Second [[bench 3]]');
    const [second] = await questionsOf(ada, assistantId);
    await forgetAsks(app);
    const replay = await newReplay(ada, assistantId, [second?.answerId ?? 0], { toModel: 'gpt-6.1-sol' });
    expect(replay).toMatchObject({ notTaken: ['temperature'], messagesLeftOut: 0, filesLeftOut: 0 });
    expect(replay.comparison).toMatchObject({
      ...{ kind: 'replay', title: 'Tutor: gpt-4o and gpt-6.1-sol', assistant: { id: assistantId, name: 'Tutor' } },
      baseline: { model: 'gpt-4o', instructions: 'Be brief.', temperature: 0.3, assistantVersion: 1 },
      candidate: { model: 'gpt-6.1-sol', instructions: 'Be brief.', assistantVersion: 1 },
    });
    const { id } = replay.comparison;
    expect((await comparisonOf(ada, id)).items).toMatchObject([
      {
        turns: [
          { role: 'user', text: 'First [[bench 2]]' },
          { role: 'assistant', text: benchText(2) },
          { role: 'user', text: 'Second [[bench 3]]' },
        ],
        candidate: null,
        baseline: { runId: null, state: 'complete', text: benchText(3), stored: { model: 'gpt-4o', version: 1 } },
      },
    ]);
    expect(await asksOf(app)).toEqual([]);

    expect((await startOf(ada, id)).status).toBe(202);
    expect(await finished(ada, id)).toMatchObject({ answered: 1, items: [{ candidate: { text: benchText(3) } }] });
    const asks = await asksOf(app);
    expect(asks.map(({ body }) => [body.model, body.instructions, body.temperature])).toEqual([
      ['gpt-6.1-sol', 'Be brief.', undefined],
    ]);
    expect(asks[0]?.body.input).toHaveLength(3);
  });

  test('asks the old model again on request', async () => {
    const ada = await someone();
    const assistantId = await createAssistant(ada);
    await threadWith(ada, assistantId, 'One [[bench 2]]');
    const questions = await questionsOf(ada, assistantId);
    await forgetAsks(app);
    const { comparison } = await newReplay(ada, assistantId, idsOf(questions), { baseline: 'asked' });
    await startOf(ada, comparison.id);
    await finished(ada, comparison.id);
    expect((await asksOf(app)).map(({ body }) => body.model).sort()).toEqual(['gpt-4.1', 'gpt-4o']);
  });

  test('uses the answers of a model that is gone', async () => {
    const ada = await someone();
    const assistantId = await createAssistant(ada);
    await threadWith(ada, assistantId, 'One [[bench 2]]');
    await withDatabase(app, async (db) => {
      await db.updateTable('assistants').set({ model: 'gpt-4' }).where('id', '=', assistantId).execute();
      await db.updateTable('runs').set({ model: 'gpt-4' }).where('assistant_id', '=', assistantId).execute();
    });
    const ids = idsOf(await questionsOf(ada, assistantId, { model: 'gpt-4' }));
    const again = await replayOf(ada, assistantId, ids, { fromModel: 'gpt-4', baseline: 'asked' });
    expect([again.status, again.body.message]).toEqual([
      400,
      'Your API key can no longer use gpt-4. Compare with its stored answers instead.',
    ]);
    const { comparison } = await newReplay(ada, assistantId, ids, { fromModel: 'gpt-4' });
    await startOf(ada, comparison.id);
    expect(await finished(ada, comparison.id)).toMatchObject({
      items: [{ candidate: { state: 'complete' }, baseline: { stored: { model: 'gpt-4' } } }],
    });
  });

  test('leaves out what is too much, and says so', async () => {
    const ada = await someone();
    const assistantId = await createAssistant(ada);
    const file = await uploaded(app, ada, { filename: 'notes.txt', content: 'Notes' });
    const threadId = await threadWith(ada, assistantId, 'Long', 'Two');
    await withDatabase(app, (db) =>
      db
        .updateTable('messages')
        .set({ text: 'word '.repeat(14_000) })
        .where('text', '=', 'Long')
        .execute(),
    );
    await ask(app, ada, threadId, 'Three', { fileIds: [file.id] });
    const [three] = await questionsOf(ada, assistantId);
    const replay = await newReplay(ada, assistantId, [three?.answerId ?? 0]);
    // The long one is left out with its answer: a conversation starts with a question.
    expect(replay).toMatchObject({ messagesLeftOut: 2, filesLeftOut: 1 });
    const { items } = await comparisonOf(ada, replay.comparison.id);
    expect(items[0]?.turns.map(({ role, text }) => [role, text.slice(0, 5)])).toEqual([
      ['user', 'Two'],
      ['assistant', expect.any(String)],
      ['user', 'Three'],
    ]);
  });

  test('refuses replays that cannot be made', async () => {
    const ada = await someone();
    const { visitor: bob, email } = await app.someone('viewer');
    const assistantId = await createAssistant(ada);
    await threadWith(ada, assistantId, 'One');
    const theirs = await createAssistant(bob);
    await threadWith(bob, theirs, 'Of Bob');
    const ids = idsOf(await questionsOf(ada, assistantId));
    const bobs = idsOf(await questionsOf(bob, theirs));
    const refused = async (answerIds: number[], more: object = {}, id = assistantId) => {
      const { status, body } = await replayOf(ada, id, answerIds, more);
      return [status, body.message];
    };
    expect(await refused(ids, {}, theirs)).toEqual([404, 'Assistant not found.']);
    const message = 'One of these questions no longer exists. Select the questions again.';
    expect(await refused([...ids, ...bobs])).toEqual([404, message]);
    expect(await refused(ids, { fromModel: 'gpt-4.1', toModel: 'gpt-4o' })).toEqual([404, message]);
    expect(await refused(ids, { toModel: 'gpt-4o' })).toEqual([
      400,
      'Choose another model than the one that has answered',
    ]);
    expect(await refused(ids, { toModel: 'gpt-9' })).toEqual([
      400,
      'Model gpt-9 is not among the models your API key can use',
    ]);
    for (const [answerIds, more] of [
      [[], {}],
      [Array.from({ length: 21 }, (_, index) => index + 1), {}],
      [[0.5], {}],
      [[2 ** 31], {}],
      [ids, { baseline: 'none' }],
      [ids, { toModel: '\ud800' }],
      [ids, { toModel: 'x'.repeat(201) }],
    ] as const)
      expect((await refused([...answerIds], more))[0]).toBe(400);
    expect((await ada.get(`/api/assistants/${theirs}/questions?model=gpt-4o`)).status).toBe(404);
    await setUser(app, email, { role: 'Viewer' });
    expect(await questionsOf(bob, theirs)).toHaveLength(1);
    expect((await replayOf(bob, theirs, bobs)).status).toBe(403);
    expect((await ada.get('/api/comparisons')).body.items).toEqual([]);
  });
});
