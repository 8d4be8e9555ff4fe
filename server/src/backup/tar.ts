import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const block = 512;
/** The largest size in an octal field; larger ones are stored in binary, as by GNU tar. */
const largestOctal = 0o77777777777;

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
const toBlock = (size: number) => (block - (size % block)) % block;

type Member = { name: string; size: number; modified: number };

/** A ustar header for a plain file that only its owner can read. */
function header({ name, size, modified }: Member): Buffer {
  const bytes = Buffer.alloc(block);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a name in the archive`);
  bytes.write(name, 0);
  bytes.write(octal(0o600, 7), 100);
  bytes.write(octal(0, 7), 108);
  bytes.write(octal(0, 7), 116);
  if (size <= largestOctal) bytes.write(octal(size, 11), 124);
  else {
    bytes[124] = 0x80;
    bytes.writeBigUInt64BE(BigInt(size), 128);
  }
  bytes.write(octal(modified, 11), 136);
  bytes.write(' '.repeat(8), 148);
  bytes.write('0', 156);
  bytes.write('ustar\x0000', 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 6)} `, 148);
  return bytes;
}

function parseHeader(bytes: Buffer): Member | undefined {
  const octalAt = (from: number) => Number.parseInt(bytes.toString('latin1', from, from + 12).replace(/\0.*$/, ''), 8);
  const size = bytes[124] === 0x80 ? Number(bytes.readBigUInt64BE(128)) : octalAt(124);
  const member = { name: bytes.toString('utf8', 0, 100).replace(/\0.*$/, ''), size, modified: octalAt(136) };
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(member.modified) || Buffer.byteLength(member.name) > 100)
    return undefined;
  // Compares all bytes: nothing in a header may differ from what would be written.
  return header(member).equals(bytes) ? member : undefined;
}

/** Writes a tar archive into an empty file. Sizes are put into headers afterwards, so nothing is buffered. */
export function tarWriter(file: FileHandle, modifiedAt: Date) {
  const modified = Math.floor(modifiedAt.getTime() / 1000);
  let end = 0;

  async function append(bytes: Buffer) {
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, from, bytes.length - from, end);
      from += bytesWritten;
      end += bytesWritten;
    }
  }

  return {
    async add(name: string, content: AsyncIterable<Buffer> | Iterable<Buffer>) {
      const start = end;
      const hash = createHash('sha256');
      await append(Buffer.alloc(block));
      for await (const chunk of content) {
        hash.update(chunk);
        await append(chunk);
      }
      const size = end - start - block;
      await append(Buffer.alloc(toBlock(size)));
      const bytes = header({ name, size, modified });
      await file.write(bytes, 0, block, start);
      return { size, sha256: hash.digest('hex') };
    },
    finish: () => append(Buffer.alloc(2 * block)),
  };
}

/** Random access to content of a known size. Returns fewer bytes than requested only at the end. */
export type Source = { size: number; readAt: (position: number, length: number) => Promise<Buffer> };

export async function fileSource(file: FileHandle): Promise<Source> {
  const { size } = await file.stat();
  return {
    size,
    async readAt(position, length) {
      const bytes = Buffer.alloc(length);
      let done = 0;
      while (done < length) {
        const { bytesRead } = await file.read(bytes, done, length - done, position + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    },
  };
}

export type TarMember = { name: string; offset: number; size: number };

/** The members of an archive by `tarWriter`; undefined if it is damaged or written differently. */
export async function tarMembers({ size: total, readAt }: Source): Promise<Map<string, TarMember> | undefined> {
  const bytesAt = async (position: number, length: number) => {
    const bytes = await readAt(position, length);
    return bytes.length === length ? bytes : undefined;
  };
  const members = new Map<string, TarMember>();
  for (let position = 0; ; ) {
    const bytes = await bytesAt(position, block);
    if (!bytes) return undefined;
    if (isZero(bytes)) {
      const last = await bytesAt(position + block, block);
      return last && isZero(last) && position + 2 * block === total ? members : undefined;
    }
    const member = parseHeader(bytes);
    if (!member || members.has(member.name)) return undefined;
    const offset = position + block;
    const filler = await bytesAt(offset + member.size, toBlock(member.size));
    if (!filler || !isZero(filler)) return undefined;
    members.set(member.name, { name: member.name, offset, size: member.size });
    position = offset + member.size + filler.length;
  }
}

const isZero = (bytes: Buffer) => bytes.every((byte) => byte === 0);

/** The bytes of a member, in chunks. */
export async function* contentOf(source: Source, { offset, size }: TarMember): AsyncGenerator<Buffer, void> {
  for (let done = 0; done < size; ) {
    const piece = await source.readAt(offset + done, Math.min(64 * 1024, size - done));
    if (piece.length === 0) throw new Error('The archive ends too early');
    yield piece;
    done += piece.length;
  }
}
