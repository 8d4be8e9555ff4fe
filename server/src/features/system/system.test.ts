import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { startNetworkLink } from '#server/testing/network-link';
import { roster } from '#server/testing/roster';
import { startS3 } from '#server/testing/s3';

const givenUp = {
  kind: 'mail',
  attempts: 30,
  run_at: '2026-01-01T00:00:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
};
const unsendable = JSON.stringify({ template: 'account_closed', email: 'planted@example.com' });

const storeGivenUp = (app: TestApp, payload: string, more: { error_class?: string } = {}) =>
  withDatabase(app, async (db) => {
    const values = { ...givenUp, payload, given_up_at: '2026-01-02T00:00:00.000Z', last_error: 'for planted', ...more };
    const { id } = await db.insertInto('jobs').values(values).returning('id').executeTakeFirstOrThrow();
    return id;
  });

const variablesOf = ({ dataDir, databaseUrl }: TestApp) => ({
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
});
const texts = (warnings: { text: string }[]) => warnings.map(({ text }) => text).join('\n');

describe.each(engines)('the system report for administrators on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    // Tests copy the file with the permissions that they find.
    if (engine === 'sqlite') chmodSync(join(app.dataDir, 'roster.db'), 0o600);
  });
  afterAll(() => app.stop());
  const report = async () => (await ada.get('/api/admin/system')).body;

  test('contains each part', async () => {
    const { version, processes, database, storage, files, disk, jobs, mail, backups } = await report();
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(processes.answer).toEqual([{ id: expect.any(Number), startedAt: expect.any(String), version }]);
    expect(database.answer).toMatchObject({ engine, schema: 'ok', version: expect.stringMatching(/^\d+\.\d+/) });
    expect(database.answer.bytes).toBeGreaterThan(100_000);
    expect(storage.answer).toMatchObject({ kind: 'folder', freeBytes: expect.any(Number) });
    expect(files.answer).toEqual({ count: 0, bytes: 0 });
    expect(disk.answer.freeBytes).toBeGreaterThan(0);
    expect(jobs.answer).toMatchObject({ givenUp: 0, newestGivenUp: [] });
    expect(mail.answer).toMatchObject({ delivers: false });
    expect(backups.answer).toEqual({
      last: null,
      failedAt: null,
      beforeUpgrades: { count: 0, bytes: 0, newestAt: null },
    });
  });

  test('shows a failed job without its user, and runs it when it is retried', async () => {
    const id = await storeGivenUp(app, unsendable, { error_class: 'EENVELOPE' });
    const { jobs, warnings } = await report();
    expect(jobs.answer).toMatchObject({
      givenUp: 1,
      newestGivenUp: [{ id, kind: 'mail', attempts: 30, failure: 'EENVELOPE', createdAt: givenUp.created_at }],
    });
    expect(JSON.stringify(jobs)).not.toContain('planted');
    expect(texts(warnings)).toContain('Background jobs failed');
    expect((await ada.post(`/api/admin/jobs/${id}/retry`)).status).toBe(204);
    const { mail } = await until('the mail', async () => {
      const now = await report();
      return now.jobs.answer.waiting === 0 && now.mail.answer.lastSentAt ? now : undefined;
    });
    expect(mail.answer.lastFailure).toBeNull();
    expect(app.logLines.some((line) => line.includes('"event":"job_retried"'))).toBe(true);
    const again = await ada.post(`/api/admin/jobs/${id}/retry`);
    expect([again.status, again.body.code]).toEqual([404, 'not_found']);
  });

  test('shows a retried job that fails again, with the kind of its failure', async () => {
    const id = await storeGivenUp(app, '{"template":"nothing of the kind"}');
    expect((await report()).jobs.answer.newestGivenUp).toMatchObject([{ id, failure: 'unknown' }]);
    await ada.post(`/api/admin/jobs/${id}/retry`);
    const [job] = await until('the end of the job', async () => {
      const { newestGivenUp } = (await report()).jobs.answer;
      return newestGivenUp[0]?.failure === 'InvalidPayloadError' ? newestGivenUp : undefined;
    });
    expect(job).toMatchObject({ id, attempts: 1 });
    await withDatabase(app, (db) => db.deleteFrom('jobs').where('id', '=', id).execute());
  });

  test('retries only failed jobs', async () => {
    const id = await withDatabase(app, async (db) => {
      const values = { ...givenUp, kind: 'of a later version', run_at: '2999-01-01T00:00:00.000Z', payload: '{}' };
      return (await db.insertInto('jobs').values(values).returning('id').executeTakeFirstOrThrow()).id;
    });
    expect((await ada.post(`/api/admin/jobs/${id}/retry`)).status).toBe(404);
    await withDatabase(app, (db) => db.deleteFrom('jobs').where('id', '=', id).execute());
  });

  test('matches roster check beside the running server, and mentions a backup', async () => {
    const before = await roster(['check'], variablesOf(app));
    expect([before.code, before.errors, before.out]).toEqual([0, '', expect.not.stringContaining('PROBLEM')]);
    expect(before.out).toMatch(/Database: +(SQLite|PostgreSQL) \d/);
    expect(before.out).toMatch(/Processes: +\d+ \(\d+\.\d+\.\d+\) since 20/);
    expect(before.out).toContain('There is no backup yet. Set BACKUP_SCHEDULE');
    const scheduled = {
      ...variablesOf(app),
      BACKUP_SCHEDULE: 'daily 03:00',
      BACKUP_TARGET: join(app.dataDir, 'backups'),
    };
    expect((await roster(['check'], scheduled)).out).toContain(
      'The first is made at the next time of BACKUP_SCHEDULE.',
    );
    const file = join(app.dataDir, 'of-today.tar');
    expect((await roster(['backup', file], variablesOf(app))).code).toBe(0);
    const { backups, warnings } = await report();
    expect(backups.answer.last).toMatchObject({ name: 'of-today.tar', bytes: expect.any(Number) });
    expect(texts(warnings)).not.toContain('backup');

    await withDatabase(app, (db) =>
      db
        .updateTable('settings')
        .set({ value: JSON.stringify({ at: '2026-01-01T00:00:00.000Z', name: 'old.tar', bytes: 1 }) })
        .where('name', '=', 'last_backup')
        .execute(),
    );
    const after = await roster(['check'], variablesOf(app));
    expect(after.code).toBe(1);
    expect(after.out).toMatch(/PROBLEM: +The last backup is older than 7 days. Set BACKUP_SCHEDULE/);
    expect((await roster(['check'], scheduled)).out).toMatch(/PROBLEM: +The last backup is older.*See the log/);
  });
});

test('reports a part that hangs, along with the others', async () => {
  const s3 = await startS3();
  const line = await startNetworkLink({ host: '127.0.0.1', port: Number(new URL(s3.endpoint).port) });
  const env = { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${line.port}` };
  const app = await startApp('sqlite', { env });
  onTestFinished(async () => {
    line.set('open');
    await app.stop();
    await line.close();
    await s3.close();
  });
  const ada = await app.as('ada');
  const report = async () => (await ada.get('/api/admin/system')).body;
  expect((await report()).storage.answer).toMatchObject({ kind: 's3', freeBytes: null });
  line.set('hang');
  const hanging = await until('a store without an answer', async () => {
    const now = await report();
    return now.storage.problem ? now : undefined;
  });
  expect(hanging.storage).toEqual({ answer: null, problem: 'No response within 2 s.' });
  expect(hanging.database.answer).toMatchObject({ engine: 'sqlite' });
  const checked = await roster(['check'], { ...variablesOf(app), ...env });
  expect([checked.code, checked.out]).toEqual([1, expect.stringMatching(/File store: +No response/)]);
});

test('warns about what is insecure, nearly full or old', async () => {
  const app = await startApp('sqlite', {
    env: {
      PUBLIC_URL: 'https://roster.example.com',
      MASTER_KEY: Buffer.from(Array.from({ length: 32 }, (_, index) => (index * index * 7 + 13) % 251)).toString(
        'base64',
      ),
      RATE_LIMIT_SCALE: '1',
      MIN_FREE_DISK_BYTES: String(Number.MAX_SAFE_INTEGER),
    },
  });
  onTestFinished(() => app.stop());
  const variables = {
    ...variablesOf(app),
    PUBLIC_URL: 'https://roster.example.com',
    PROVIDER_BASE_URL: 'http://models.example.com/v1',
    SMTP_URL: 'smtp://mail.example.com:25?requireTLS=false',
    MIN_FREE_DISK_BYTES: String(Number.MAX_SAFE_INTEGER),
  };
  chmodSync(join(app.dataDir, 'roster.db'), 0o644);
  mkdirSync(join(app.dataDir, 'backups'), { recursive: true });
  writeFileSync(join(app.dataDir, 'backups', 'before-0001-init.db'), 'twelve bytes');
  const { code, out } = await roster(['check'], variables);
  expect(code).toBe(1);
  for (const pattern of [
    /PROBLEM: .*disk of the data folder is full/,
    /PROBLEM: .*database file is readable by other users/,
    /PROBLEM: .*PROVIDER_BASE_URL/,
    /PROBLEM: .*without TLS/,
    /PROBLEM: .*TRUST_PROXY/,
    /Advice: .*REGISTRATION=closed/,
    /Before upgrades: +1 copies/,
  ])
    expect(out).toMatch(pattern);
  const proxied = await roster(['check'], {
    ...variables,
    TRUST_PROXY: '2',
    REGISTRATION: 'closed',
    MIN_FREE_DISK_BYTES: '1',
  });
  expect(proxied.out).toMatch(/Advice: .*several proxies/);
  expect(proxied.out).not.toMatch(/REGISTRATION|disk of/);
});

test('names missing parts in roster check', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  await app.halt();
  const files = join(app.dataDir, 'files');
  renameSync(files, `${files}.away`);
  const { code, out } = await roster(['check'], variablesOf(app));
  expect([code, out]).toEqual([1, expect.stringMatching(/File store: +It failed/)]);
  expect(readdirSync(app.dataDir)).not.toContain('files');
});

test('reports in roster check what the server would refuse', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const { code, out } = await roster(['check'], {
    ...variablesOf(app),
    BACKUP_SCHEDULE: 'nightly',
    BACKUP_TARGET: '/b',
  });
  expect([code, out]).toEqual([1, expect.stringMatching(/PROBLEM: +BACKUP_SCHEDULE: Write “daily 03:00”/)]);
});
