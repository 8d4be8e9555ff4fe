import { promptImportLimit, promptsPerUser, promptTextLimit } from '@roster/contracts/prompts/prompts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { newPrompt } from '#server/testing/prompts';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/prompts';

describe.each(engines)('prompts on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const someone = async () => (await app.someone()).visitor;
  const listed = async (visitor: HttpClient, query = ''): Promise<string[]> =>
    (await visitor.get(`${path}?${query}`)).body.items.map(({ name }: { name: string }) => name);
  const imported = (visitor: HttpClient, file: unknown, query = '') => visitor.post(`${path}/import${query}`, file);
  const statesOf = (body: { entries: { state: string; name: string }[] }) =>
    body.entries.map(({ state, name }) => `${state} ${name}`);

  test('saves, shows, changes and deletes a prompt', async () => {
    const ada = await someone();
    const text = 'Write {{count=3}} lines.\n  {{tone: kind | short}}';
    const made = await newPrompt(ada, { name: '/Wochen-Bericht ', title: ' Weekly\treport ', text });
    expect(made).toMatchObject({ name: 'wochen-bericht', title: 'Weekly report', text, usedAt: null });
    expect((await ada.get(`${path}/${made.id}`)).body).toEqual(made);
    const { text: _, ...item } = made;
    expect((await ada.get(path)).body).toEqual({ items: [{ ...item, preview: text }], nextCursor: null });

    const change = { title: 'Report', updatedAt: made.updatedAt };
    const { body: changed } = await ada.patch(`${path}/${made.id}`, change);
    expect(changed).toMatchObject({ name: 'wochen-bericht', title: 'Report', text });
    const stale = await ada.patch(`${path}/${made.id}`, { text: 'Lost', updatedAt: '2020-01-01T00:00:00.000Z' });
    expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining('changed in the meantime')]);
    expect((await ada.post(`${path}/${made.id}/used`)).status).toBe(204);
    expect((await ada.get(`${path}/${made.id}`)).body.usedAt).toMatch(/^20\d\d-/);

    expect((await ada.delete(`${path}/${made.id}`)).status).toBe(204);
    for (const { status } of [
      await ada.get(`${path}/${made.id}`),
      await ada.patch(`${path}/${made.id}`, { title: 'Gone' }),
      await ada.post(`${path}/${made.id}/used`),
      await ada.delete(`${path}/${made.id}`),
    ])
      expect(status).toBe(404);
  });

  test('refuses names, titles and texts that are missing, too long or taken', async () => {
    const ada = await someone();
    await newPrompt(ada);
    const other = await newPrompt(ada, { name: 'other' });
    const good = { name: 'good', title: 'Good', text: 'Good' };
    const fields = async (wrong: object) => (await ada.post(path, { ...good, ...wrong })).body.fields;
    const nameRule = 'Use up to 50 letters, digits and hyphens, such as weekly-report';
    for (const name of ['two words', 'under_score', '-dash', 'a/b', 'x'.repeat(51), '👍'])
      expect(await fields({ name }), name).toEqual({ name: nameRule });
    expect(await fields({ name: ' ' })).toEqual({ name: 'Name is required' });
    expect(await fields({ title: ' ' })).toEqual({ title: 'Title is required' });
    expect(await fields({ text: '\n' })).toEqual({ text: 'Text is required' });
    expect(Object.keys(await fields({ text: 'x'.repeat(promptTextLimit + 1) }))).toEqual(['text']);
    expect((await ada.post(path, { ...good, name: '日本語-é', text: '😀'.repeat(promptTextLimit) })).status).toBe(201);
    const taken = { name: 'You have a prompt named /summary already.' };
    expect(await fields({ name: 'SUMMARY' })).toEqual(taken);
    expect((await ada.patch(`${path}/${other.id}`, { name: 'summary' })).body.fields).toEqual(taken);
    expect((await ada.patch(`${path}/${other.id}`, { name: 'Other' })).status).toBe(200);
    // Names are each person’s own.
    expect((await newPrompt(await someone())).name).toBe('summary');
  });

  test('lists page by page, by name or the last used first, and searches names and titles', async () => {
    const ada = await someone();
    const names = ['alpha', 'beta', 'délta', 'gamma', 'ähre'];
    const ids = new Map<string, number>();
    for (const name of names.toReversed()) {
      const { id } = await newPrompt(ada, { name, title: `About ${name} 100%` });
      ids.set(name, id);
    }
    for (const name of ['gamma', 'beta']) await ada.post(`${path}/${ids.get(name)}/used`);
    async function paged(query: string) {
      const found: string[] = [];
      let cursor = '';
      do {
        const { body } = await ada.get(`${path}?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
        found.push(...body.items.map(({ name }: { name: string }) => name));
        cursor = body.nextCursor ?? '';
      } while (cursor);
      return found;
    }
    expect(await paged('')).toEqual(names);
    expect(new Set((await paged('sort=used')).slice(0, 2))).toEqual(new Set(['beta', 'gamma']));
    expect((await paged('sort=used')).slice(2)).toEqual(['alpha', 'délta', 'ähre']);
    expect(await listed(ada, `search=${encodeURIComponent('/DÉL')}`)).toEqual(['délta']);
    expect(await listed(ada, `search=${encodeURIComponent('about ä')}`)).toEqual(['ähre']);
    expect(await listed(ada, 'search=100%25')).toEqual(names);
    expect(await listed(ada, 'search=a_pha')).toEqual([]);
    expect((await ada.get(`${path}?cursor=nonsense`)).status).toBe(400);
  });

  test('exports a file that another account imports completely, and only once', async () => {
    const ada = await someone();
    await newPrompt(ada, { name: 'one', title: 'One “1”', text: 'a\n{{b}}\u2028😀' });
    const { id } = await newPrompt(ada, { name: 'two', title: 'Two', text: '{{tone: a | b}} {{day: date}}' });
    await ada.post(`${path}/${id}/used`);
    const download = await ada.get(`${path}/export`);
    expect(download.headers['content-disposition']).toMatch(/^attachment; filename="roster-prompts-[\d-]+\.json"$/);
    const archive = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await archive.body.arrayBuffer()));
    const inArchive = JSON.parse(files.get('prompts.json') ?? '');
    expect(inArchive.prompts).toEqual(download.body.prompts);

    const bob = await someone();
    const { body: preview } = await imported(bob, download.body, '?preview=true');
    expect(preview).toMatchObject({ source: 'roster', added: 2, present: 0, refused: 0, left: 0 });
    expect(await listed(bob)).toEqual([]);
    expect((await imported(bob, download.body)).body).toEqual(preview);
    const back = await bob.get(`${path}/export`);
    expect(back.body.prompts).toEqual(download.body.prompts);
    const { body: again } = await imported(bob, download.body);
    expect(again).toMatchObject({ added: 0, present: 2 });
    expect(await listed(bob)).toEqual(['one', 'two']);
  });

  test('imports from Open WebUI, reports what is odd, and keeps what has the same name', async () => {
    const ada = await someone();
    await newPrompt(ada, { name: 'code-review', text: 'My own' });
    const entry = (command: string, content: unknown, title?: string) => ({ command, title, content, timestamp: 1 });
    const file = [
      entry('/code_review', 'Review {{code}}', 'Code Review'),
      entry('/date', 'On {{CURRENT_DATE}} {{CLIPBOARD}} {{when | date:required}} {{if (x)}}', 'Date'),
      entry('/form', '{{tone | select:options=["kind","short"]:default="short"}} {{who | text:placeholder="x"}}'),
      entry('/empty', ' '),
      entry('/number', 5),
      entry('/date', 'On {{CURRENT_DATE}} {{CLIPBOARD}} {{when | date:required}} {{if (x)}}', 'Date'),
      entry('/long', 'x'.repeat(promptTextLimit + 1)),
      entry('///', 'Nameless'),
      null,
      'text',
    ];
    const { status, body } = await imported(ada, file);
    expect([status, body.source, body.added, body.present, body.refused]).toEqual([200, 'open-webui', 3, 1, 6]);
    expect(statesOf(body)).toEqual([
      ...['new code-review-2', 'new date', 'new form', 'refused empty', 'refused number', 'present date'],
      ...['refused long', 'refused ', 'refused ', 'refused '],
    ]);
    expect(body.entries.slice(3).map(({ reason }: { reason: string }) => reason)).toEqual([
      ...['It has no text.', 'It has no text.', null, 'Its text exceeds 32000 characters.', 'It has no name.'],
      ...['This entry is not a prompt.', 'This entry is not a prompt.'],
    ]);
    expect(body.entries[0].notes).toEqual([
      'The name “code_review” becomes /code-review: names have letters, digits and hyphens.',
      'Saved as /code-review-2, because /code-review has another text.',
    ]);
    expect(body.entries[1].notes).toEqual([
      'Variables are written as Roster writes them.',
      'Not variables here, kept as text: {{if (x)}}',
    ]);
    const texts = (await ada.get(`${path}/export`)).body.prompts.map(({ text }: { text: string }) => text);
    expect(texts).toEqual([
      'My own',
      'Review {{code}}',
      'On {{current date: date}} {{CLIPBOARD}} {{when: date}} {{if (x)}}',
      '{{tone: short | kind}} {{who}}',
    ]);
    expect((await imported(ada, file)).body).toMatchObject({ added: 0, present: 4, refused: 6 });
  });

  test('imports groups of prompts from LibreChat', async () => {
    const ada = await someone();
    const file = {
      promptGroups: [
        {
          _id: '1',
          name: 'Weekly report',
          command: 'weekly',
          oneliner: 'x',
          productionPrompt: { prompt: 'For {{team}}' },
        },
        { _id: '2', name: 'Ohne Befehl', productionPrompt: { prompt: '{{tone:kind|short}} {{current_date}}' } },
        { _id: '3', name: 'No text', productionPrompt: null },
      ],
      pageNumber: '1',
    };
    const { body } = await imported(ada, file);
    expect([body.source, ...statesOf(body)]).toEqual([
      ...['librechat', 'new weekly', 'new ohne-befehl', 'refused no-text'],
    ]);
    expect((await ada.get(`${path}/export`)).body.prompts).toMatchObject([
      { name: 'ohne-befehl', title: 'Ohne Befehl', text: '{{tone:kind|short}} {{current date: date}}' },
      { name: 'weekly', title: 'Weekly report', text: 'For {{team}}' },
    ]);
  });

  test('refuses a file without prompts, reads at most 1,000, and stops at the limit of an account', async () => {
    const ada = await someone();
    for (const file of [[], {}, 'text', 5, { prompts: [] }, { format: 'roster.prompts', version: 2, prompts: [{}] }]) {
      const { status, body } = await imported(ada, JSON.stringify(file));
      // A single object might be a prompt; the report says that it is none.
      if (JSON.stringify(file) === '{}') expect(body).toMatchObject({ added: 0, refused: 1 });
      else expect([status, body.code], JSON.stringify(file)).toEqual([400, 'invalid_input']);
    }
    await newPrompt(ada);
    const many = Array.from({ length: promptImportLimit + 3 }, (_, at) => ({
      command: `p${at}`,
      content: `Text ${at}`,
    }));
    const { body } = await imported(ada, many);
    expect(body).toMatchObject({ added: promptsPerUser - 1, refused: 1, left: 3 });
    expect(body.entries.at(-1).reason).toContain('You can have 1000 prompts.');
    const full = await ada.post(path, { name: 'more', title: 'More', text: 'More' });
    expect([full.status, full.body.message]).toEqual([409, 'You can have 1000 prompts. Delete one first.']);
    const back = await ada.get(`${path}/export`);
    expect([back.status, back.body.message]).toEqual([200, undefined]);
    expect(back.body.prompts).toHaveLength(promptsPerUser);
    expect((await imported(await someone(), back.body)).body).toMatchObject({ added: promptsPerUser, left: 0 });
  });
});
