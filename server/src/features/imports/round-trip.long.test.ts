import type { Message } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, regenerated, sendMessage, until } from '#server/testing/chat';
import { setUser } from '#server/testing/database';
import { download, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { imported, untilImport } from '#server/testing/imports';
import { newPrompt } from '#server/testing/prompts';
import { enqueued, queueOf } from '#server/testing/queue';
import { beginDownload } from '#server/testing/zip';

const threadsOf = async (visitor: HttpClient, query: string) => (await visitor.get(`/api/threads${query}`)).body.items;

const queuedFields = ({ text, files, models, held, createdAt }: Record<string, unknown>) => ({
  ...{ text, models, held, createdAt },
  files: Array.isArray(files) ? files.map(({ filename }) => filename) : files,
});

const answeredBy = ({ answeredBy: by }: Pick<Message, 'answeredBy'>, names: ReadonlyMap<unknown, unknown>) =>
  by ? { assistant: names.get(by.assistantId), version: by.version } : undefined;

/** Everything apart from ids, which another installation gives itself, and the usage of answers. */
async function comparable(app: TestApp, visitor: HttpClient) {
  const { body: items } = await visitor.get('/api/assistants');
  const names = new Map(items.map(({ id, name }: { id: number; name: string }) => [id, name]));
  const threads = [...(await threadsOf(visitor, '')), ...(await threadsOf(visitor, '?archived=true'))];
  const conversations = [];
  for (const { id, title, pinned, archived, createdAt, updatedAt, assistantId, model } of threads) {
    const shown = await messagesOf(visitor, id);
    const { body: whole } = await visitor.get(`/api/threads/${id}/export?format=json`);
    const order = new Map(whole.messages.map((message: { id: number }, at: number) => [message.id, at]));
    conversations.push({
      ...{ title, pinned, archived, createdAt, updatedAt, model, assistant: names.get(assistantId) },
      queued: (await visitor.get(`/api/threads/${id}/queue`)).body.items?.map(queuedFields),
      shown: shown.map(({ id: message }) => order.get(message)),
      messages: whole.messages.map((message: Message) => ({
        role: message.role,
        text: message.text,
        reasoning: message.reasoning,
        model: message.model,
        createdAt: message.createdAt,
        state: message.state,
        error: message.error,
        notes: message.notes,
        links: message.links,
        sources: message.sources,
        endedEarly: message.endedEarly,
        thoughtMs: message.thoughtMs,
        finishedAt: message.finishedAt,
        calls: message.calls,
        summary: message.summary,
        answeredBy: answeredBy(message, names),
        rating: message.rating,
        files: message.files,
        follows: order.get(Number(message.parentId)),
      })),
    });
  }
  const files = [];
  for (const { id, filename, size, purpose, usedBy } of (await visitor.get('/api/files?sort=name')).body)
    files.push({ filename, size, purpose, usedBy, bytes: (await download(app, visitor, id)).bytes.toString('hex') });
  const { body: assistants } = await visitor.get('/api/assistants/export');
  const versions = [];
  for (const { id, name, isDefault, version, createdAt, updatedAt } of items) {
    versions.push({ name, isDefault, version, createdAt, updatedAt });
    for (const { number } of (await visitor.get(`/api/assistants/${id}/versions`)).body) {
      const { body } = await visitor.get(`/api/assistants/${id}/versions/${number}`);
      versions.push({ ...body, files: body.files.map(({ filename }: { filename: string }) => filename) });
    }
  }
  const projects = [];
  for (const { id, assistantId, ...project } of (await visitor.get('/api/projects')).body.items) {
    const { body: threadsIn } = await visitor.get(`/api/projects/${id}/threads`);
    const { body: filesIn } = await visitor.get(`/api/projects/${id}/files`);
    projects.push({
      ...{ ...project, assistant: names.get(assistantId) },
      threads: threadsIn.items.map(({ title }: { title: string }) => title),
      fileNames: filesIn.map(({ filename }: { filename: string }) => filename),
    });
  }
  const { body: prompts } = await visitor.get('/api/prompts');
  return {
    conversations,
    files,
    assistants: assistants.assistants,
    versions,
    projects,
    preferences: (await visitor.get('/api/settings/preferences')).body,
    prompts: prompts.items.map(({ id: _, ...prompt }: { id: number }) => prompt),
  };
}

/** Versions of assistants, projects, tool calls, a summary, a message in line, and preferences. */
async function fillOrder(app: TestApp, ada: HttpClient, threadId: number, pictureId: number) {
  const note = await uploaded(app, ada, {
    filename: 'note.txt',
    content: Buffer.from('Quinces'),
    purpose: 'assistants',
  });
  const assistantId = await createAssistant(ada, { name: 'Searcher', tools: { webSearch: {} } });
  await ada.post(`/api/assistants/${assistantId}/files`, { fileIds: [note.id] });
  await ada.patch(`/api/assistants/${assistantId}`, { instructions: 'Search well', model: 'gpt-4o' });
  await ada.post(`/api/settings/default-assistant`, { assistantId });
  const draft = { name: 'Boats', icon: 'star', color: 'red', instructions: 'Be brief', assistantId };
  const { body: project } = await ada.post('/api/projects', draft);
  await ada.post(`/api/projects/${project.id}/files`, { fileIds: [note.id, pictureId] });
  const searched = await newThread(ada, { title: 'Searched', assistantId, projectId: project.id });
  await ask(app, ada, searched, '[[web]] What is new?');
  const { body: archived } = await ada.post('/api/projects', { name: 'Old', model: 'gpt-4o' });
  await ada.patch(`/api/projects/${archived.id}`, { archived: true });
  await ask(app, ada, threadId, 'One more [[bench 5]]');
  const { body: summarized } = await ada.post(`/api/threads/${threadId}/summary`, {});
  await until('The summary', async () =>
    (await messagesOf(ada, threadId)).some(({ id, summary }) => id === summarized.id && summary?.state === 'complete'),
  );
  const { run } = await sendMessage(ada, threadId, '[[bench 40000]] [[delay 20]]');
  await enqueued(ada, threadId, 'Later', { fileIds: [pictureId] });
  await ada.post(`/api/runs/${run.id}/stop`);
  await until('The message is held', async () => (await queueOf(ada, threadId))[0]?.held === 'stopped');
  const colors = { backgroundColor: '#111111', foregroundColor: '#222222', accentColor: '#333333' };
  const switches = { theme: 'light', notificationsEnabled: false, soundEnabled: true, customColors: true };
  await ada.post('/api/settings/preferences', { titleModel: 'gpt-4o', ...switches, ...colors });
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
  await fillOrder(app, ada, second, picture.id);
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
    expect(before.projects).toMatchObject([
      { name: 'Boats', assistant: 'Searcher', threads: ['Searched'], fileNames: ['dot.png', 'note.txt'] },
      { name: 'Old', archivedAt: expect.any(String) },
    ]);
    const messages = before.conversations.flatMap((conversation) => conversation.messages);
    expect(messages.filter(({ calls = [], links = [] }) => calls.length > 0 && links.length > 0)).toHaveLength(1);
    expect(messages.map(({ summary }) => summary?.state).filter(Boolean)).toEqual(['complete']);
    expect(before.conversations.flatMap(({ queued }) => queued)).toMatchObject([{ text: 'Later', files: ['dot.png'] }]);
    expect(before.versions.filter(({ settings }) => settings?.name === 'Searcher').length).toBeGreaterThan(2);
    const { body } = await beginDownload(from, ada, '/api/user/export');
    const archive = Buffer.from(await body.arrayBuffer());

    const { visitor: eve } = await to.someone('eve');
    const done = await imported(to, eve, archive);
    expect(done).toMatchObject({ state: 'done', source: 'roster', importedConversations: 3, importedFiles: 2 });
    expect(done).toMatchObject({ importedAssistants: 3, importedProjects: 2 });
    expect(done).toMatchObject({ assistants: 3, projects: 2, prompts: 1, queued: 1 });

    expect(await comparable(to, eve)).toEqual(before);
    expect(await imported(to, eve, archive)).toMatchObject({
      ...{ importedMessages: 0, importedFiles: 0, importedAssistants: 0, importedProjects: 0 },
    });
    expect(await comparable(to, eve)).toEqual(before);
  });

  test('names what stays behind, and undoes assistants and projects that are as they came', async () => {
    const { visitor: bob } = await from.someone('bob');
    await createAssistant(bob, { name: 'Kept' });
    await createAssistant(bob, { name: 'Undone' });
    const { body: kept } = await bob.post('/api/projects', { name: 'Kept' });
    await bob.post('/api/projects', { name: 'Undone' });
    await newThread(bob, { title: 'In the project', projectId: kept.id });
    await bob.post('/api/analytics/budgets', {
      ...{ assistantId: null, amountUsd: 5, warnAt: 0.8, hardStop: false, tz: 'UTC' },
    });
    await bob.post('/api/analytics/project-budgets', { projectId: kept.id, amountUsd: 5 });
    const { body } = await beginDownload(from, bob, '/api/user/export');
    const archive = Buffer.from(await body.arrayBuffer());

    const { visitor: fay } = await to.someone('fay');
    const done = await imported(to, fay, archive);
    expect(done.leftOut).toMatchObject([
      { reason: 'empty_conversations', count: 1 },
      { reason: 'keys', count: 1 },
      { reason: 'limits', count: 2 },
    ]);
    const { body: assistants } = await fay.get('/api/assistants');
    const { body: projects } = await fay.get('/api/projects');
    const idOf = (list: { id: number; name: string }[]) => list.find(({ name }) => name === 'Kept')?.id;
    await fay.patch(`/api/assistants/${idOf(assistants)}`, { instructions: 'Changed here' });
    await newThread(fay, { title: 'Mine', projectId: idOf(projects.items) });
    expect((await fay.post(`/api/imports/${done.id}/undo`)).status).toBe(202);
    await untilImport(fay, done.id, ['undone']);
    const names = (list: { name: string }[]) => list.map(({ name }) => name);
    expect(names((await fay.get('/api/assistants')).body)).toEqual(['Kept']);
    expect(names((await fay.get('/api/projects')).body.items)).toEqual(['Kept']);
  });

  test('leaves out assistants for a Viewer, and preferences of somebody who has chosen their own', async () => {
    const { visitor: cid } = await from.someone('cid');
    await createAssistant(cid, { name: 'Tutor' });
    const { body: preferences } = await cid.get('/api/settings/preferences');
    const { body } = await beginDownload(from, cid, '/api/user/export');
    const { visitor: vic, email } = await to.someone('vic');
    await vic.post('/api/settings/preferences', { ...preferences, theme: 'light', soundEnabled: false });
    await setUser(to, email, { role: 'Viewer' });
    const done = await imported(to, vic, Buffer.from(await body.arrayBuffer()));
    expect(done).toMatchObject({ source: 'roster', state: 'done', conversations: 0, importedAssistants: 0 });
    expect(done.leftOut).toContainEqual({ reason: 'assistants_not_allowed', count: 1, names: [] });
    expect((await vic.get('/api/settings/preferences')).body).toMatchObject({ theme: 'light', soundEnabled: false });
  });
});
