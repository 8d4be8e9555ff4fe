import { datasetExampleLimit, datasetLimit } from '@roster/contracts/fine-tuning/datasets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread, regenerated } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { datasetsPath, examplesOf, gathered, rated, ratedThread, textsOf } from '#server/testing/datasets';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

const words = (role: 'user' | 'assistant', text: string) => ({ role, text, files: [] });

describe.each(engines)('gathering rated answers on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());
  const somebody = () => app.withKey(`person${++people}`);
  const gather = (visitor: HttpClient, datasetId: number, body: object = {}) =>
    visitor.post(`${datasetsPath}/${datasetId}/gather`, body);
  const available = async (visitor: HttpClient, query = '') =>
    (await visitor.get(`${datasetsPath}/available${query}`)).body;

  test('takes good and corrected answers in chat format, each with what came before it', async () => {
    const ada = await somebody();
    const ratings = [{ value: 'good' }, { value: 'bad', correction: 'Corrected' }, { value: 'bad' }, {}] as const;
    const { threadId, answers } = await ratedThread(
      app,
      ada,
      [...ratings, { value: 'good', correction: 'Even better' }],
      { title: 'Of cabbages' },
    );
    expect(await available(ada)).toEqual({ good: 2, bad: 2, corrected: 2, chat: 3, preference: 2 });
    const dataset = await gathered(ada);
    expect(dataset).toMatchObject({
      name: 'Examples',
      format: 'chat',
      examples: 3,
      unreviewed: 3,
      kept: 0,
      leftOut: 0,
      added: 3,
      left: 0,
    });
    const [first, second, third, ...none] = await examplesOf(ada, dataset.id);
    expect(none).toEqual([]);
    const [one, two, three, four, five] = answers;
    expect(first).toEqual({
      id: expect.any(Number),
      instructions: '',
      turns: [words('user', 'Question 1')],
      answer: one?.text,
      rejected: null,
      review: 'unreviewed',
      edited: false,
      source: { threadId, messageId: one?.id, title: 'Of cabbages' },
    });
    expect(second).toMatchObject({ answer: 'Corrected', source: { messageId: two?.id } });
    // Earlier answers appear as corrected.
    expect(third?.turns).toEqual([
      words('user', 'Question 1'),
      words('assistant', one?.text ?? ''),
      words('user', 'Question 2'),
      words('assistant', 'Corrected'),
      words('user', 'Question 3'),
      words('assistant', three?.text ?? ''),
      words('user', 'Question 4'),
      words('assistant', four?.text ?? ''),
      words('user', 'Question 5'),
    ]);
    expect(third).toMatchObject({ answer: 'Even better', source: { messageId: five?.id } });
  });

  test('pairs corrections with originals, and good with bad answers, in preference format', async () => {
    const ada = await somebody();
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'Which one?');
    const others = [await regenerated(app, ada, answer.id), await regenerated(app, ada, answer.id)];
    // The simulator gives the same answer each time.
    await withDatabase(app, async (db) => {
      for (const [index, { message }] of others.entries())
        await db
          .updateTable('messages')
          .set({ text: `Answer ${index + 2}` })
          .where('id', '=', message.id)
          .execute();
    });
    const [second, third] = others.map(({ message }) => message.id);
    await rated(ada, answer.id, { value: 'bad' });
    await rated(ada, second ?? 0, { value: 'bad', correction: 'Better' });
    await rated(ada, third ?? 0, { value: 'good' });
    // A bad answer to another question makes no pair.
    await rated(ada, (await ask(app, ada, threadId, 'And this?')).answer.id, { value: 'bad' });
    expect(await available(ada)).toMatchObject({ good: 1, bad: 3, corrected: 1, chat: 2, preference: 3 });

    const dataset = await gathered(ada, { format: 'preference' });
    const examples = await examplesOf(ada, dataset.id);
    expect(examples.map((example) => [example.answer, example.rejected, example.source?.messageId])).toEqual([
      ['Better', 'Answer 2', second],
      ['Answer 3', answer.text, third],
      ['Answer 3', 'Answer 2', third],
    ]);
    for (const { turns } of examples) expect(turns).toEqual([words('user', 'Which one?')]);

    await rated(ada, third ?? 0, { correction: 'Best' });
    expect((await gather(ada, dataset.id)).body).toMatchObject({ added: 1, dataset: { examples: 4 } });
    expect((await examplesOf(ada, dataset.id)).at(-1)).toMatchObject({ answer: 'Best', rejected: 'Answer 3' });
  });

  test('follows the branch of each answer', async () => {
    const ada = await somebody();
    const threadId = await newThread(ada);
    const first = await ask(app, ada, threadId, 'Root');
    const left = await ask(app, ada, threadId, 'Left', { parentId: first.answer.id });
    const right = await ask(app, ada, threadId, 'Right', { parentId: first.answer.id });
    for (const { answer } of [left, right]) await rated(ada, answer.id, { value: 'good' });
    const { id } = await gathered(ada);
    const turns = (await examplesOf(ada, id)).map((example) => textsOf(example.turns));
    expect(turns).toEqual([
      ['Root', first.answer.text, 'Left'],
      ['Root', first.answer.text, 'Right'],
    ]);
  });

  test('adds what is new when repeated, and leaves reviewed examples unchanged', async () => {
    const ada = await somebody();
    const { threadId, answers } = await ratedThread(app, ada, [{ value: 'good' }, {}]);
    const { id } = await gathered(ada);
    const [example] = await examplesOf(ada, id);
    await ada.patch(`${datasetsPath}/${id}/examples/${example?.id}`, { review: 'kept', answer: 'By hand' });
    expect((await gather(ada, id)).body).toMatchObject({ added: 0, left: 0 });
    await rated(ada, answers[1]?.id ?? 0, { value: 'good' });
    await rated(ada, (await ask(app, ada, threadId, 'One more')).answer.id, { correction: 'Mine' });
    const { status, body } = await gather(ada, id);
    expect([status, body]).toEqual([
      200,
      { added: 2, left: 0, dataset: expect.objectContaining({ id, examples: 3, kept: 1, unreviewed: 2 }) },
    ]);
    const examples = await examplesOf(ada, id);
    expect(examples.map(({ answer }) => answer)).toEqual(['By hand', answers[1]?.text, 'Mine']);
    expect(examples[0]).toMatchObject({ review: 'kept', edited: true });
  });

  test('adds each answer once when called ten times at once', async () => {
    const ada = await somebody();
    const { answers } = await ratedThread(app, ada, [{ value: 'good' }, {}, {}, {}, {}, {}]);
    const { id } = await gathered(ada);
    for (const { id: answerId } of answers) await rated(ada, answerId, { value: 'good' });
    const all = await Promise.all(Array.from({ length: 10 }, () => gather(ada, id)));
    expect(all.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(all.reduce((sum, { body }) => sum + body.added, 0)).toBe(5);
    expect((await examplesOf(ada, id)).map(({ source }) => source?.messageId)).toEqual(answers.map((one) => one.id));
  });

  test('knows whose answers they are, and under which instructions', async () => {
    const ada = await somebody();
    const tutor = await createAssistant(ada, { name: 'Tutor', instructions: 'Explain.' });
    const plain = await createAssistant(ada, { name: 'Plain' });
    const ofTutor = await ratedThread(app, ada, [{ value: 'good' }], { assistantId: tutor });
    await ratedThread(app, ada, [{ value: 'good' }, { value: 'good' }], { assistantId: plain });
    await ratedThread(app, ada, [{ value: 'good' }]);
    // The assistant that gave the answer counts, not the one the conversation is with now.
    await ada.patch(`/api/threads/${ofTutor.threadId}`, { assistantId: plain });
    await ada.patch(`/api/assistants/${tutor}`, { instructions: 'Explain with an example.' });
    expect(await available(ada, `?assistantId=${tutor}`)).toMatchObject({ good: 1, chat: 1 });
    expect(await available(ada, `?assistantId=${plain}`)).toMatchObject({ good: 2, chat: 2 });
    expect(await available(ada)).toMatchObject({ good: 4, chat: 4 });
    const own = await gathered(ada, { assistantId: tutor });
    expect(await examplesOf(ada, own.id)).toMatchObject([
      { instructions: 'Explain with an example.', source: { threadId: ofTutor.threadId } },
    ]);
    const without = await gathered(ada, { assistantId: tutor, withInstructions: false });
    expect(await examplesOf(ada, without.id)).toMatchObject([{ instructions: '' }]);
    const all = await gathered(ada);
    expect((await examplesOf(ada, all.id)).map(({ instructions }) => instructions)).toEqual([
      'Explain with an example.',
      '',
      '',
      '',
    ]);
  });

  test('takes archived conversations, and no comparisons', async () => {
    const ada = await somebody();
    const archived = await ratedThread(app, ada, [{ value: 'good' }]);
    await ada.patch(`/api/threads/${archived.threadId}`, { archived: true });
    const compared = await ratedThread(app, ada, [{ value: 'good', correction: 'Mine' }]);
    await withDatabase(app, (db) =>
      db.updateTable('threads').set({ purpose: 'comparison' }).where('id', '=', compared.threadId).execute(),
    );
    expect(await available(ada)).toEqual({ good: 1, bad: 0, corrected: 0, chat: 1, preference: 0 });
    const { id } = await gathered(ada);
    expect(await examplesOf(ada, id)).toMatchObject([{ source: { threadId: archived.threadId } }]);
  });

  test('names attached files without their content', async () => {
    const ada = await somebody();
    const file = await uploaded(app, ada, { filename: 'secret plan.txt', content: 'The content of the file' });
    const { answer } = await ask(app, ada, await newThread(ada), 'What is this?', { fileIds: [file.id] });
    await rated(ada, answer.id, { correction: 'A plan' });
    const { id } = await gathered(ada);
    const examples = await examplesOf(ada, id);
    expect(examples[0]?.turns).toEqual([{ role: 'user', text: 'What is this?', files: ['secret plan.txt'] }]);
    expect(JSON.stringify(examples)).not.toContain('The content of the file');
  });

  test('creates nothing without matching answers, and says what to do', async () => {
    const ada = await somebody();
    await ratedThread(app, ada, [{ value: 'bad' }]);
    for (const [format, advice] of [
      ['chat', 'Rate answers as good, or correct them'],
      ['preference', 'Correct answers in a chat first'],
    ]) {
      const { status, body } = await ada.post(datasetsPath, { name: 'Empty', format });
      expect([status, body.code]).toEqual([409, 'conflict']);
      expect(body.message).toContain(advice);
    }
    expect((await ada.get(datasetsPath)).body).toEqual({ items: [], nextCursor: null });
  });

  test('keeps an example when its conversation is deleted, even while gathering', async () => {
    const ada = await somebody();
    const threads = [];
    for (let index = 0; index < 4; index++) threads.push(await ratedThread(app, ada, [{ value: 'good' }]));
    const { id } = await gathered(ada);
    await ada.delete(`/api/threads/${threads[0]?.threadId}`);
    const examples = await examplesOf(ada, id);
    expect(examples).toHaveLength(4);
    expect(examples[0]).toMatchObject({ source: null, answer: threads[0]?.answers[0]?.text });
    expect(examples[1]?.source).toMatchObject({ threadId: threads[1]?.threadId });
    expect((await gather(ada, id)).body).toMatchObject({ added: 0 });

    const [deleted, second] = await Promise.all([
      ada.delete(`/api/threads/${threads[1]?.threadId}`),
      ada.post(datasetsPath, { name: 'Meanwhile' }),
    ]);
    expect([deleted.status, second.status]).toEqual([204, 201]);
    const others = await examplesOf(ada, second.body.id);
    expect([2, 3]).toContain(others.length);
    expect(second.body.added).toBe(others.length);
  });

  test('stays deleted if its dataset is deleted while it is filled', async () => {
    const ada = await somebody();
    const { answers } = await ratedThread(app, ada, [{ value: 'good' }, {}, {}]);
    const { id } = await gathered(ada);
    for (const answer of answers) await rated(ada, answer.id, { value: 'good' });
    const [removed, filled] = await Promise.all([ada.delete(`${datasetsPath}/${id}`), gather(ada, id)]);
    expect(removed.status).toBe(204);
    expect([200, 404]).toContain(filled.status);
    expect((await ada.get(`${datasetsPath}/${id}`)).status).toBe(404);
    const left = await withDatabase(app, (db) =>
      db.selectFrom('dataset_examples').select('id').where('dataset_id', '=', id).execute(),
    );
    expect(left).toEqual([]);
  });

  describe('with limits', () => {
    const at = '2026-01-01T00:00:00.000Z';

    /** A conversation whose answers are all rated good, one after the other; returns how many there are. */
    async function longThread(visitor: HttpClient, count: number, text: (index: number) => string) {
      const threadId = await newThread(visitor, { title: 'Long' });
      const { id: userId } = (await visitor.get('/api/user')).body;
      await withDatabase(app, (db) =>
        db.transaction().execute(async (trx) => {
          let parent: number | null = null;
          for (let index = 0; index < count * 2; index++) {
            const row: { id: number } = await trx
              .insertInto('messages')
              .values({
                user_id: userId,
                thread_id: threadId,
                parent_id: parent,
                position: index + 1,
                depth: index,
                role: index % 2 === 0 ? 'user' : 'assistant',
                text: text(index),
                reasoning: '',
                client_id: null,
                created_at: at,
              })
              .returning('id')
              .executeTakeFirstOrThrow();
            parent = row.id;
            if (index % 2 === 1)
              await trx
                .insertInto('message_ratings')
                .values({ message_id: row.id, user_id: userId, value: 'good', correction: null, rated_at: at })
                .execute();
          }
        }),
      );
      return threadId;
    }

    test('takes at most 5,000 examples, and says how many are left', async () => {
      const ada = await somebody();
      const { id: userId } = (await ada.get('/api/user')).body;
      const { id } = await (async () => {
        await longThread(ada, 30, (index) => `m${index}`);
        return gathered(ada);
      })();
      await withDatabase(app, async (db) => {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          user_id: userId,
          dataset_id: id,
          source_message_id: null,
          rejected_message_id: null,
          instructions: '',
          turns: JSON.stringify([words('user', `Filler ${index}`)]),
          answer: 'Yes',
          rejected: null,
          review: 'kept' as const,
          created_at: at,
        }));
        for (let from = 30; from < datasetExampleLimit - 10; from += 500)
          await db
            .insertInto('dataset_examples')
            .values(rows.slice(0, Math.min(500, datasetExampleLimit - 10 - from)))
            .execute();
      });
      await longThread(ada, 15, (index) => `n${index}`);
      const { body } = await gather(ada, id);
      expect(body).toMatchObject({ added: 10, left: 5, dataset: { examples: datasetExampleLimit, unreviewed: 40 } });
      expect((await gather(ada, id)).body).toMatchObject({ added: 0, left: 5 });
    });

    test('keeps the end of a very long conversation, and lets others work meanwhile', async () => {
      const [ada, bob] = [await somebody(), await somebody()];
      const threadId = await longThread(ada, 120, (index) => `${index} ${'x'.repeat(5_000)}`);
      let isDone = false;
      const gathering = gathered(ada).finally(() => {
        isDone = true;
      });
      let calls = 0;
      while (!isDone) {
        expect((await bob.get('/api/threads')).status).toBe(200);
        calls++;
      }
      const dataset = await gathering;
      expect(dataset).toMatchObject({ examples: 120, left: 0 });
      // Done in steps, so nobody waits for all of it, however busy the machine is.
      expect(calls).toBeGreaterThan(5);
      const last = (await examplesOf(ada, dataset.id)).at(-1);
      const turns = textsOf(last?.turns ?? []);
      expect(turns.length).toBeGreaterThan(30);
      expect(turns.join('').length).toBeLessThanOrEqual(200_000);
      expect(last?.turns[0]?.role).toBe('user');
      expect(last?.source?.threadId).toBe(threadId);
    });

    test('allows at most 100 datasets per user', async () => {
      const ada = await somebody();
      await ratedThread(app, ada, [{ value: 'good' }]);
      const { id: userId } = (await ada.get('/api/user')).body;
      await withDatabase(app, (db) =>
        db
          .insertInto('datasets')
          .values(
            Array.from({ length: datasetLimit - 1 }, (_, index) => ({
              user_id: userId,
              name: `Dataset ${index}`,
              format: 'chat' as const,
              created_at: at,
              updated_at: at,
            })),
          )
          .execute(),
      );
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => ada.post(datasetsPath, { name: 'The last one' })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('quota_exceeded');
    });
  });
});
