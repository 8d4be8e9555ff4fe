import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, regenerated } from '#server/testing/chat';
import { download, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { imported } from '#server/testing/imports';
import { newPrompt } from '#server/testing/prompts';
import { beginDownload, unzip } from '#server/testing/zip';

const threadsOf = async (visitor: HttpClient, query: string) => (await visitor.get(`/api/threads${query}`)).body.items;

/** Everything apart from ids, which another installation gives itself, and the usage of answers. */
async function comparable(app: TestApp, visitor: HttpClient) {
  const threads = [...(await threadsOf(visitor, '')), ...(await threadsOf(visitor, '?archived=true'))];
  const conversations = [];
  for (const { id, title, pinned, archived, createdAt, updatedAt } of threads) {
    const shown = await messagesOf(visitor, id);
    const { body: whole } = await visitor.get(`/api/threads/${id}/export?format=json`);
    const order = new Map(whole.messages.map((message: { id: number }, at: number) => [message.id, at]));
    conversations.push({
      ...{ title, pinned, archived, createdAt, updatedAt },
      shown: shown.map(({ id: message }) => order.get(message)),
      messages: whole.messages.map((message: Record<string, unknown>) => ({
        role: message.role,
        text: message.text,
        reasoning: message.reasoning,
        model: message.model,
        createdAt: message.createdAt,
        state: message.state,
        rating: message.rating,
        files: message.files,
        follows: order.get(message.parentId),
      })),
    });
  }
  const files = [];
  for (const { id, filename, size, purpose, usedBy } of (await visitor.get('/api/files?sort=name')).body)
    files.push({ filename, size, purpose, usedBy, bytes: (await download(app, visitor, id)).bytes.toString('hex') });
  const { body: assistants } = await visitor.get('/api/assistants/export');
  const { body: prompts } = await visitor.get('/api/prompts');
  return {
    conversations,
    files,
    assistants: assistants.assistants,
    prompts: prompts.items.map(({ id: _, ...prompt }: { id: number }) => prompt),
  };
}

async function fill(app: TestApp, ada: HttpClient) {
  const picture = await uploaded(app, ada, {
    filename: 'dot.png',
    type: 'image/png',
    content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    purpose: 'user_data',
  });
  const first = await newThread(ada, { title: 'Boats' });
  await ask(app, ada, first, 'Look', { fileIds: [picture.id] });
  const { answer } = await ask(app, ada, first, 'And then?');
  await regenerated(app, ada, answer.id);
  const other = (await messagesOf(ada, first)).at(-1);
  await ada.post(`/api/messages/${answer.id}/rating`, { value: 'bad', correction: 'Sail' });
  await ada.post(`/api/messages/${other?.id}/rating`, { value: 'good', correction: null });
  const second = await newThread(ada, { title: 'Trains' });
  await ask(app, ada, second, 'Which one?');
  await ada.patch(`/api/threads/${second}`, { archived: true });
  await ada.patch(`/api/threads/${first}`, { pinned: true });
  await createAssistant(ada, { name: 'Tutor', instructions: 'Explain', starters: ['Begin'], icon: 'book' });
  await createAssistant(ada, { name: 'Editor', temperature: 0.1 });
  await newPrompt(ada, { name: 'report', text: 'Write about {{topic}}' });
  return first;
}

describe.each(engines)('an account export that is read back on %s', (engine) => {
  let from: TestApp;
  let to: TestApp;
  beforeAll(async () => {
    from = await startApp(engine);
    to = await startApp(engine);
  });
  afterAll(async () => {
    await from.stop();
    await to.stop();
  });

  test('has the same conversations, files, assistants and prompts in another installation', async () => {
    const { visitor: ada } = await from.someone('ada');
    await fill(from, ada);
    const before = await comparable(from, ada);
    const { body } = await beginDownload(from, ada, '/api/user/export');
    const archive = Buffer.from(await body.arrayBuffer());
    const files = unzip(archive);

    const { visitor: eve } = await to.someone('eve');
    const done = await imported(to, eve, archive);
    expect(done).toMatchObject({ state: 'done', source: 'roster', importedConversations: 2, importedFiles: 1 });
    for (const [name, path] of [
      ['assistants.json', '/api/assistants/import-file'],
      ['prompts.json', '/api/prompts/import'],
    ] as const)
      expect((await eve.post(path, JSON.parse(files.get(name) ?? 'null'))).status).toBe(200);

    expect(await comparable(to, eve)).toEqual(before);
    expect(await imported(to, eve, archive)).toMatchObject({ importedMessages: 0, importedFiles: 0 });
  });
});
