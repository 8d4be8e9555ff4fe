import { exampleTextLimit } from '@roster/contracts/fine-tuning/datasets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser } from '#server/testing/database';
import { datasetsPath, examplesOf, gathered, ratedThread, textsOf } from '#server/testing/datasets';
import type { HttpClient } from '#server/testing/http-client';
import { until } from '#server/testing/until';

describe.each(engines)('reviewing a dataset on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    const assistantId = await createAssistant(ada, { instructions: 'Be brief.' });
    await ratedThread(
      app,
      ada,
      [{ value: 'good' }, { value: 'good' }, { value: 'good', correction: 'Mine' }, { correction: 'Mine too' }],
      { assistantId, title: 'Of cabbages' },
    );
  });
  afterAll(() => app.stop());

  const place = (datasetId: number, exampleId = 0) => `${datasetsPath}/${datasetId}/examples/${exampleId}`;
  const change = (datasetId: number, exampleId: number | undefined, body: object, visitor = ada) =>
    visitor.patch(place(datasetId, exampleId), body);
  async function fresh(format: 'chat' | 'preference' = 'chat') {
    const { id } = await gathered(ada, { format });
    return { id, examples: await examplesOf(ada, id) };
  }

  test('keeps and leaves out examples, line by line, and counts them', async () => {
    const { id, examples } = await fresh();
    const [first, second, third, fourth] = examples.map((example) => example.id);
    for (const [exampleId, review] of [
      [first, 'kept'],
      [second, 'left_out'],
      [third, 'kept'],
      [third, 'unreviewed'],
    ] as const) {
      const { status, body } = await change(id, exampleId, { review });
      expect([status, body.review, body.edited]).toEqual([200, review, false]);
    }
    expect((await ada.get(`${datasetsPath}/${id}`)).body).toMatchObject({
      examples: 4,
      kept: 1,
      leftOut: 1,
      unreviewed: 2,
    });
    const idsOf = async (review: string) =>
      (await examplesOf(ada, id, `&review=${review}`)).map((example) => example.id);
    expect([await idsOf('kept'), await idsOf('left_out'), await idsOf('unreviewed')]).toEqual([
      [first],
      [second],
      [third, fourth],
    ]);
  });

  test('changes the words of an example, but not the conversation', async () => {
    const { id, examples } = await fresh();
    const last = examples[3];
    expect(last?.instructions).toBe('Be brief.');
    expect((await change(id, last?.id, { instructions: 'Be brief.', answer: 'Mine too' })).body.edited).toBe(false);
    const { status, body } = await change(id, last?.id, {
      instructions: '',
      question: 'Asked otherwise ✓',
      answer: 'Said otherwise\n',
      review: 'kept',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...last,
      instructions: '',
      turns: [...(last?.turns.slice(0, -1) ?? []), { role: 'user', text: 'Asked otherwise ✓', files: [] }],
      answer: 'Said otherwise\n',
      review: 'kept',
      edited: true,
    });
    expect((await examplesOf(ada, id))[3]).toEqual(body);
    const thread = await ada.get(`/api/threads/${last?.source?.threadId}/export?format=json`);
    expect(JSON.stringify(thread.body)).not.toMatch(/otherwise/);
    expect(thread.body.messages.at(-1).rating).toEqual({ value: null, correction: 'Mine too' });
    // An edit remains one, even if only the review changes afterwards.
    expect((await change(id, last?.id, { review: 'left_out' })).body.edited).toBe(true);
  });

  test('changes both sides of a preference', async () => {
    const { id, examples } = await fresh('preference');
    expect(examples.map(({ answer }) => answer)).toEqual(['Mine', 'Mine too']);
    const { body } = await change(id, examples[0]?.id, { answer: 'Better', rejected: 'Worse' });
    expect(body).toMatchObject({ answer: 'Better', rejected: 'Worse', edited: true });
  });

  test('refuses a change that leaves nothing to learn', async () => {
    const chat = await fresh();
    const pairs = await fresh('preference');
    const refused: [at: typeof chat, body: object, field: string][] = [
      [chat, { question: '' }, 'question'],
      [chat, { question: ' \n' }, 'question'],
      [chat, { answer: '\t' }, 'answer'],
      [chat, { answer: 'x'.repeat(exampleTextLimit + 1) }, 'answer'],
      [chat, { instructions: 'x'.repeat(exampleTextLimit + 1) }, 'instructions'],
      [chat, { rejected: 'Worse' }, 'rejected'],
      [chat, { review: 'maybe' }, 'review'],
      [chat, { turns: [] }, 'turns'],
      [chat, { edited: false }, 'edited'],
      [pairs, { rejected: ' ' }, 'rejected'],
      [pairs, { answer: 'Same', rejected: 'Same' }, 'answer'],
    ];
    for (const [{ id, examples }, body, field] of refused) {
      const answer = await change(id, examples[0]?.id, body);
      expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 60)).toEqual([400, 'invalid_input']);
      expect(Object.keys(answer.body.fields)).toEqual([field]);
    }
    expect(await examplesOf(ada, chat.id)).toEqual(chat.examples);
    expect(await examplesOf(ada, pairs.id)).toEqual(pairs.examples);
    const longest = '𝒳'.repeat(exampleTextLimit);
    expect((await change(chat.id, chat.examples[0]?.id, { answer: longest })).body.answer).toBe(longest);
  });

  test('keeps both of two simultaneous changes of an example', async () => {
    const { id, examples } = await fresh();
    const exampleId = examples[0]?.id;
    for (let time = 0; time < 5; time++) {
      await Promise.all([
        change(id, exampleId, { question: `Question ${time}` }),
        change(id, exampleId, { answer: `Answer ${time}` }),
        change(id, exampleId, { review: time % 2 ? 'kept' : 'left_out' }),
      ]);
      expect((await examplesOf(ada, id))[0]).toMatchObject({
        turns: [{ text: `Question ${time}` }],
        answer: `Answer ${time}`,
        review: time % 2 ? 'kept' : 'left_out',
      });
    }
  });

  test('pages through examples and datasets without losing or repeating any', async () => {
    const { id, examples } = await fresh();
    const paged = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await ada.get(
        `${datasetsPath}/${id}/examples?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      paged.push(...body.items);
      cursor = body.nextCursor;
    }
    expect(paged).toEqual(examples);

    const zoe = await app.withKey('zoe');
    await ratedThread(app, zoe, [{ value: 'good' }]);
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await gathered(zoe, { name: `Dataset ${index}` })).id);
    // Last changed first. The clock behind this order counts whole milliseconds.
    const lastMade = Date.parse((await zoe.get(`${datasetsPath}/${made[4]}`)).body.updatedAt);
    await until('the next millisecond', async () => Date.now() > lastMade);
    await zoe.patch(`${datasetsPath}/${made[1]}`, { name: 'Renamed' });
    const ids = [];
    let next: string | null = '';
    while (next !== null) {
      const { body } = await zoe.get(`${datasetsPath}?limit=2${next === '' ? '' : `&cursor=${next}`}`);
      expect(body.items.length).toBeLessThanOrEqual(2);
      ids.push(...body.items.map((dataset: { id: number }) => dataset.id));
      next = body.nextCursor;
    }
    expect(ids).toEqual([made[1], made[4], made[3], made[2], made[0]]);
    for (const query of ['cursor=x', 'limit=0', 'limit=101', 'cursor=W10'])
      expect((await zoe.get(`${datasetsPath}?${query}`)).status).toBe(400);
    for (const query of ['cursor=x', 'limit=101', 'review=none'])
      expect((await zoe.get(`${datasetsPath}/${made[0]}/examples?${query}`)).status).toBe(400);
  });

  test('renames and deletes a dataset, and keeps the ratings', async () => {
    const { id } = await fresh();
    expect((await ada.patch(`${datasetsPath}/${id}`, { name: '  Better name ' })).body.name).toBe('Better name');
    for (const name of ['', '   ', 'x'.repeat(101)])
      expect((await ada.patch(`${datasetsPath}/${id}`, { name })).status).toBe(400);
    const { body: before } = await ada.get(`${datasetsPath}/available`);
    expect((await ada.delete(`${datasetsPath}/${id}`)).status).toBe(204);
    expect((await ada.delete(`${datasetsPath}/${id}`)).status).toBe(404);
    expect((await ada.get(`${datasetsPath}/${id}/examples`)).status).toBe(404);
    expect((await ada.get(`${datasetsPath}/available`)).body).toEqual(before);
  });

  test('lets nobody reach another user’s dataset, by any call', async () => {
    const bob = await app.withKey('bob');
    const assistantId = await createAssistant(ada, { name: 'Hers' });
    await ratedThread(app, bob, [{ value: 'good' }]);
    const own = await gathered(bob);
    const { id, examples } = await fresh();
    const exampleId = examples[0]?.id ?? 0;
    const attempts = (dataset: number, example: number, assistant: number) => [
      bob.get(`${datasetsPath}/${dataset}`),
      bob.patch(`${datasetsPath}/${dataset}`, { name: 'Taken' }),
      bob.delete(`${datasetsPath}/${dataset}`),
      bob.post(`${datasetsPath}/${dataset}/gather`, {}),
      bob.get(`${datasetsPath}/${dataset}/examples`),
      bob.post(`${datasetsPath}/${dataset}/save`, { filename: 'taken' }),
      change(dataset, example, { review: 'kept' }, bob),
      // By way of their own dataset.
      change(own.id, example, { review: 'kept' }, bob),
      bob.post(datasetsPath, { name: 'Taken', assistantId: assistant }),
      bob.post(`${datasetsPath}/${own.id}/gather`, { assistantId: assistant }),
      bob.get(`${datasetsPath}/available?assistantId=${assistant}`),
    ];
    const foreign = await Promise.all(attempts(id, exampleId, assistantId));
    const unknown = await Promise.all(attempts(2_000_000_000, 2_000_000_000, 2_000_000_000));
    for (const [index, { status, body }] of foreign.entries()) {
      expect([index, status, body.code]).toEqual([index, 404, 'not_found']);
      expect({ ...body, requestId: '' }).toEqual({ ...unknown[index]?.body, requestId: '' });
    }
    expect(await examplesOf(ada, id)).toEqual(examples);
    expect((await bob.get(datasetsPath)).body.items).toMatchObject([{ id: own.id }]);
    expect((await bob.get('/api/files')).body).toEqual([]);
  });

  test('lets a Viewer read, but change nothing', async () => {
    const viewer = await app.withKey('viewer');
    await ratedThread(app, viewer, [{ value: 'good' }]);
    const { id } = await gathered(viewer);
    await setUser(app, 'viewer@example.com', { role: 'Viewer' });
    expect((await viewer.get(datasetsPath)).body.items).toHaveLength(1);
    const [example] = await examplesOf(viewer, id);
    expect(textsOf(example?.turns ?? [])).toEqual(['Question 1']);
    const refused = await Promise.all([
      viewer.post(datasetsPath, { name: 'More' }),
      viewer.patch(`${datasetsPath}/${id}`, { name: 'Renamed' }),
      viewer.post(`${datasetsPath}/${id}/gather`, {}),
      viewer.post(`${datasetsPath}/${id}/save`, { filename: 'mine' }),
      viewer.delete(`${datasetsPath}/${id}`),
      change(id, example?.id, { review: 'kept' }, viewer),
    ]);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'not_allowed']);
  });
});
