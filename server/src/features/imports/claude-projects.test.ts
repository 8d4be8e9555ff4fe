import { projectInstructionsLimit } from '@roster/contracts/projects/projects';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { zipped } from '#server/testing/exports';
import { download } from '#server/testing/files';
import { imported, untilImport } from '#server/testing/imports';

const at = '2025-03-04T05:06:07.000000Z';
const chat = (uuid: string, name: string, more: Record<string, unknown> = {}) => ({
  ...{ uuid, name, created_at: at, updated_at: at, ...more },
  chat_messages: [
    { uuid: `${uuid}q`, sender: 'human', text: `About ${name}`, created_at: at },
    { uuid: `${uuid}a`, sender: 'assistant', text: 'An answer', created_at: at },
  ],
});
const projects = [
  {
    ...{ uuid: 'p1', name: 'Garden', description: 'Plants', is_private: true, created_at: at, updated_at: at },
    prompt_template: 'Answer as a gardener',
    docs: [
      { uuid: 'd1', filename: 'roses.md', content: '# Roses', created_at: at },
      { uuid: 'd2', filename: 'Notes', content: 'Water them', created_at: at },
      { uuid: 'd3', filename: 'empty.txt', content: '', created_at: at },
    ],
  },
  { uuid: 'p2', name: null, prompt_template: 'x'.repeat(projectInstructionsLimit + 5), docs: [], created_at: at },
  'nonsense',
];
const archive = () =>
  zipped({
    'conversations.json': [
      chat('1', 'Roses', { project_uuid: 'p1' }),
      chat('2', 'Beans', { project: { uuid: 'p1' } }),
      chat('3', 'Cars'),
    ],
    'projects.json': projects,
    'users.json': [{ uuid: 'u' }],
  });

describe.each(engines)('the projects of Claude on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test('come along with instructions, documents and conversations, once, and are undone', async () => {
    const { visitor: ada } = await app.someone('ada');
    const done = await imported(app, ada, await archive());
    expect(done).toMatchObject({
      ...{ state: 'done', source: 'claude', conversations: 3, projects: 2, importedProjects: 2, importedFiles: 3 },
      leftOut: [{ reason: 'damaged_files', count: 1 }],
    });
    const { items } = (await ada.get('/api/projects')).body;
    expect(items).toMatchObject([
      { name: 'Garden', instructions: 'Answer as a gardener', conversations: 2, createdAt: '2025-03-04T05:06:07.000Z' },
      { name: 'Project', instructions: 'x'.repeat(projectInstructionsLimit), conversations: 0, files: 1 },
    ]);
    const { body: threads } = await ada.get(`/api/projects/${items[0].id}/threads`);
    expect(threads.items.map(({ title }: { title: string }) => title).sort()).toEqual(['Beans', 'Roses']);
    const { body: files } = await ada.get(`/api/projects/${items[0].id}/files`);
    expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(['roses.md', 'Notes.txt']);
    expect((await download(app, ada, files[0].fileId)).bytes.toString()).toBe('# Roses');

    const again = await imported(app, ada, await archive());
    expect(again).toMatchObject({ importedProjects: 0, importedFiles: 0, importedMessages: 0 });
    await ada.post(`/api/imports/${done.id}/undo`);
    await untilImport(ada, done.id, ['undone']);
    expect((await ada.get('/api/projects')).body.items).toEqual([]);
    expect((await ada.get('/api/files')).body).toEqual([]);
  });
});
