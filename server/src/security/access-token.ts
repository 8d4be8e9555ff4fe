import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;

/** Six digits of base 62, the highest first, of the CRC-32 of what stands before. */
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
 * `rst_`, 32 random characters (190 bits) and their checksum: what scanners for lost secrets can tell from anything else,
 * and what is mistyped is refused without a look into the database.
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

/** All that is kept of it: of 190 random bits a plain hash gives nothing away. */
export const hashOfAccessToken = (token: string) => createHash('sha256').update(token).digest('hex');
