import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Secret } from '#server/security/secret';
import { DecryptionError, decrypt, encrypt } from './age.ts';

const passphrase = new Secret<string>('a passphrase for tests only');
const sourceOf = (bytes: Buffer) => ({
  size: bytes.length,
  readAt: async (position: number, length: number) => bytes.subarray(position, position + length),
});

async function* inPieces(content: Buffer, length: number) {
  for (let at = 0; at < content.length; at += length) yield content.subarray(at, at + length);
}
const sealed = (content: Buffer, length = 10_000) => buffer(encrypt(inPieces(content, length), passphrase));
const opened = async (bytes: Buffer, secret = passphrase) => {
  const source = await decrypt(sourceOf(bytes), secret);
  return source.readAt(0, source.size);
};

/** Encrypted by the age program, version 1.1.1, with this passphrase. */
const byAge = Buffer.from(
  'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBnMTh1MklWWUEzcGVDVFFpY3kvSWdRIDE4CnhRQm9mcEw2OXhjL0xGREhOaWI2WkJUU3YxL3JPZ2pEd2I5WTlpQkJvVmMKLS0tIEIrdTF4RDYyRnNuWXMzYlJKSmpaRDgvbUJOZUFoWm1pMGd0NE5xalVWTEUKrS3+DNevrRbU1OFCHZ4F3tjBax9HPZcRo8p/1Lm7gyfSxPT8guwj5/ktEx4tQQ==',
  'base64',
);

describe('encrypted content', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])(
    'decrypts to the original, with %i bytes',
    async (length) => {
      const content = randomBytes(length);
      const bytes = await sealed(content);
      expect((await opened(bytes)).equals(content)).toBe(true);
      const source = await decrypt(sourceOf(bytes), passphrase);
      expect(source.size).toBe(length);
      for (const at of [0, 100, 65_530, length - 5].filter((at) => at >= 0))
        expect((await source.readAt(at, 20)).equals(content.subarray(at, at + 20))).toBe(true);
    },
  );

  test('is compatible with the age program', async () => {
    expect((await opened(byAge)).toString()).toBe('Zebras of age\n');
  });

  test('does not decrypt with another passphrase', async () => {
    const bytes = await sealed(Buffer.from('secret'));
    await expect(opened(bytes, new Secret('another passphrase of some length'))).rejects.toThrow('another one');
  });

  test('is rejected if a byte was changed, or pieces were cut off, moved or added', async () => {
    const bytes = await sealed(randomBytes(200_000));
    const begin = bytes.indexOf('--- ') + 48 + 16;
    const piece = 65_536 + 16;
    const [first, second] = [bytes.subarray(begin, begin + piece), bytes.subarray(begin + piece, begin + 2 * piece)];
    const changed = [70, 100, begin - 30, begin - 1, begin + 5, bytes.length - 1].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    const others = [
      bytes.subarray(0, -1),
      bytes.subarray(0, begin + 2 * piece),
      bytes.subarray(0, begin),
      bytes.subarray(0, 50),
      Buffer.concat([bytes.subarray(0, begin), second, first, bytes.subarray(begin + 2 * piece)]),
      Buffer.concat([bytes, Buffer.alloc(20)]),
    ];
    for (const copy of [...changed, ...others]) await expect(opened(copy)).rejects.toThrow(DecryptionError);
  });

  test('is rejected if its header asks for too much memory', async () => {
    const bytes = await sealed(Buffer.from('x'));
    const greedy = Buffer.from(bytes.toString('latin1').replace(/(scrypt \S+) 15\n/, '$1 30\n'), 'latin1');
    await expect(opened(greedy)).rejects.toThrow('Its header is not one of Roster');
  });
});
