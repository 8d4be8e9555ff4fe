import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Source } from '#server/backup/tar';
import type { Secret } from '#server/security/secret';

/**
 * The age format (age-encryption.org/v1) with a passphrase, so that its program opens Roster's backups. The content is
 * encrypted in pieces, each with its number and a flag for the last: none can be changed, moved, omitted or cut off.
 */
const cipher = 'chacha20-poly1305';
const pieceBytes = 64 * 1024;
const tagBytes = 16;
const sealedBytes = pieceBytes + tagBytes;
const nonceBytes = 16;
const firstLine = 'age-encryption.org/v1';
/** 2^15 rounds take 32 MB briefly; in exchange the passphrase must be long. */
const usualWork = 15;
/** More would take over 256 MB. */
const largestWork = 18;

export class DecryptionError extends Error {
  override name = 'DecryptionError';
}

const plainBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const noNonce = Buffer.alloc(12);

function encryptPiece(key: Buffer, nonce: Buffer, content: Buffer): Buffer {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  return Buffer.concat([sealing.update(content), sealing.final(), sealing.getAuthTag()]);
}

function decryptPiece(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  try {
    return Buffer.concat([opening.update(sealed.subarray(0, sealed.length - tagBytes)), opening.final()]);
  } catch (cause) {
    throw new DecryptionError('It was changed', { cause });
  }
}

const derived = (key: Buffer, salt: Buffer, info: string) => Buffer.from(hkdfSync('sha256', key, salt, info, 32));

function keyOf(passphrase: Secret, salt: Buffer, work: number): Buffer {
  const whole = Buffer.concat([Buffer.from(`${firstLine}/scrypt`), salt]);
  return scryptSync(passphrase.reveal(), whole, 32, { N: 2 ** work, r: 8, p: 1, maxmem: 2 ** work * 8 * 128 * 2 });
}

function nonceOf(piece: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(piece), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

const macOf = (fileKey: Buffer, header: string) =>
  createHmac('sha256', derived(fileKey, Buffer.alloc(0), 'header'))
    .update(header)
    .digest();

/** Encrypts content as it arrives. */
export async function* encrypt(content: AsyncIterable<Buffer>, passphrase: Secret): AsyncGenerator<Buffer> {
  const [fileKey, salt, nonce] = [randomBytes(16), randomBytes(16), randomBytes(nonceBytes)];
  const body = plainBase64(encryptPiece(keyOf(passphrase, salt, usualWork), noNonce, fileKey));
  const header = `${firstLine}\n-> scrypt ${plainBase64(salt)} ${usualWork}\n${body}\n---`;
  yield Buffer.concat([Buffer.from(`${header} ${plainBase64(macOf(fileKey, header))}\n`), nonce]);

  const key = derived(fileKey, nonce, 'payload');
  let waiting: Buffer = Buffer.alloc(0);
  let piece = 0;
  for await (const chunk of content) {
    waiting = Buffer.concat([waiting, chunk]);
    // The last piece is encrypted differently, so a possible last piece waits.
    for (; waiting.length > pieceBytes; waiting = waiting.subarray(pieceBytes))
      yield encryptPiece(key, nonceOf(piece++, false), waiting.subarray(0, pieceBytes));
  }
  yield encryptPiece(key, nonceOf(piece, true), waiting);
}

const headerForm =
  /^(age-encryption\.org\/v1\n-> scrypt ([A-Za-z0-9+/]{22}) (\d{1,2})\n([A-Za-z0-9+/]{43})\n---) ([A-Za-z0-9+/]{43})\n/;

export const isEncrypted = async (source: Source) =>
  (await source.readAt(0, firstLine.length)).toString('latin1') === firstLine;

function fileKeyOf(header: RegExpExecArray, passphrase: Secret): Buffer {
  const [, text = '', salt = '', work = '', body = '', mac = ''] = header;
  if (Number(work) < 1 || Number(work) > largestWork) throw new DecryptionError('Its header is not one of Roster');
  const wrapping = keyOf(passphrase, Buffer.from(salt, 'base64'), Number(work));
  let fileKey: Buffer;
  try {
    fileKey = decryptPiece(wrapping, noNonce, Buffer.from(body, 'base64'));
  } catch (cause) {
    throw new DecryptionError('The passphrase is another one', { cause });
  }
  if (!timingSafeEqual(macOf(fileKey, text), Buffer.from(mac, 'base64'))) throw new DecryptionError('It was changed');
  return fileKey;
}

/** Decrypts at any position without writing anything. @throws DecryptionError */
export async function decrypt(source: Source, passphrase: Secret): Promise<Source> {
  const header = headerForm.exec((await source.readAt(0, 400)).toString('latin1'));
  if (!header) throw new DecryptionError('Its header is not one of Roster');
  const fileKey = fileKeyOf(header, passphrase);
  const nonceAt = header[0].length;
  const begin = nonceAt + nonceBytes;
  const key = derived(fileKey, await source.readAt(nonceAt, nonceBytes), 'payload');
  const sealedSize = source.size - begin;
  const pieces = Math.ceil(sealedSize / sealedBytes);
  const size = sealedSize - pieces * tagBytes;
  if (pieces < 1 || sealedSize - (pieces - 1) * sealedBytes < tagBytes) throw new DecryptionError('It was cut off');

  let last: { piece: number; content: Buffer } | undefined;
  async function contentOf(piece: number): Promise<Buffer> {
    if (last?.piece === piece) return last.content;
    const sealed = await source.readAt(begin + piece * sealedBytes, sealedBytes);
    if (sealed.length < tagBytes) throw new DecryptionError('It was cut off');
    const content = decryptPiece(key, nonceOf(piece, piece === pieces - 1), sealed);
    last = { piece, content };
    return content;
  }
  // If it was cut off between two pieces, the present last one was not encrypted as such.
  await contentOf(pieces - 1);

  return {
    size,
    async readAt(position, length) {
      const parts: Buffer[] = [];
      const end = Math.min(position + length, size);
      for (let at = position; at < end; ) {
        const piece = Math.floor(at / pieceBytes);
        const from = at - piece * pieceBytes;
        const part = (await contentOf(piece)).subarray(from, from + end - at);
        parts.push(part);
        at += part.length;
      }
      return Buffer.concat(parts);
    },
  };
}
