import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';

/** 41 characters: 24 of them hold just over 128 bits. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcde';
const length = 24;
const base = BigInt(alphabet.length);

/** Kinds of public ids. A file's prefix ends in a hyphen, all others in an underscore. */
type IdKind = 'asst' | 'thread' | 'msg' | 'run' | 'step' | 'resp' | 'file' | 'vs' | 'vsfb';

const prefixOf = (kind: IdKind) => (kind === 'file' ? 'file-' : `${kind}_`);

/** Fills the first half of the block, so that ids of another kind are rejected. */
const tagOf = (kind: IdKind) => Buffer.from(kind.padEnd(8, '.'));

/**
 * Converts numeric ids to public ids by a keyed permutation. Public ids reveal no counts, cannot be guessed and need no
 * storage. One AES block holds kind and number.
 */
export function createIds(bytes: Buffer) {
  // Passing the bytes instead would make each id take five times as long.
  const key = createSecretKey(bytes);
  return {
    encode(kind: IdKind, id: number): string {
      const block = Buffer.concat([tagOf(kind), Buffer.alloc(8)]);
      block.writeBigUInt64BE(BigInt(id), 8);
      const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      let rest = BigInt(`0x${Buffer.concat([cipher.update(block), cipher.final()]).toString('hex')}`);
      let text = '';
      for (let place = 0; place < length; place++) {
        text = alphabet.charAt(Number(rest % base)) + text;
        rest /= base;
      }
      return `${prefixOf(kind)}${text}`;
    },
    /** Returns undefined if the text is not a Roster id. */
    decode(kind: IdKind, text: string): number | undefined {
      const digits = text.startsWith(prefixOf(kind)) ? text.slice(prefixOf(kind).length) : '';
      if (digits.length !== length) return undefined;
      let value = 0n;
      for (const digit of digits) {
        const worth = alphabet.indexOf(digit);
        if (worth < 0) return undefined;
        value = value * base + BigInt(worth);
      }
      const hex = value.toString(16).padStart(32, '0');
      if (hex.length > 32) return undefined;
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(Buffer.from(hex, 'hex')), decipher.final()]);
      const id = block.readBigUInt64BE(8);
      return block.subarray(0, 8).equals(tagOf(kind)) && id <= 2_147_483_647n ? Number(id) : undefined;
    },
  };
}

export type Ids = ReturnType<typeof createIds>;
