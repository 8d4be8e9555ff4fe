import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lastBackup, readTimestamp } from '#server/db/timestamps-repository';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { roster } from '#server/testing/roster';
import { startS3 } from '#server/testing/s3';
import { until } from '#server/testing/until';

const longAgo = '2026-01-01T00:00:00.000Z';
const never = {
  slot: longAgo,
  startedAt: null,
  finishedAt: null,
  bytes: null,
  verified: false,
  failure: null,
  file: null,
  goodAt: null,
  leaseUntil: null,
};
const kept = /^roster-\d{8}T\d{9}Z\.tar$/;

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'roster-scheduled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const record = (app: TestApp) =>
  withDatabase(app, (db) =>
    db.selectFrom('settings').select('value').where('name', '=', 'backup').executeTakeFirst(),
  ).then((row) => row && JSON.parse(row.value));

async function setRecord(app: TestApp, value: object) {
  await withDatabase(app, async (db) => {
    await db.deleteFrom('settings').where('name', '=', 'backup').execute();
    await db
      .insertInto('settings')
      .values({ name: 'backup', value: JSON.stringify(value) })
      .execute();
  });
}

/** An installation with one account whose backup is long overdue once it is started with these variables. */
async function overdue(engine: (typeof engines)[number], before: object = never) {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  await app.as('ada');
  await app.halt();
  await setRecord(app, before);
  return app;
}

/** Starts it, waits for the result of the backup, and stops it. */
async function afterBackup(app: TestApp, variables: Record<string, string>) {
  await app.startWith({ BACKUP_SCHEDULE: 'daily 03:00', ...variables });
  await until('The end of the backup', async () => (await record(app)).finishedAt !== null);
  await app.halt();
  return record(app);
}

const logged = (app: TestApp, event: string) =>
  app.logLines.map((line) => JSON.parse(line)).filter((line) => line.event === event);

describe.each(engines)('scheduled backup on %s', (engine) => {
  test('is made at startup if missed, read back and recorded; only surplus ones are deleted', async () => {
    const target = newFolder();
    for (const name of [
      'roster-20250101T030000000Z.tar',
      'roster-20250102T030000000Z.tar',
      'notes.tar',
      'roster-old.tar',
    ])
      writeFileSync(join(target, name), 'x');
    writeFileSync(join(target, 'roster-20250103T030000000Z.tar.part'), 'what a cut off one has left');
    const app = await overdue(engine);
    const made = await afterBackup(app, { BACKUP_TARGET: target, BACKUP_KEEP: '2' });
    const [newest = '', ...others] = readdirSync(target)
      .toSorted()
      .toReversed()
      .filter((name) => kept.test(name));
    expect(made).toEqual({
      ...never,
      slot: expect.stringMatching(/T03:00:00\.000Z$/),
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: made.goodAt,
      goodAt: expect.stringMatching(/Z$/),
      bytes: statSync(join(target, newest)).size,
      verified: true,
      file: newest,
    });
    expect(await withDatabase(app, (db) => readTimestamp(db, lastBackup))).toMatchObject({
      name: newest,
      bytes: made.bytes,
    });
    expect(others).toEqual(['roster-20250102T030000000Z.tar']);
    expect(readdirSync(target).toSorted()).toEqual(['notes.tar', ...others, newest, 'roster-old.tar']);
    expect(statSync(join(target, newest)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(app.dataDir, 'backups'))).toEqual([]);
    expect(logged(app, 'backup_made')).toMatchObject([{ file: newest, removed: ['roster-20250101T030000000Z.tar'] }]);
    const proven = await roster(['restore', '--verify', join(target, newest)], {});
    expect([proven.code, proven.errors]).toEqual([0, '']);
    expect(proven.out).toMatch(
      / rows and 0 files \(0 bytes\), all of them read and compared\.\n.*this Roster restores it/,
    );
  });

  test('is made for the first time by an installation that has just received a schedule', async () => {
    const target = newFolder();
    const app = await startApp(engine, { env: { BACKUP_SCHEDULE: '0 0 29 2 *', BACKUP_TARGET: target } });
    onTestFinished(() => app.stop());
    const { slot } = await until('The first look', () => record(app));
    await app.halt();
    await withDatabase(app, (db) =>
      db
        .updateTable('settings')
        .set((eb) => ({ value: eb.fn('replace', ['value', eb.val(slot), eb.val(longAgo)]) }))
        .where('name', '=', 'backup')
        .execute(),
    );
    expect(await afterBackup(app, { BACKUP_TARGET: target })).toMatchObject({ verified: true });
    expect(readdirSync(target)).toEqual([expect.stringMatching(kept)]);
  });

  test('is not made twice: neither for a past time, nor while another process makes it', async () => {
    const target = newFolder();
    const app = await overdue(engine, { ...never, slot: new Date().toISOString() });
    await app.startWith({ BACKUP_SCHEDULE: '0 0 29 2 *', BACKUP_TARGET: target });
    await app.halt();
    const far = '2099-01-01T00:00:00.000Z';
    const inProgress = { ...never, startedAt: longAgo, file: 'roster-x', leaseUntil: far };
    await setRecord(app, inProgress);
    await app.startWith({ BACKUP_SCHEDULE: 'daily 03:00', BACKUP_TARGET: target });
    await app.halt();
    expect(await record(app)).toEqual(inProgress);
    expect(readdirSync(target)).toEqual([]);
    // The process that was making it is dead.
    await setRecord(app, { ...inProgress, leaseUntil: longAgo });
    expect(await afterBackup(app, { BACKUP_TARGET: target })).toMatchObject({ verified: true, slot: longAgo });
    expect(readdirSync(target)).toHaveLength(1);
  });
});

describe('scheduled backup', () => {
  test('waits for its time if the schedule is new', async () => {
    const target = newFolder();
    const app = await startApp('sqlite', { env: { BACKUP_SCHEDULE: 'daily 03:00', BACKUP_TARGET: target } });
    onTestFinished(() => app.stop());
    await until('The first record', async () => (await record(app)) !== undefined);
    expect(await record(app)).toEqual({ ...never, slot: expect.stringMatching(/Z$/) });
    expect(readdirSync(target)).toEqual([]);
  });

  test('is encrypted to a passphrase, and opens with that one only', async () => {
    const target = newFolder();
    const file = join(newFolder(), 'passphrase');
    writeFileSync(file, 'zebras cross at dawn, one by one\n', { mode: 0o600 });
    const app = await overdue('sqlite');
    const made = await afterBackup(app, { BACKUP_TARGET: target, BACKUP_PASSPHRASE_FILE: file });
    expect(made).toMatchObject({ verified: true, file: expect.stringMatching(/\.tar\.age$/) });
    const backup = join(target, made.file);
    expect(readFileSync(backup).includes('ada@example.com')).toBe(false);
    const proven = await roster(['restore', '--verify', backup], { BACKUP_PASSPHRASE_FILE: file });
    expect([proven.code, proven.errors]).toEqual([0, '']);
    const without = await roster(['restore', '--verify', backup], {});
    expect([without.code, without.errors]).toEqual([1, expect.stringContaining('Set BACKUP_PASSPHRASE_FILE')]);
    writeFileSync(file, 'another passphrase than that one\n');
    const other = await roster(['restore', '--verify', backup], { BACKUP_PASSPHRASE_FILE: file });
    expect([other.code, other.errors]).toEqual([1, expect.stringContaining('The passphrase is another one')]);
  });

  test('is recorded and logged if it fails, keeps earlier ones, and is retried in an hour', async () => {
    const place = newFolder();
    const target = join(place, 'folder');
    writeFileSync(target, 'a file in the way');
    const app = await overdue('sqlite', { ...never, goodAt: longAgo });
    const failed = await afterBackup(app, { BACKUP_TARGET: target });
    expect(failed).toMatchObject({
      verified: false,
      bytes: null,
      failure: expect.stringContaining('EEXIST'),
      goodAt: longAgo,
    });
    expect(logged(app, 'backup_failed')).toMatchObject([{ level: 50, failure: failed.failure }]);
    expect(await withDatabase(app, (db) => readTimestamp(db, lastBackup))).toBeUndefined();
    const plan = { DATA_DIR: app.dataDir, BACKUP_SCHEDULE: 'daily 03:00', BACKUP_TARGET: target };
    const checked = await roster(['check'], plan);
    expect([checked.code, checked.out]).toEqual([
      1,
      expect.stringMatching(/PROBLEM: +The newest backup of BACKUP_SCHEDULE failed/),
    ]);
    expect(checked.out).not.toContain('no backup yet');
    rmSync(target);
    await app.startWith({ BACKUP_SCHEDULE: '0 0 29 2 *', BACKUP_TARGET: target });
    await app.halt();
    expect(await record(app)).toEqual(failed);
    await setRecord(app, { ...failed, finishedAt: longAgo, slot: failed.slot });
    await app.startWith({ BACKUP_SCHEDULE: '0 0 29 2 *', BACKUP_TARGET: target });
    await until('The retry', async () => (await record(app)).verified);
    expect(readdirSync(target)).toHaveLength(1);
  });

  test('does not fill the disk that users write to', async () => {
    const target = newFolder();
    const app = await overdue('sqlite');
    const failed = await afterBackup(app, { BACKUP_TARGET: target, MIN_FREE_DISK_BYTES: String(2 ** 50) });
    expect(failed).toMatchObject({ verified: false, failure: expect.stringContaining('There is not enough space') });
    expect(readdirSync(target)).toEqual([]);
  });

  test('goes into a bucket, next to other contents', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const app = await overdue('sqlite');
    const variables = { ...s3.env, BACKUP_TARGET: `s3://${s3.bucket}/of/roster`, BACKUP_KEEP: '1' };
    const first = await afterBackup(app, variables);
    expect(first).toMatchObject({ verified: true, failure: null });
    expect(s3.names()).toEqual([`of/roster/${first.file}`]);

    // A store that alters the bytes it was sent: the earlier backup stays.
    s3.falsify((content) => Buffer.concat([content, Buffer.alloc(1)]));
    await setRecord(app, { ...never, goodAt: first.goodAt });
    const lied = await afterBackup(app, variables);
    expect(lied).toMatchObject({ verified: false, failure: expect.stringContaining('other bytes than were written') });
    expect(s3.names()).toEqual([`of/roster/${first.file}`]);

    s3.refuse(() => ({ status: 403, code: 'AccessDenied' }));
    await setRecord(app, never);
    expect(await afterBackup(app, variables)).toMatchObject({
      verified: false,
      failure: expect.stringContaining('403'),
    });
  });
});
