import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import { download } from '#server/testing/files';

describe.each(engines)('images that a model generates on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function drawn(name: string, text: string) {
    const { visitor } = await app.someone(name);
    const assistantId = await createAssistant(visitor, { tools: { imageGeneration: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    return { visitor, ...(await ask(app, visitor, threadId, text)) };
  }

  test('become files of the answer, and appear in no event and no log', async () => {
    const { visitor, answer, run, events } = await drawn('painter', '[[picture]] A boat');
    expect(answer.calls?.map(({ kind, state, input, output }) => [kind, state, input, output])).toEqual([
      ['image_generation', 'done', 'A drawing: A boat', '[{"type":"image"}]'],
    ]);
    expect(answer.files).toMatchObject([{ filename: 'picture 1.png', kind: 'image' }]);
    const { status, bytes } = await download(app, visitor, answer.files[0]?.id ?? 0);
    expect([status, bytes.subarray(1, 4).toString()]).toEqual([200, 'PNG']);
    const states = events.flatMap(({ event }) => (event.type === 'tool' ? [event.call.state] : []));
    expect(states).toEqual(['running', 'done']);
    const picture = bytes.toString('base64').slice(0, 60);
    expect(JSON.stringify([events, await readEvents(app, visitor, run.id)])).not.toContain(picture);
    const stored = await withDatabase(app, (db) => db.selectFrom('tool_calls').select('output').execute());
    expect(JSON.stringify(stored)).not.toContain(picture);
  });

  test('are omitted if generating failed or returned something else', async () => {
    for (const how of ['failed', 'broken']) {
      const { answer } = await drawn(`painter-${how}`, `[[picture ${how}]] A boat`);
      expect([how, answer.state, answer.files, answer.calls?.[0]?.state]).toEqual([how, 'complete', [], 'failed']);
    }
  });

  test('are not requested from a model without the tool, with a note before sending', async () => {
    const { visitor, answer } = await drawn('refused', '[[picture]] [[no image_generation]] A boat');
    expect(answer.notes).toContain('Image generation was left out: gpt-4o does not support it.');
    const { body } = await visitor.get('/api/models/tools?model=gpt-4o');
    expect(body).toMatchObject({ imageGeneration: 'gpt-4o does not support it.', webSearch: null });
    expect(body.notice).toMatch(/may not support these tools/);
    expect((await visitor.get('/api/models/tools')).body.imageGeneration).toBe('gpt-4o does not support it.');
    expect((await visitor.get('/api/models/tools?model=gpt-4o-mini')).body.imageGeneration).toBeNull();
    await forgetAsks(app);
    await ask(app, visitor, answer.threadId, 'Again');
    expect((await asksOf(app))[0]?.body.tools).toBeUndefined();
  });
});
