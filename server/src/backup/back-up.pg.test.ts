import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import { callApi, newToken } from '#server/testing/access-tokens';
import { emptyDatabase, engines, goodKey, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { authenticatorApp } from '#server/testing/authenticator-app';
import { ask, clientId, messagesOf, newThread, post } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { download, inStore, sha256, someBytes, startFileApp, untilCopy, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { invited } from '#server/testing/invitations';
import { roster, spawnRoster } from '#server/testing/roster';
import { until } from '#server/testing/until';
import { fileClient } from '#server/testing/vector-stores';

const variablesOf = (app: TestApp): Record<string, string> => ({
  DATA_DIR: app.dataDir,
  ...(app.databaseUrl && { DATABASE_URL: app.databaseUrl }),
});

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'roster-backup-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** An installation that was never used. */
async function freshApp(engine: Engine) {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  await app.halt();
  rmSync(join(app.dataDir, 'master.key'));
  return app;
}

async function signedIn(app: TestApp, name: string): Promise<HttpClient> {
  const visitor = app.visitor();
  expect((await visitor.post('/api/login', { email: `${name}@example.com`, password })).status).toBe(200);
  return visitor;
}

async function withApp(visitor: HttpClient) {
  const { secret } = (await visitor.post('/api/user/second-factor/app')).body;
  const app = authenticatorApp(secret);
  expect((await visitor.post('/api/user/second-factor/app/confirm', { code: app.next() })).status).toBe(200);
  return app;
}

const places = [
  ['sqlite', 'disk', 'sqlite'],
  ['sqlite', 'disk', 'postgres'],
  ['postgres', 'disk', 'postgres'],
  ['postgres', 'disk', 'sqlite'],
  ['sqlite', 'S3', 'sqlite'],
] as const;

describe.each(places)('backup of %s with files on %s, made during writes, restored into %s', (from, store, to) => {
  const { folder, remove } = temporaryFolder();
  const backup = join(folder, 'roster.tar');
  let source: Awaited<ReturnType<typeof startFileApp>>;
  let target: TestApp;
  let variables: Record<string, string>;
  const content = someBytes(300_000);
  let threadId = 0;
  let token = '';
  let dorasApp: ReturnType<typeof authenticatorApp>;
  let invitation = { id: 0, token: '' };
  let fileId = 0;
  let deletedId = 0;
  let before: Awaited<ReturnType<typeof messagesOf>> = [];
  let bobsBefore: string[] = [];
  let isHalted = false;

  beforeAll(async () => {
    source = await startFileApp(from, store);
    const { app } = source;
    const ada = await app.withKey('ada');
    await ada.post('/api/settings/admin-key', { adminKey: 'sk-admin-of-ada-0123456789' });
    threadId = await newThread(ada, { title: 'Über Zebras' });
    await ask(app, ada, threadId, 'Which zebra crosses first?\u2028And then?');
    fileId = (await uploaded(app, ada, { filename: 'zebras.bin', content })).id;
    await untilCopy(ada, fileId, 'ready');
    ({ token } = await newToken(ada));
    deletedId = await newThread(ada);
    await ada.delete(`/api/threads/${deletedId}`);
    before = await messagesOf(ada, threadId);

    dorasApp = await withApp(await app.as('dora'));
    invitation = await invited(ada, 'erin@example.com');
    const bob = await app.withKey('bob');
    const bobsThread = await newThread(bob);
    let isWriting = true;
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let round = 0; isWriting; round++) {
        const text = `round ${round} [[bench 20]]`;
        const { status } = await post(bob, bobsThread, text);
        if (status === 202) acknowledged.push(text);
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    await until('Some writing', async () => acknowledged.length > 3);
    bobsBefore = [...acknowledged];
    const { s3 } = source;
    const made = await roster(['backup', backup], { ...variablesOf(app), ...s3?.env });
    isWriting = false;
    await writing;
    expect([made.code, made.errors]).toEqual([0, '']);
    expect(made.out).toContain('1 files, read back and compared');

    target = await startApp(to);
    await target.halt();
    isHalted = true;
    rmSync(join(target.dataDir, 'master.key'));
    variables = variablesOf(target);
  });
  afterAll(async () => {
    await source.stop();
    await target?.stop();
    remove();
  });

  test('is a plain tar that only its owner can read, without the master key or anything else', () => {
    expect(readdirSync(folder)).toEqual(['roster.tar']);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const names = execFileSync('tar', ['-tf', backup], { encoding: 'utf8' }).trim().split('\n');
    expect(names.filter((name) => !/^(tables\/[a-z_]+\.jsonl|manifest\.json(\.sha256)?)$/.test(name))).toEqual([
      expect.stringMatching(/^files\/[0-9a-f]{32}$/),
    ]);
    const key = readFileSync(join(source.app.dataDir, 'master.key'), 'utf8').trim();
    expect(readFileSync(backup).includes(key)).toBe(false);
  });

  test('is refused with another master key than its own', async () => {
    const refused = await roster(['restore', backup], {
      ...variables,
      MASTER_KEY: randomBytes(32).toString('base64'),
    });
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toMatch(/^The configured master key is not the one that the backup was made with\..*\n$/);
    expect(inStore(target)).toEqual([]);
  });

  test('is restored, and refused a second time', async () => {
    const restored = await roster(['restore', backup], variables);
    expect([restored.code, restored.errors]).toEqual([0, '']);
    expect(restored.out).toMatch(
      /is restored: \d+ rows and 1 files\.\nEverybody has to sign in again,.*\nBefore starting the server set MASTER_KEY/,
    );
    const again = await roster(['restore', backup], variables);
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.errors).toMatch(/^There are accounts in .* already\. Nothing was changed/);
  });

  test('does not open without its master key', async () => {
    await expect(target.startWith({ MASTER_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
      'The master key is not the one that this database was created with',
    );
  });

  test('works like the original installation once restored', async () => {
    copyFileSync(join(source.app.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
    await target.startWith({});
    isHalted = false;
    // A session may have ended, and a mailed link been used, since the backup was made.
    const there = await source.app.as('ada');
    const revived = target.visitor();
    for (const [name, value] of there.cookies) revived.cookies.set(name, value);
    expect((await there.get('/api/user')).status).toBe(200);
    expect((await revived.get('/api/user')).status).toBe(401);
    expect((await callApi(source.app, token, '/v1/models')).status).toBe(200);
    expect((await callApi(target, token, '/v1/models')).status).toBe(401);
    const ada = await signedIn(target, 'ada');
    const { token: link } = invitation;
    expect((await source.app.visitor().post('/api/invitation', { token: link })).status).toBe(200);
    expect((await target.visitor().post('/api/invitation', { token: link })).status).toBe(400);
    const { body: pending } = await ada.get('/api/admin/invitations');
    expect(pending.items).toMatchObject([{ email: 'erin@example.com', state: 'expired' }]);
    expect(await messagesOf(ada, threadId)).toEqual(before);
    const found = await ada.get('/api/threads?q=zebra');
    expect(found.body.items.map(({ id }: { id: number }) => id)).toEqual([threadId]);
    const inMessage = await ada.get('/api/threads?q=crosses');
    expect(inMessage.body.items.map(({ id }: { id: number }) => id)).toEqual([threadId]);
    expect(sha256((await download(target, ada, fileId)).bytes)).toBe(sha256(content));
    expect((await ada.get('/api/analytics/provider?from=2026-11-01&to=2026-11-02')).status).toBe(200);
    // The provider key decrypts, and used ids are not given again.
    const { answer } = await ask(target, ada, threadId, 'And the last one?');
    expect(answer.state).toBe('complete');
    expect(await newThread(ada)).toBeGreaterThan(deletedId);
    expect((await uploaded(target, ada)).id).toBeGreaterThan(fileId);
    const dora = target.visitor();
    const first = await dora.post('/api/login', { email: 'dora@example.com', password });
    expect([first.status, first.body.ways]).toEqual([401, ['totp', 'recovery']]);
    expect((await dora.post('/api/login/second-factor', { code: dorasApp.next() })).status).toBe(200);
  });

  test('contains everything acknowledged before it started, and nothing partial', async () => {
    expect(isHalted).toBe(false);
    const bob = await signedIn(target, 'bob');
    const { body } = await bob.get('/api/threads');
    const messages = await messagesOf(bob, body.items[0].id);
    const questions = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(questions.slice(0, bobsBefore.length)).toEqual(bobsBefore);
    expect(messages).toHaveLength(2 * questions.length);
    for (const { role, state } of messages.slice(0, -1)) expect([role, state]).toEqual([role, 'complete']);
    expect(['complete', 'interrupted']).toContain(messages.at(-1)?.state);
  });
});

describe.each(engines)('backup and restore on %s', (engine) => {
  let firstKey = '';
  let secondKey = '';
  const { folder, remove } = temporaryFolder();
  const backup = join(folder, 'whole.tar');
  let app: TestApp;
  let ada: HttpClient;
  let variables: Record<string, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    variables = variablesOf(app);
    await uploaded(app, ada, { content: someBytes(5_000) });
    firstKey = inStore(app)[0] ?? '';
    await uploaded(app, ada, { content: someBytes(5_000) });
    secondKey = inStore(app).find((key) => key !== firstKey) ?? '';
    expect((await roster(['backup', backup], variables)).code).toBe(0);
  });
  afterAll(async () => {
    await app.stop();
    remove();
  });

  test('overwrites no file', async () => {
    const bytes = readFileSync(backup);
    const { code, errors } = await roster(['backup', backup], variables);
    expect([code, errors]).toEqual([1, `${backup} already exists. Choose another name: nothing is overwritten.\n`]);
    expect(readFileSync(backup)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(['whole.tar']);
  });

  test.each(['flipped', 'cut off', 'prolonged'])('refuses a backup with a byte %s, and writes nothing', async (how) => {
    const bytes = readFileSync(backup);
    const file = bytes.indexOf('files/');
    const table = bytes.indexOf('{"', bytes.indexOf('tables/users.jsonl'));
    const manifest = bytes.indexOf('"createdAt"') + 16;
    const broken: Buffer[] =
      {
        flipped: [file + 2_000, table + 20, manifest, 120, bytes.length - 1, bytes.length - 700].map((at) => {
          const copy = Buffer.from(bytes);
          copy[at] = (copy[at] ?? 0) ^ 1;
          return copy;
        }),
        'cut off': [bytes.subarray(0, -1), bytes.subarray(0, manifest), Buffer.alloc(0)],
        prolonged: [Buffer.concat([bytes, Buffer.alloc(1)])],
      }[how] ?? [];
    const target = join(folder, 'target');
    onTestFinished(() => rmSync(target, { recursive: true, force: true }));
    expect(broken.length).toBeGreaterThan(0);
    for (const copy of broken) {
      const damaged = join(folder, 'damaged.tar');
      writeFileSync(damaged, copy);
      const refused = await roster(['restore', damaged], { ...variables, DATA_DIR: target });
      expect([refused.code, refused.out]).toEqual([1, '']);
      expect(refused.errors).toMatch(
        /damaged\.tar is damaged or not a complete backup of Roster \(.*\)\. Nothing was changed\.\n$/,
      );
      expect(existsSync(target)).toBe(false);
      rmSync(damaged);
    }
  });

  test('restores nothing while Roster runs, or without such a file', async () => {
    const running = await startApp(engine);
    onTestFinished(() => running.stop());
    rmSync(join(running.dataDir, 'master.key'));
    const refused = await roster(['restore', backup], variablesOf(running));
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toMatch(/^(Another )?Roster is using .*\. Stop it first\.\n$/);
    const absent = await roster(['restore', join(folder, 'absent.tar')], variablesOf(running));
    expect([absent.code, absent.errors]).toEqual([
      1,
      expect.stringContaining(`${join(folder, 'absent.tar')} cannot be read: ENOENT`),
    ]);
    const other = await roster(['restore', folder], variablesOf(running));
    expect([other.code, other.errors]).toEqual([1, `${folder} is not a file.\n`]);
    expect((await running.visitor().post('/api/register', { email: 'zoe@example.com', password })).body.role).toBe(
      'Admin',
    );
  });

  test('refuses a backup of another version', async () => {
    const manifest = execFileSync('tar', ['-xOf', backup, 'manifest.json'], { encoding: 'utf8' });
    const other = manifest.replace('0001-init', '0001-root');
    const changed = readFileSync(backup, 'latin1')
      .replace(manifest, other)
      .replace(sha256(Buffer.from(manifest)), sha256(Buffer.from(other)));
    const file = join(folder, 'other.tar');
    onTestFinished(() => rmSync(file));
    writeFileSync(file, changed, 'latin1');
    const { code, errors } = await roster(['restore', file], { ...variables, DATA_DIR: join(folder, 'target') });
    expect([code, errors]).toEqual([1, expect.stringContaining('was made by another version of Roster.')]);
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });

  test('repeats a restore that was cut off', async () => {
    const target = await freshApp(engine);
    // The state after a restore ended between files and rows.
    copyFileSync(join(app.dataDir, 'files', firstKey), join(target.dataDir, 'files', firstKey));
    writeFileSync(join(target.dataDir, 'files', `${secondKey}.part`), 'half');
    copyFileSync(join(app.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
    expect((await roster(['restore', backup, '--keep-sessions'], variablesOf(target))).code).toBe(0);
    expect(inStore(target).toSorted()).toEqual(inStore(app).toSorted());
    await target.startWith({});
    const again = target.visitor();
    for (const [name, value] of ada.cookies) again.cookies.set(name, value);
    const { body } = await again.get('/api/files');
    expect(body).toHaveLength(2);
    for (const { id } of body)
      expect((await download(target, again, id)).bytes).toEqual((await download(app, ada, id)).bytes);
  });

  test('leaves files that another installation stores in the same place', async () => {
    const target = await freshApp(engine);
    writeFileSync(join(target.dataDir, 'files', secondKey), 'of another one');
    const refused = await roster(['restore', backup], variablesOf(target));
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toMatch(/^The file storage already has a different file named [0-9a-f]{32}\./);
    expect(inStore(target)).toEqual([secondKey]);
    copyFileSync(join(app.dataDir, 'files', firstKey), join(target.dataDir, 'files', firstKey));
    expect((await roster(['restore', backup], variablesOf(target))).code).toBe(1);
    expect(inStore(target).toSorted()).toEqual([firstKey, secondKey].toSorted());
    expect(readFileSync(join(target.dataDir, 'files', secondKey), 'utf8')).toBe('of another one');
    expect(await withDatabase(target, (db) => db.selectFrom('users').select('id').execute())).toEqual([]);
  });

  test('makes no backup if bytes differ from the stored ones', async () => {
    const other = await startApp(engine);
    onTestFinished(() => other.stop());
    await uploaded(other, await other.as('ada'), { content: someBytes(1_000) });
    const [key = ''] = inStore(other);
    const stored = join(other.dataDir, 'files', key);
    const bytes = readFileSync(stored);
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    writeFileSync(stored, bytes);
    const rotten = await roster(['backup', join(folder, 'rotten.tar')], variablesOf(other));
    expect([rotten.code, rotten.out]).toEqual([1, '']);
    expect(rotten.errors).toContain('have changed since it was stored. No backup was made.');
    rmSync(stored);
    const missing = await roster(['backup', join(folder, 'rotten.tar')], variablesOf(other));
    expect([missing.code, missing.errors]).toEqual([
      1,
      expect.stringContaining('cannot be read. No backup was made. ENOENT'),
    ]);
    expect(readdirSync(folder)).toEqual(['whole.tar']);
  });

  describe('while it waits for the bytes of a file', () => {
    /** Attaches the file wherever that is possible. */
    async function usedEverywhere(other: TestApp, owner: HttpClient, fileId: number) {
      const assistantId = await createAssistant(owner);
      await owner.post(`/api/assistants/${assistantId}/files`, { fileIds: [fileId] });
      await owner.post('/api/settings/apikey', { apiKey: goodKey });
      const threadId = await newThread(owner);
      const attached = { message: 'Read this', clientId: clientId(), fileIds: [fileId] };
      expect((await owner.post(`/api/threads/${threadId}/messages`, attached)).status).toBe(202);
      const { client } = await fileClient(other, owner);
      const file_ids = (await client.files.list()).data.flatMap(({ id, filename }) =>
        /md$/.test(filename) ? [id] : [],
      );
      const store = await client.vectorStores.create({});
      await client.vectorStores.fileBatches.create(store.id, { file_ids });
      return { assistantId, threadId, storeId: store.id };
    }
    /** Replaces a stored file by a pipe, so that the backup waits there. */
    async function waitingBackup() {
      const other = await startApp(engine);
      onTestFinished(() => other.stop());
      const owner = await other.as('ada');
      const content = someBytes(2_000);
      const first = await uploaded(other, owner, { filename: 'first.bin', content });
      const [key = ''] = inStore(other);
      const second = await uploaded(other, owner, { filename: 'second.md', content: 'A text.' });
      const uses = await usedEverywhere(other, owner, second.id);
      const stored = join(other.dataDir, 'files', key);
      rmSync(stored);
      execFileSync('mkfifo', [stored]);
      const place = temporaryFolder();
      onTestFinished(place.remove);
      const file = join(place.folder, 'waiting.tar');
      const command = spawnRoster(['backup', file], variablesOf(other));
      await until('The backup', async () => existsSync(`${file}.part`));
      return { other, owner, uses, first, second, content, stored, file, folder: place.folder, command };
    }

    test('leaves no backup behind when killed, and names its remains to the next one', async () => {
      const { other, stored, content, file, folder: place, command } = await waitingBackup();
      command.child.kill('SIGKILL');
      await command.ended;
      expect(existsSync(file)).toBe(false);
      const next = await roster(['backup', file], variablesOf(other));
      expect([next.code, next.errors]).toEqual([1, expect.stringContaining(`${file}.part is in the way.`)]);
      rmSync(`${file}.part`);
      rmSync(stored);
      writeFileSync(stored, content);
      expect((await roster(['backup', file], variablesOf(other))).code).toBe(0);
      expect(readdirSync(place)).toEqual(['waiting.tar']);
    });

    test('omits a file that is deleted meanwhile, with all that belongs to it', async () => {
      const { owner, uses, first, second, stored, content, file, other, command } = await waitingBackup();
      expect((await owner.delete(`/api/files/${second.id}`)).status).toBe(200);
      await until('The removal', async () => inStore(other).length === 1);
      execFileSync('sh', ['-c', 'cat > "$1"', 'sh', stored], { input: content });
      const made = await command.ended;
      expect([made.code, made.errors]).toEqual([0, '']);
      const target = await freshApp(engine);
      copyFileSync(join(other.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
      const restored = await roster(['restore', file], variablesOf(target));
      expect([restored.code, restored.errors]).toEqual([0, '']);
      expect(restored.out).toContain('The configured master key is the one it was made with. Start the server.');
      await target.startWith({});
      const again = await signedIn(target, 'ada');
      const { body } = await again.get('/api/files');
      expect(body.map(({ id }: { id: number }) => id)).toEqual([first.id]);
      expect((await again.get(`/api/assistants/${uses.assistantId}/files`)).body).toEqual([]);
      const [question] = await messagesOf(again, uses.threadId);
      expect(question).toMatchObject({ text: 'Read this', files: [{ id: null, filename: 'second.md' }] });
      const { client } = await fileClient(target, again);
      expect((await client.vectorStores.retrieve(uses.storeId)).file_counts.total).toBe(0);
      expect(sha256((await download(target, again, first.id)).bytes)).toBe(sha256(content));
    });
  });
});

describe.each(engines)('backup of an earlier version, restored on %s', (engine) => {
  test('is migrated and works', async () => {
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    const backup = join(folder, 'earlier.tar');
    writeFileSync(backup, gunzipSync(readFileSync(new URL('../testing/backups/as-of-0015.tar.gz', import.meta.url))));
    const proven = await roster(['restore', '--verify', backup], {});
    expect([proven.code, proven.errors]).toEqual([0, '']);
    expect(proven.out).toContain('Its database is as of 0015-access-tokens; this Roster restores it.');

    const database = await emptyDatabase(engine);
    onTestFinished(database.remove);
    const place = { DATA_DIR: database.dataDir, ...(database.url && { DATABASE_URL: database.url }) };
    const restored = await roster(['restore', backup], place);
    expect([restored.code, restored.errors]).toEqual([0, '']);
    expect(restored.out).toMatch(/made by an earlier version, and was brought up to date \(0016-threads-of-programs, /);

    const app = await startApp(engine);
    onTestFinished(() => app.stop());
    await app.halt();
    // The master key of that installation, and nothing else of it.
    const MASTER_KEY = 'OtNGTLArWGdJRNxQBnL6hOt0I7nnmTBlvYKdpPuUwIo=';
    await app.startWith({ ...place, MASTER_KEY });
    const ada = await signedIn(app, 'ada');
    const { body } = await ada.get('/api/threads?q=zebra');
    expect(body.items.map(({ title }: { title: string }) => title)).toEqual(['Zebras of old']);
    const { answer } = await ask(app, ada, body.items[0].id, 'And the last one?');
    expect(answer.state).toBe('complete');
  });

  test('needs a database without tables from a newer version', async () => {
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    const backup = join(folder, 'earlier.tar');
    writeFileSync(backup, gunzipSync(readFileSync(new URL('../testing/backups/as-of-0015.tar.gz', import.meta.url))));
    const target = await freshApp(engine);
    const refused = await roster(['restore', backup], variablesOf(target));
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('Use an empty database')]);
  });
});
