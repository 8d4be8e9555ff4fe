import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;

/** The CRC-32 of the text before it as six base-62 digits, most significant first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/**
 * `rst_`, 32 random characters (190 bits) and their checksum: secret scanners can recognize it, and typos are rejected
 * without a query.
 */
export function newAccessToken(): string {
  let random = '';
  for (let place = 0; place < randomLength; place++) random += alphabet.charAt(randomInt(alphabet.length));
  return `rst_${random}${checksumOf(random)}`;
}

export function isAccessToken(text: string): boolean {
  const [, random, checksum] = /^rst_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return random !== undefined && checksumOf(random) === checksum;
}

/** Only this is stored: with 190 random bits a plain hash reveals nothing. */
export const hashOfAccessToken = (token: string) => createHash('sha256').update(token).digest('hex');
