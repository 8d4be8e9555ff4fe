import type { File } from '@roster/contracts/files/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { datasetOf, datasetsPath, examplesOf, gathered, rated, ratedThread } from '#server/testing/datasets';
import { download, inStore } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { until } from '#server/testing/until';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('saving a dataset on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const somebody = () => app.withKey(`person${++people}`);
  const save = (visitor: HttpClient, datasetId: number, body: object) =>
    visitor.post(`${datasetsPath}/${datasetId}/save`, body);
  const textOf = async (visitor: HttpClient, file: File) =>
    (await download(app, visitor, file.id)).bytes.toString('utf8');
  const user = (content: string) => ({ role: 'user', content });
  const assistant = (content: string) => ({ role: 'assistant', content });

  /** A dataset of `count` examples without a conversation. */
  const filled = (visitor: HttpClient, count: number) =>
    datasetOf(
      app,
      visitor,
      Array.from({ length: count }, (_, index) => ({ question: `Q${index}`, answer: `A${index}` })),
    );
  const answersIn = (text: string): string[] => jsonLines(text).map(({ messages }) => messages.at(-1).content);

  test('writes a line for each included example in chat format', async () => {
    const ada = await somebody();
    const assistantId = await createAssistant(ada, { instructions: 'Be "brief".\nAlways.' });
    const { answers, threadId } = await ratedThread(
      app,
      ada,
      [{ value: 'good' }, { value: 'good' }, { correction: 'Ünïcode ✓\n“so”' }],
      { assistantId },
    );
    await ada.patch(`/api/threads/${threadId}`, { assistantId: null });
    await rated(ada, (await ask(app, ada, threadId, 'Without instructions')).answer.id, { correction: 'Yes' });
    const { id } = await gathered(ada);
    const examples = await examplesOf(ada, id);
    await ada.patch(`${datasetsPath}/${id}/examples/${examples[1]?.id}`, { review: 'left_out' });
    await ada.patch(`${datasetsPath}/${id}/examples/${examples[0]?.id}`, { review: 'kept', question: 'Edited' });

    const { status, body } = await save(ada, id, { filename: 'My examples' });
    expect(status).toBe(201);
    expect(body).toEqual({
      training: expect.objectContaining({ filename: 'My examples.jsonl', purpose: 'fine-tune', usedBy: 0 }),
      validation: null,
    });
    const system = { role: 'system', content: 'Be "brief".\nAlways.' };
    const earlier = (content: string) => ({ role: 'assistant', content, weight: 0 });
    const [one, two] = answers.map(({ text }) => text);
    const conversation = [
      user('Question 1'),
      earlier(one ?? ''),
      user('Question 2'),
      earlier(two ?? ''),
      user('Question 3'),
    ];
    const lines = [
      { messages: [system, user('Edited'), assistant(one ?? '')] },
      { messages: [system, ...conversation, assistant('Ünïcode ✓\n“so”')] },
      {
        messages: [...conversation, earlier('Ünïcode ✓\n“so”'), user('Without instructions'), assistant('Yes')],
      },
    ];
    const text = await textOf(ada, body.training);
    expect(text).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(body.training.size).toBe(Buffer.byteLength(text));
    await until('The copy at the provider', async () => {
      const { body: files } = await ada.get('/api/files');
      return files[0].provider.state === 'ready';
    });
  });

  test('writes what the provider reads in preference format', async () => {
    const ada = await somebody();
    const { answers } = await ratedThread(app, ada, [{ value: 'bad', correction: 'Better' }, { correction: 'Best' }]);
    const { id } = await gathered(ada, { format: 'preference' });
    const { body } = await save(ada, id, { filename: 'pairs.JSONL' });
    expect(body.training.filename).toBe('pairs.jsonl');
    const [one, two] = answers.map(({ text }) => text);
    const line = (messages: object[], better: string, worse: string) => ({
      input: { messages, tools: [], parallel_tool_calls: true },
      preferred_output: [assistant(better)],
      non_preferred_output: [assistant(worse)],
    });
    expect(jsonLines(await textOf(ada, body.training))).toEqual([
      line([user('Question 1')], 'Better', one ?? ''),
      line([user('Question 1'), assistant('Better'), user('Question 2')], 'Best', two ?? ''),
    ]);
  });

  test('divides for validation, the same way each time', async () => {
    const ada = await somebody();
    const id = await filled(ada, 45);
    const first = (await save(ada, id, { filename: 'split', validationShare: 0.2 })).body;
    expect([first.training.filename, first.validation.filename]).toEqual(['split.jsonl', 'split-validation.jsonl']);
    expect(first.validation.purpose).toBe('fine-tune');
    const [training, validation] = [await textOf(ada, first.training), await textOf(ada, first.validation)];
    expect([answersIn(training).length, answersIn(validation).length]).toEqual([36, 9]);
    expect([...answersIn(training), ...answersIn(validation)].toSorted()).toEqual(
      Array.from({ length: 45 }, (_, index) => `A${index}`).toSorted(),
    );
    const again = (await save(ada, id, { filename: 'split', validationShare: 0.2 })).body;
    expect([await textOf(ada, again.training), await textOf(ada, again.validation)]).toEqual([training, validation]);
  });

  const divisionOf = async (visitor: HttpClient, datasetId: number, share: number) =>
    (await visitor.get(`${datasetsPath}/${datasetId}/division?validationShare=${share}`)).body;
  /** Questions with which the examples in a file end. */
  const questionsIn = async (visitor: HttpClient, file: File): Promise<string[]> =>
    jsonLines(await textOf(visitor, file)).map(({ messages }) => messages.at(-2).content);

  test('keeps a conversation together, and predicts the result', async () => {
    const ada = await somebody();
    for (const [topic, count] of [6, 1, 3, 2, 4].entries()) {
      const threadId = await newThread(ada);
      for (let number = 1; number <= count; number++)
        await rated(ada, (await ask(app, ada, threadId, `${topic}: question ${number}`)).answer.id, { value: 'good' });
    }
    const { id } = await gathered(ada);
    for (const [share, wanted] of [
      [0.05, 1],
      [0.2, 3],
      [0.5, 8],
    ] as const) {
      const division = await divisionOf(ada, id, share);
      expect(division).toEqual({ conversations: 5, training: 16 - wanted, validation: wanted });
      const { body } = await save(ada, id, { filename: 'whole', validationShare: share });
      const [training, validation] = [await questionsIn(ada, body.training), await questionsIn(ada, body.validation)];
      expect([training.length, validation.length]).toEqual([division.training, division.validation]);
      const topics = (questions: string[]) => questions.map((question) => question.split(':')[0]);
      expect(topics(training).filter((topic) => topics(validation).includes(topic))).toEqual([]);
    }
    // Excluded examples do not count: there are a conversation of four, one of three, and the sixth example of the
    // first.
    const examples = await examplesOf(ada, id);
    for (const [index, example] of examples.entries())
      if (index < 5 || index === 6 || [10, 11].includes(index))
        await ada.patch(`${datasetsPath}/${id}/examples/${example.id}`, { review: 'left_out' });
    expect(await divisionOf(ada, id, 0.5)).toEqual({ conversations: 3, training: 4, validation: 4 });
  });

  test('keeps a conversation together after it was deleted', async () => {
    const ada = await somebody();
    const threads: number[] = [];
    for (let topic = 0; topic < 4; topic++) {
      const threadId = await newThread(ada);
      threads.push(threadId);
      for (let number = 1; number <= 3; number++)
        await rated(ada, (await ask(app, ada, threadId, `${topic}: question ${number}`)).answer.id, { value: 'good' });
    }
    const { id } = await gathered(ada);
    const before = (await save(ada, id, { filename: 'before', validationShare: 0.2 })).body;
    for (const threadId of threads) expect((await ada.delete(`/api/threads/${threadId}`)).status).toBe(204);
    expect(await divisionOf(ada, id, 0.2)).toEqual({ conversations: 4, training: 9, validation: 3 });
    const after = (await save(ada, id, { filename: 'after', validationShare: 0.2 })).body;
    expect(await textOf(ada, after.validation)).toBe(await textOf(ada, before.validation));
  });

  test('does not divide a single conversation', async () => {
    const ada = await somebody();
    await ratedThread(app, ada, [{ value: 'good' }, { value: 'good' }, { value: 'good' }]);
    const { id } = await gathered(ada);
    expect(await divisionOf(ada, id, 0.3)).toEqual({ conversations: 1, training: 3, validation: 0 });
    const { status, body } = await save(ada, id, { filename: 'x', validationShare: 0.3 });
    expect([status, body.code, body.message]).toEqual([
      409,
      'conflict',
      expect.stringMatching(/^All examples come from one conversation/),
    ]);
    expect((await ada.get('/api/files')).body).toEqual([]);
  });

  test.each(['', '?validationShare=', '?validationShare=0.04', '?validationShare=0.6', '?validationShare=half'])(
    'predicts no division with %j',
    async (query) => {
      const ada = await somebody();
      const { status, body } = await ada.get(`${datasetsPath}/${await filled(ada, 1)}/division${query}`);
      expect([status, Object.keys(body.fields ?? {})]).toEqual([400, ['validationShare']]);
    },
  );

  test('treats a name as a label', async () => {
    const ada = await somebody();
    const id = await filled(ada, 1);
    for (const [filename, kept] of [
      ['../../etc/passwd', 'passwd.jsonl'],
      ['C:\\data\\mine.jsonl', 'mine.jsonl'],
      ['.jsonl', 'dataset.jsonl'],
      ['  Größe ✓\u202e.json ', 'Größe ✓.json.jsonl'],
      ['𝒳'.repeat(200), `${'𝒳'.repeat(200)}.jsonl`],
    ]) {
      const { status, body } = await save(ada, id, { filename });
      expect([status, body.training?.filename]).toEqual([201, kept]);
    }
  });

  test('refuses what makes no file', async () => {
    const ada = await somebody();
    const id = await filled(ada, 1);
    const refused: [body: object, status: number, field?: string][] = [
      [{}, 400, 'filename'],
      [{ filename: '  ' }, 400, 'filename'],
      [{ filename: 'x'.repeat(201) }, 400, 'filename'],
      [{ filename: 'x', validationShare: 0.04 }, 400, 'validationShare'],
      [{ filename: 'x', validationShare: 0.6 }, 400, 'validationShare'],
      [{ filename: 'x', format: 'chat' }, 400, 'format'],
      [{ filename: 'x', validationShare: 0.5 }, 409],
    ];
    for (const [body, status, field] of refused) {
      const answer = await save(ada, id, body);
      expect([answer.status, Object.keys(answer.body.fields ?? {})]).toEqual([status, field ? [field] : []]);
    }
    const [example] = await examplesOf(ada, id);
    await ada.patch(`${datasetsPath}/${id}/examples/${example?.id}`, { review: 'left_out' });
    const nothing = await save(ada, id, { filename: 'x' });
    expect([nothing.status, nothing.body.code]).toEqual([409, 'conflict']);
    expect(nothing.body.message).toContain('Every example is excluded');
    expect((await ada.get('/api/files')).body).toEqual([]);
  });

  test('removes the first file if the second one finds no room', async () => {
    const ada = await somebody();
    const id = await filled(ada, 20);
    const { id: userId } = (await ada.get('/api/user')).body;
    const before = inStore(app).length;
    // All files that may be stored, except for one.
    await withDatabase(app, async (db) => {
      const rows = Array.from({ length: 999 }, (_, index) => ({
        user_id: userId,
        filename: `${index}`,
        name_key: `${index}`,
        type: 'text/plain',
        size: 1,
        sha256: '',
        storage_key: `none-${people}-${index}`,
        purpose: 'assistants' as const,
        created_at: '2026-01-01T00:00:00.000Z',
      }));
      for (let from = 0; from < rows.length; from += 100)
        await db
          .insertInto('files')
          .values(rows.slice(from, from + 100))
          .execute();
    });
    const { status, body } = await save(ada, id, { filename: 'two', validationShare: 0.2 });
    expect([status, body.code]).toEqual([409, 'quota_exceeded']);
    expect((await ada.get('/api/files/summary')).body.totalFiles).toBe(999);
    await until('The bytes to be removed', async () => inStore(app).length === before);
    expect((await save(ada, id, { filename: 'one' })).status).toBe(201);
  });

  test('is part of the account export', async () => {
    const [ada, bob] = [await somebody(), await somebody()];
    const { threadId, answers } = await ratedThread(app, ada, [{ value: 'good' }, { correction: 'Mine' }]);
    const dataset = await gathered(ada, { name: 'Of cabbages' });
    await ratedThread(app, bob, [{ correction: 'bergamot' }]);
    await gathered(bob);
    const [example] = await examplesOf(ada, dataset.id);
    await ada.patch(`${datasetsPath}/${dataset.id}/examples/${example?.id}`, { review: 'kept', answer: 'By hand' });
    const { body } = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    const name = `fine-tuning/datasets/${dataset.id}.jsonl`;
    expect(jsonLines(files.get('fine-tuning/datasets/INDEX.jsonl'))).toMatchObject([
      { file: name, name: 'Of cabbages', format: 'chat', examples: 2, kept: 1 },
    ]);
    const lines = jsonLines(files.get(name));
    expect(lines[0]).toEqual({
      instructions: '',
      turns: [{ role: 'user', text: 'Question 1', files: [] }],
      answer: 'By hand',
      rejected: null,
      review: 'kept',
      edited: true,
      sourceMessageId: answers[0]?.id,
      createdAt: expect.any(String),
    });
    expect(lines[1]).toMatchObject({ answer: 'Mine', review: 'unreviewed', sourceMessageId: answers[1]?.id });
    const conversation = JSON.parse(files.get(`conversations/${threadId}.json`) ?? '');
    expect(conversation.messages.at(-1).rating).toEqual({ value: null, correction: 'Mine' });
    expect([...files].flat().join('\n')).not.toContain('bergamot');
  });
});
