import type { Endpoint } from '@roster/contracts/endpoint';
import { isBlank } from '@roster/contracts/text/blank';
import { portableName, tidyName } from '@roster/contracts/text/name';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { up as takeDirectionAway } from '#server/db/migrations/0047-names-without-direction';
import { parseModels } from '#server/provider/resources/model-list';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { notesDescription } from '#server/testing/described-service';
import { uploaded } from '#server/testing/files';
import { seeded } from '#server/testing/generated';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, toolsOf } from '#server/testing/tool-servers';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

const turned = '\u200b\u202eSafe\u2066\ttxt\u0007\u200f ';
const tidy = 'Safe txt';

/** Characters that have a meaning in combination. */
const pieces = Array.from(
  'aä1#*.: /\\|?<>"\t\n\r\0\x7f\x85\u00a0\u00ad\u034f\u061c\u115f\u180b\u180e\u200b\u200c\u200d\u200e\u202e\u2028\u2060\u2066\u2800\u3164\ud83d\ufe00\ufe0e\ufe0f\ufeff\ufff9' +
    'می\u064bคक्ನᠠ葛\u0301❤👩💻🏽🇫🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}\u{e0101}',
);
function* made(count: number) {
  const random = seeded('names');
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  for (let at = 0; at < count; at++)
    yield Array.from({ length: Math.floor(random() * 12) }, () =>
      random() < 0.85 ? pick(pieces) : String.fromCodePoint(Math.floor(random() * 0x11_0000)),
    ).join('');
}

test('tidies a name to one line without direction changes, losing nothing visible, idempotently', () => {
  const shown = (text: string) =>
    text.toWellFormed().replace(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu, '');
  for (const given of made(20_000)) {
    const name = tidyName(given);
    const seen = JSON.stringify([given, name]);
    expect(name, seen).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060\ufeff\u00ad\ufff9-\ufffb]/u);
    expect(name, seen).toBe(name.trim());
    expect(name.isWellFormed(), seen).toBe(true);
    expect(tidyName(name), seen).toBe(name);
    if (isBlank(given)) expect(name, seen).toBe('');
    else expect(shown(name), seen).toBe(shown(given));
    expect(portableName(given), seen).not.toMatch(
      /[<>:"/\\|?*\p{Cc}]|[. ]$|^$|^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)/iu,
    );
  }
});

test.each([
  'می‌خواهم',
  'नेपाली क्‍ष',
  '👩‍💻',
  '❤️ 1️⃣',
  '👩🏽‍❤️‍👨🏻',
  '🏴󠁧󠁢󠁷󠁬󠁳󠁿 Wales',
  '葛󠄀城',
  'שלום (C++)',
  'a  b',
  'Grüße – 日本',
])('leaves the name %s as it is', (name) => expect(tidyName(name)).toBe(name));

test.each([
  ['CON', 'CON_'],
  ['con.txt', 'con_.txt'],
  ['COM1', 'COM1_'],
  ['nul .tar.gz', 'nul_ .tar.gz'],
  ['console.log', 'console.log'],
  ['Report. .', 'Report___'],
  ['a<b>:"c"?.txt', 'a_b___c__.txt'],
  ['..', '__'],
  ['\u200b', '_'],
])('writes %j as %j on every system', (given, portable) => expect(portableName(given)).toBe(portable));

test('hides a model whose name looks like another one', () => {
  const ids = parseModels({ data: [{ id: 'gpt-4o' }, { id: 'gpt-4o\u200b' }, { id: '\u202ei-tpg' }] })?.map(
    ({ id }) => id,
  );
  expect(ids).toEqual(['gpt-4o']);
});

/** The name fields that a call requires for things that people and clients name. */
const namesIn = ({ body }: Endpoint) =>
  body instanceof z.ZodObject
    ? Object.entries(z.record(z.string(), z.instanceof(z.ZodType)).parse(body.shape)).filter(([field]) =>
        /^(name|title|filename)$/.test(field),
      )
    : [];

describe.each(engines)('names on %s', (engine) => {
  let app: TestApp;
  let peer: Awaited<ReturnType<typeof startToolServer>>;
  beforeAll(async () => {
    peer = await startToolServer({ tools: [{ name: 'read', title: turned }] });
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await peer.close();
  });

  test('are tidied by every call that takes one', () => {
    const all = app.endpoints.flatMap((endpoint) =>
      namesIn(endpoint).map(([field, schema]) => ({ where: `${endpoint.method} ${endpoint.path} ${field}`, schema })),
    );
    expect(all.length).toBeGreaterThanOrEqual(12);
    // Only letters, digits and hyphens: nothing to tidy.
    const withoutSpaces = /\/api\/prompts/;
    const tidied = all.filter(({ where }) => !withoutSpaces.test(where) || where.endsWith(' title'));
    const wrong = tidied.filter(({ schema }) => schema.safeParse(turned).data !== tidy).map(({ where }) => where);
    expect(wrong).toEqual([]);
  });

  test('tidies names of assistants from pages, clients and imports, and trims descriptions', async () => {
    const ada = await app.withKey('ada');
    const page = await ada.post('/api/assistants', { name: turned, description: ' d ', model: 'gpt-4o' });
    const { token } = await newToken(ada);
    const body = { name: turned, description: ' d\n', model: 'gpt-4o' };
    const client = await callApi(app, token, '/v1/assistants', {
      method: 'POST',
      body,
      headers: { 'openai-beta': 'assistants=v2' },
    });
    const imported = await ada.post('/api/assistants/import-file', [body, { ...body, name: '\u202e\u200b' }]);
    expect([page.status, client.status, imported.status]).toEqual([201, 200, 200]);
    const all = (await ada.get('/api/assistants')).body;
    expect(all.map(({ name, description }: { name: string; description: string }) => [name, description])).toEqual(
      expect.arrayContaining([
        [tidy, 'd'],
        [tidy, 'd'],
        [tidy, 'd'],
        ['Untitled assistant', 'd'],
      ]),
    );
  });

  test('tidies titles of conversations, chosen or taken from the first words', async () => {
    const ada = await app.withKey('bea');
    const id = await newThread(ada);
    expect((await ada.patch(`/api/threads/${id}`, { title: turned })).body.title).toBe(tidy);
    expect((await ada.patch(`/api/threads/${id}`, { title: '\u202e\u200b' })).body.fields).toEqual({
      title: 'Title is required',
    });
  });

  test('tidies names of tools, from a tool server and from an OpenAPI description', async () => {
    const ada = await app.as('cyd');
    const server = await addToolServer(ada, peer.url, { name: turned });
    expect([server.name, (await toolsOf(ada, server.id))[0].title]).toEqual([tidy, tidy]);
    const text = JSON.stringify(notesDescription('http://127.0.0.1:1')).replace(
      'List notes',
      JSON.stringify(turned).slice(1, -1),
    );
    const described = await ada.post('/api/tool-servers/openapi', { name: 'a', description: { type: 'pasted', text } });
    expect((await toolsOf(ada, described.body.id))[0].title).toBe(tidy);
  });

  test('tidies names of files, which keep what was typed and can be unpacked anywhere', async () => {
    const dan = await app.as('dan');
    const given = ['\u202egnp.exe', '50%0discount.txt', 'CON', 'a<b>:c?.txt', 'dots. .', 'می‌خواهم.txt'];
    for (const filename of given) await uploaded(app, dan, { filename });
    const files = (await dan.get('/api/files')).body;
    const names = files.map(({ filename }: { filename: string }) => filename).toSorted();
    const stored = ['gnp.exe', '50%0discount.txt', 'CON', 'a<b>:c?.txt', 'dots. .', 'می‌خواهم.txt'];
    expect(names).toEqual(stored.toSorted());
    const archive = unzip(Buffer.from(await (await beginDownload(app, dan, '/api/user/export')).body.arrayBuffer()));
    const entries = [...archive.keys()].filter((name) => /^files\/\d/.test(name));
    expect(entries.map((name) => name.replace(/^files\/\d+-/, '')).toSorted()).toEqual(
      ['gnp.exe', '50%0discount.txt', 'CON', 'a_b__c_.txt', 'dots___', 'می‌خواهم.txt'].toSorted(),
    );
    for (const name of entries) expect(portableName(name.slice('files/'.length))).toBe(name.slice('files/'.length));
    expect(
      jsonLines(archive.get('files/INDEX.jsonl'))
        .map(({ filename }) => filename)
        .toSorted(),
    ).toEqual(names);
  });

  test('keeps the text of names stored earlier, which lose nothing visible', async () => {
    const eve = await app.as('eve');
    const { id } = (await eve.post('/api/assistants', { name: 'Before', model: 'gpt-4o' })).body;
    const stored = (name: string) =>
      withDatabase(app, (db) => db.updateTable('assistants').set({ name }).where('id', '=', id).execute());
    const shown = async () => {
      await withDatabase(app, (db) => db.transaction().execute((trx) => takeDirectionAway(trx, engine)));
      return (await eve.get('/api/assistants')).body[0].name;
    };
    await stored('safe\u202etxt.exe \u2067می‌خواهم\u2069 👩‍💻');
    expect(await shown()).toBe('safetxt.exe می‌خواهم 👩‍💻');
    await stored('\u202e');
    expect(await shown()).toBe('\u202e');
  });
});
