import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  generatedMasterKeys,
  InvalidMasterKeyError,
  parseMasterKeys,
  readMasterKeyFile,
} from '#server/security/master-key';

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
const good = () => base64(randomBytes(32));

describe('master key', () => {
  test('is 32 random bytes in base64, in either alphabet', () => {
    const bytes = randomBytes(32);
    for (const text of [base64(bytes), bytes.toString('base64url'), ` ${base64(bytes)}\n`]) {
      const [key] = parseMasterKeys(text, 'MASTER_KEY');
      expect(key?.key.reveal()).toEqual(bytes);
      expect(key?.id).toMatch(/^[0-9a-f]{8}$/);
    }
  });

  test('may be a list, whose first key encrypts', () => {
    const [first, second] = [good(), good()];
    const keys = parseMasterKeys(`${first}, ${second}`, 'MASTER_KEY');
    expect(keys.map(({ key }) => base64(key.reveal()))).toEqual([first, second]);
  });

  test.each([
    ['empty', ''],
    ['a list with a gap', `${good()},`],
    ['short', base64(randomBytes(31))],
    ['long', base64(randomBytes(33))],
    ['16 bytes', base64(randomBytes(16))],
    ['a password', 'correct horse battery staple, really'],
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['mistyped', good().replace(/.$/, '!')],
    ['constant', base64(Buffer.alloc(32, 7))],
    ['zero', base64(Buffer.alloc(32))],
    ['repeated', base64(Buffer.concat(Array(2).fill(randomBytes(16))))],
    ['of few values', base64(Buffer.from(Array.from({ length: 32 }, (_, n) => n % 8)))],
    ['counting', base64(Buffer.from(Array.from({ length: 32 }, (_, n) => n)))],
    ['counting down', base64(Buffer.from(Array.from({ length: 32 }, (_, n) => 200 - 3 * n)))],
    ['readable', base64('this-is-a-secret-key-of-32-bytes')],
    ['an example', base64('0123456789abcdef0123456789abcdef')],
    ['named twice', [good()].flatMap((key) => [key, key]).join(',')],
  ])('is rejected if it is %s', (_what, text) => {
    expect(() => parseMasterKeys(text, 'MASTER_KEY')).toThrow(InvalidMasterKeyError);
  });

  test('is not shown by the message that rejects it', () => {
    const text = base64('this-is-a-secret-key-of-32-bytes');
    expect(() => parseMasterKeys(text, 'MASTER_KEY')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(text.slice(0, 10)) }),
    );
  });
});

describe('master key file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is created once, for its owner only, and kept', () => {
    const dataDir = join(folder, 'data');
    const [made] = generatedMasterKeys(dataDir);
    const [read] = generatedMasterKeys(dataDir);
    expect(read?.key.reveal()).toEqual(made?.key.reveal());
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  });

  test.each([0o644, 0o640, 0o602])('is rejected in mode %o with the command that fixes it, and not changed', (mode) => {
    const file = join(folder, 'open.key');
    writeFileSync(file, good());
    chmodSync(file, mode);
    expect(() => readMasterKeyFile(file)).toThrow(`chmod 600 '${file}'`);
    expect(statSync(file).mode & 0o777).toBe(mode);
    chmodSync(file, 0o400);
    expect(readMasterKeyFile(file)).toHaveLength(1);
  });

  test('is rejected by name if missing or not a key', () => {
    expect(() => readMasterKeyFile(join(folder, 'none.key'))).toThrow('none.key cannot be read');
    const file = join(folder, 'bad.key');
    writeFileSync(file, 'nonsense');
    expect(() => readMasterKeyFile(file)).toThrow('bad.key');
  });
});
