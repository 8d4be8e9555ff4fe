import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { forgeBackup } from '#server/testing/archive';
import { inStore, uploaded } from '#server/testing/files';
import { roster } from '#server/testing/roster';

type Members = Parameters<Parameters<typeof forgeBackup>[2]>[0];

describe('backup that was tampered with, checksums and all,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-tampered-'));
  const backup = join(folder, 'whole.tar');
  let app: TestApp;
  let key = '';
  beforeAll(async () => {
    app = await startApp('sqlite');
    await uploaded(app, await app.as('ada'), { content: 'What was uploaded' });
    key = inStore(app)[0] ?? '';
    await app.halt();
    expect((await roster(['backup', backup], { DATA_DIR: app.dataDir })).code).toBe(0);
  });
  afterAll(async () => {
    await app.stop();
    rmSync(folder, { recursive: true });
  });

  /** Renames the stored bytes in the rows and in the archive. */
  const renamed =
    (name: string) =>
    (members: Members): Members =>
      members.map((member) =>
        member.name === 'tables/files.jsonl'
          ? {
              ...member,
              content: Buffer.from(member.content.toString().replace(key, JSON.stringify(name).slice(1, -1))),
            }
          : member.name === `files/${key}`
            ? { ...member, name: `files/${name}` }
            : member,
      );
  const table = (name: string, rows: object[]) => (members: Members) =>
    members.map((member) =>
      member.name === `tables/${name}.jsonl`
        ? { ...member, content: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')) }
        : member,
    );
  const fileRow = (members: Members) =>
    JSON.parse(String(members.find(({ name }) => name === 'tables/files.jsonl')?.content));

  const forgeries: [string, (members: Members) => Members][] = [
    ['a path that leads upwards', renamed('../../planted')],
    ['a path to the master key', renamed('../master.key')],
    ['an absolute path', renamed(join(tmpdir(), 'roster-planted'))],
    ['a name in capitals', renamed('A'.repeat(32))],
    ['a name with an end of a line', renamed(`${'a'.repeat(31)}\n`)],
    ['a name that goes on behind a zero', renamed(`${'a'.repeat(32)}\0/../../planted`)],
    [
      'two rows for the same bytes',
      (members) => table('files', [fileRow(members), { ...fileRow(members), id: 2 }])(members),
    ],
    ['a size below nothing', (members) => table('files', [{ ...fileRow(members), size: -1 }])(members)],
    ['a row that is a list', table('settings', [[1, 2]])],
    [
      'a row that is no JSON',
      (members) =>
        members.map((member) =>
          member.name === 'tables/settings.jsonl' ? { ...member, content: Buffer.from('{"name":\n') } : member,
        ),
    ],
    [
      'an upload under way to somewhere else',
      table('file_uploads', [
        { id: 1, user_id: 1, storage_key: '../roster.db', reserved_bytes: 1, instance: 1, created_at: '2026-01-01' },
      ]),
    ],
  ];

  test.each(forgeries)('is refused if it has %s, and nothing is written anywhere', async (_what, change) => {
    const place = mkdtempSync(join(folder, 'place-'));
    const file = join(place, 'forged.tar');
    await forgeBackup(backup, file, change);
    const target = join(place, 'data', 'here');
    const refused = await roster(['restore', file], { DATA_DIR: target });
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toMatch(
      /^.*forged\.tar is damaged or not a complete backup of Roster \(.*\)\. Nothing was changed\.\n$/,
    );
    expect(readdirSync(place)).toEqual(['forged.tar']);
    expect(existsSync(join(tmpdir(), 'roster-planted'))).toBe(false);
  });

  const block = 512;
  /** Changes the stored file's header to another kind of member, with a correct checksum. */
  function withHeader(change: (header: Buffer) => void): Buffer {
    const bytes = readFileSync(backup);
    const header = bytes.subarray(0, block);
    change(header);
    header.write(' '.repeat(8), 148);
    header.write(
      `${header
        .reduce((total, byte) => total + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return bytes;
  }
  test.each([
    ['a symbolic link', withLink('2')],
    ['a hard link', withLink('1')],
    ['a folder', withLink('5')],
    ['a device', withLink('3')],
    ['a long name of GNU tar', withLink('L')],
    ['a header of pax', withLink('x')],
    ['more bytes than there are', (header: Buffer) => void header.write('77777777777\0', 124)],
    [
      'more bytes than can be',
      (header: Buffer) => {
        header[124] = 0x80;
        header.writeBigUInt64BE(2n ** 63n - 1n, 128);
      },
    ],
  ])('is refused as well if it has %s', async (_what, change) => {
    const place = mkdtempSync(join(folder, 'place-'));
    writeFileSync(join(place, 'forged.tar'), withHeader(change));
    const refused = await roster(['restore', join(place, 'forged.tar')], { DATA_DIR: join(place, 'data') });
    expect(refused.errors).toMatch(
      /forged\.tar is damaged or not a complete backup of Roster \(its structure\)\. Nothing was changed\.\n$/,
    );
    expect(readdirSync(place)).toEqual(['forged.tar']);
  });

  test('deletes nothing if a job would delete something that is not a stored file', async () => {
    const target = await startApp('sqlite');
    onTestFinished(() => target.stop());
    await target.halt();
    const file = join(folder, 'job.tar');
    const job = {
      id: 1_000,
      kind: 'files.remove-bytes',
      payload: JSON.stringify({ storageKeys: ['../master.key', '../planted'] }),
      run_at: '2026-11-20T00:00:00.000Z',
      attempts: 0,
      claimed_until: null,
      last_error: null,
      error_class: null,
      given_up_at: null,
      created_at: '2026-11-20T00:00:00.000Z',
    };
    await forgeBackup(backup, file, table('jobs', [job]));
    copyFileSync(join(app.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
    writeFileSync(join(target.dataDir, 'planted'), 'still here');
    const restored = await roster(['restore', file], { DATA_DIR: target.dataDir });
    expect([restored.code, restored.errors]).toEqual([0, '']);
    await target.startWith({});
    await expect.poll(() => target.logLines.some((line) => line.includes('unusable payload'))).toBe(true);
    expect(readFileSync(join(target.dataDir, 'planted'), 'utf8')).toBe('still here');
    expect(existsSync(join(target.dataDir, 'master.key'))).toBe(true);
  });

  function withLink(type: string) {
    return (header: Buffer) => {
      header.write(type, 156);
      header.write('../master.key', 157);
    };
  }
});
